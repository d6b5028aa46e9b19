"""A node on its way to another process: `pickle.dumps(node)` carries a copy of its subtree. The copy keeps names with
their prefixes, the namespaces in scope, the base URI, and which attributes are identifiers. It loses the place of the
node: a copy has no parent and is a node of its own, so two nodes of one tree that are carried arrive as two trees. The
columns travel as plain lists, with names in the place of codes, since another process has other codes; they arrive as a
tree of `tree.py`, be there a kernel at the other end or not.
"""

from __future__ import annotations

from typing import NamedTuple

from .name_pool import KIND_BITS, KIND_MASK, current_pool
from .node import ATTRIBUTE, DOCUMENT, ELEMENT, Node
from .qname import QName
from .tree import Tree
from .tree_copy import within
from .tree_interface import TreeInterface

_FIRST_NAMED = KIND_MASK + 1

ExpandedName = tuple[str, str]


class CarriedNode(NamedTuple):
    """Plain data: what of a node arrives elsewhere."""

    names: list[tuple[int, str, str, str]]
    """Kind, URI, local name and prefix of the codes that occur."""
    codes: list[int]
    """A kind without name, or 8 more than the place in `names`."""
    ends: list[int]
    parents: list[int]
    """Of all rows but the first."""
    values: list[str | None]
    declared: dict[int, dict[str, str]]
    prefixes: dict[int, str]
    isolated: list[int]
    base: str | None
    document_uri: str | None
    id_rules: list[tuple[ExpandedName, ExpandedName]]
    idref_rules: list[tuple[ExpandedName, ExpandedName]]


def carried(node: Node) -> CarriedNode:
    """The subtree of a node as data that can be pickled."""
    tree, start = node.tree, node.pre
    end = tree.end(start)
    codes, ends, parents, values = tree.moved(start, end, -start)
    places: dict[int, int] = {}
    names: list[tuple[int, str, str, str]] = []
    for code in codes:
        if code not in places:
            name = tree.qnames[code >> KIND_BITS]
            places[code] = code if name is None else _FIRST_NAMED + len(names)
            if name is not None:
                names.append((code & KIND_MASK, name.uri, name.local, name.prefix))
    above = tree.parent(start)
    return CarriedNode(
        names,
        [places[code] for code in codes],
        ends,
        parents,
        values,
        _declared(tree, start, end),
        {row - start: name.prefix for row, name in within(tree.prefixed, start, end)},
        [row - start for row in tree.isolated if start < row < end],
        tree.base if above < 0 else tree.base_uri(above),
        tree.document_uri if tree.kind(start) == DOCUMENT else None,
        _rules(tree, tree.id_rules),
        _rules(tree, tree.idref_rules),
    )


def arrived(*fields: object) -> Node:
    """The node that was carried: the root of a tree of its own."""
    carried = CarriedNode(*fields)  # type: ignore[arg-type]  # the fields `carried` gave
    pool = current_pool()
    tree = Tree(pool, carried.base)
    tree.document_uri = carried.document_uri
    table = list(range(_FIRST_NAMED))
    qnames: dict[int, QName | None] = {0: None}
    for kind, uri, local, prefix in carried.names:
        code = pool.code(kind, uri, local, prefix)
        table.append(code)
        qnames[code >> KIND_BITS] = QName(uri, local, prefix)
    tree.qnames = qnames
    tree.codes = [table[place] for place in carried.codes]
    tree.ends, tree.parents, tree.values = carried.ends, [-1, *carried.parents], carried.values
    for row, bindings in carried.declared.items():
        tree.declare(row, bindings)
    for row, prefix in carried.prefixes.items():
        usual = qnames[tree.codes[row] >> KIND_BITS]
        assert usual is not None
        tree.rename(row, QName(usual.uri, usual.local, prefix))
    for row in carried.isolated:
        tree.isolate(row)
    tree.id_rules = _codes_of(tree, carried.id_rules)
    tree.idref_rules = _codes_of(tree, carried.idref_rules)
    return Node(tree, 0)


def _declared(tree: TreeInterface, start: int, end: int) -> dict[int, dict[str, str]]:
    """The declarations inside, and at the root all that is in scope of it."""
    found = {row - start: dict(here) for row, here in tree.declared_within(start + 1, end)}
    if tree.kind(start) == ELEMENT:
        around = tree.namespaces(start)
        del around["xml"]
        if around:
            found[0] = around
    return found


def _rules(tree: TreeInterface, rules: frozenset[tuple[int, int]]) -> list[tuple[ExpandedName, ExpandedName]]:
    return [(_expanded(tree, element), _expanded(tree, attribute)) for element, attribute in rules]


def _expanded(tree: TreeInterface, code: int) -> ExpandedName:
    name = tree.names.qnames[code >> KIND_BITS]
    assert name is not None
    return name.uri, name.local


def _codes_of(tree: Tree, rules: list[tuple[ExpandedName, ExpandedName]]) -> frozenset[tuple[int, int]]:
    code = tree.names.code
    return frozenset((code(ELEMENT, *element), code(ATTRIBUTE, *attribute)) for element, attribute in rules)
