"""Elements by identifier, and references to them (F&O 3.1 §14.5).

Identifiers are xml:id attributes and those a DTD declares as ID; without schemas no element content is one, so
fn:id and fn:element-with-id agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.errors import DynamicError
from xylem.values.node import DOCUMENT, Node
from xylem.values.white_space import collapse
from xylem.values.xml_names import is_ncname

from .registry import function


@function("fn:id", "xs:string*, node()", "element()*", focus=True)
def id_(values: Sequence[str], node: Node) -> list[Node]:
    tree = _document(node).tree
    rows = {tree.element_with_id(token) for value in values for token in collapse(value).split(" ") if token}
    rows.discard(-1)
    return [Node(tree, row) for row in sorted(rows)]


@function("fn:element-with-id", "xs:string*, node()", "element()*", focus=True)
def element_with_id(values: Sequence[str], node: Node) -> list[Node]:
    return id_(values, node)


@function("fn:idref", "xs:string*, node()", "node()*", focus=True)
def idref(values: Sequence[str], node: Node) -> list[Node]:
    """The IDREF and IDREFS attributes that mention one of the identifiers."""
    tree = _document(node).tree
    wanted = {value for value in map(collapse, values) if is_ncname(value)}
    found = [row for row in tree.idref_attributes() if wanted.intersection((tree.values[row] or "").split())]
    return [Node(tree, row) for row in found]


def _document(node: Node) -> Node:
    root = node.root
    if root.kind != DOCUMENT:
        raise DynamicError("FODC0001", "the tree has no document node at its root")
    return root
