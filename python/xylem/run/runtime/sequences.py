"""Sequences in generated code: counting items, taking one, atomising nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xylem.errors import DynamicError
from xylem.values.atomize import atomize
from xylem.values.conversion import convert
from xylem.values.node import Node
from xylem.values.sequence_type import SequenceType
from xylem.values.strings import UntypedAtomic


def any_item(items: Iterable[Any]) -> bool:
    """Whether there is a first item; reads no further items."""
    return next(iter(items), None) is not None


def at_most_one(items: Iterable[Any], what: str) -> Any:
    """The only item, or None; a second one is XPTY0004."""
    read = iter(items)
    first = next(read, None)
    if first is not None and next(read, None) is not None:
        raise DynamicError("XPTY0004", f"{what} is a sequence of more than one item")
    return first


def atomic_or_none(items: Iterable[Any], what: str) -> Any:
    """The only atomic value of any sequence, or None; a second one is XPTY0004."""
    if type(items) is tuple and len(items) == 1:
        item = items[0]
        cls = type(item)
        if cls is int or cls is str or cls is float:
            return item
    return at_most_one(atomize(items), what)


def exactly_one(items: Iterable[Any], what: str) -> Any:
    item = at_most_one(items, what)
    if item is None:
        raise DynamicError("XPTY0004", f"{what} is an empty sequence")
    return item


def not_none(item: Any, what: str) -> Any:
    if item is None:
        raise DynamicError("XPTY0004", f"{what} is an empty sequence")
    return item


def typed_values(nodes: Iterable[Any]) -> list[Any]:
    """The typed values of nodes, one each."""
    found = nodes if isinstance(nodes, list) else list(nodes)
    if len(found) > 1:
        tree = found[0].tree
        if tree.native is not None:
            rows = [node.pre for node in found if node.tree is tree]
            if len(rows) == len(found):
                return tree.native.typed_values(rows, UntypedAtomic)  # type: ignore[no-any-return]
    return [node.typed_value for node in found]


def text_of_node(nodes: list[Any], expected: SequenceType, what: str) -> Any:
    """Convert nodes to xs:string or xs:string?, if that is expected; their typed values are untyped."""
    if len(nodes) == 1:
        return nodes[0].string_value
    return convert(typed_values(nodes), expected, what)


def nodes_only(items: Iterable[Any], code: str = "XPTY0019") -> Iterator[Any]:
    """The items, each of which must be a node."""
    for item in items:
        if type(item) is not Node:
            raise DynamicError(code, f"found {item!r:.60}")
        yield item


def or_empty(items: Iterable[Any]) -> Iterator[Any]:
    """The items, or None if there are none (`allowing empty`)."""
    empty = True
    for item in items:
        empty = False
        yield item
    if empty:
        yield None


def counted(items: Iterable[Any]) -> int:
    """The number of items."""
    length = getattr(items, "__len__", None)
    return length() if length is not None else sum(1 for _ in items)


def concatenated(*parts: Iterable[Any]) -> list[Any]:
    """The items of all parts, in order."""
    joined: list[Any] = []
    for part in parts:
        joined.extend(part)
    return joined
