"""Copy nodes with only the parts that later expressions read: tasks send the gathered side of a join in this form.

An element is copied if a path of the projection leads to it or through it, with the content that the projection names.
An expression that follows only these paths sees no difference (`analysis/projection.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.analysis.projection import Projection, Test
from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.source.limits import Limits
from xylem.source.xml_reader import read_document
from xylem.values.node import ELEMENT, TEXT, Node
from xylem.values.qname import QName
from xylem.values.tree_interface import TreeInterface

_XML = SerializationParameters(omit_xml_declaration=True)
_MOST = (1 << 31) - 1
TRUSTED = Limits(
    depth=_MOST, attributes=_MOST, name_characters=_MOST, attribute_characters=_MOST, text_characters=_MOST
)
"""Limits for our own XML: the original input was checked when it was read."""
Descends = Sequence[tuple[Test, Projection]]


class Pruned(str):
    """The XML of an element, without the parts that nothing reads."""

    __slots__ = ()


def pruned(item: Any, projection: Projection) -> Any:
    """The form in which an item is sent: the projected parts of an element; other items unchanged."""
    if type(item) is not Node or item.kind != ELEMENT:
        return item
    declared = {prefix: uri for prefix, uri in item.namespaces.items() if prefix != "xml"}
    return Pruned(_element(item.tree, item.pre, declared, [projection], []))


def bundled(items: Sequence[Any]) -> bytes | None:
    """Bundle items if all are such elements: they are parsed in one go, as children of one element."""
    return "".join(items).encode() if all(type(item) is Pruned for item in items) else None


def unbundled(data: bytes) -> list[Node]:
    """The elements of consecutive bundles."""
    document = read_document(b"<items>" + data + b"</items>", limits=TRUSTED)
    tree = document.tree
    return [Node(tree, row) for row in tree.children(1)]


def _element(tree: TreeInterface, row: int, declared: Any, here: Sequence[Projection], descends: Descends) -> str:
    """An element: `here` are the projections that end at it, `descends` those that continue anywhere below."""
    if any(projection.subtree for projection in here):
        return serialize((Node(tree, row),), _XML)
    name = str(tree.name(row))
    content = "".join(_content(tree, row, here, descends))
    start = f"<{name}{_declarations(declared)}{_attributes(tree, row, here)}"
    return f"{start}>{content}</{name}>" if content else f"{start}/>"


def _content(tree: TreeInterface, row: int, here: Sequence[Projection], descends: Descends) -> list[str]:
    steps = [(test, below) for projection in here for test, below in projection.children.items()]
    descends = [*descends, *(step for step in steps if step[0][0] == "descendant")]
    has_string = any(projection.string for projection in here)
    has_text = has_string or any(projection.text for projection in here)
    found: list[str] = []
    for child in tree.children(row):
        kind = tree.kind(child)
        if kind == TEXT:
            if has_text:
                found.append(escape_text(tree.values[child] or ""))
            continue
        if kind != ELEMENT:
            continue
        child_name = tree.name(child)
        reached = [below for test, below in steps if test[0] == "child" and _fits(test, child_name)]
        reached += [below for test, below in descends if _fits(test, child_name)]
        if has_string:
            reached.append(_STRING)
        if reached:
            found.append(_element(tree, child, tree.declared.get(child), reached, descends))
        elif descends:
            inside = "".join(_content(tree, child, (), descends))
            if inside:
                found.append(f"<{child_name}{_declarations(tree.declared.get(child))}>{inside}</{child_name}>")
    return found


_STRING = Projection(string=True)


def _fits(test: Test, name: QName | None) -> bool:
    _, uri, local = test
    return name is not None and (uri is None or uri == name.uri) and (local is None or local == name.local)


def _declarations(declared: Any) -> str:
    if not declared:
        return ""
    return "".join(
        f' xmlns{":" if prefix else ""}{prefix}="{escape_attribute(uri)}"' for prefix, uri in declared.items()
    )


def _attributes(tree: TreeInterface, row: int, here: Sequence[Projection]) -> str:
    wanted = set().union(*(projection.attributes for projection in here))
    takes_all = any(projection.all_attributes for projection in here)
    if not wanted and not takes_all:
        return ""
    found = []
    for attribute in tree.attributes(row):
        name = tree.name(attribute)
        if name is not None and (takes_all or (name.uri, name.local) in wanted):
            found.append(f' {name}="{escape_attribute(tree.values[attribute] or "")}"')
    return "".join(found)
