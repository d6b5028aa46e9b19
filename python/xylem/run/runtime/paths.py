"""Paths and predicates in generated code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from xylem.errors import DynamicError
from xylem.values.atomic import type_of
from xylem.values.atomic_type import NUMERIC
from xylem.values.document_order import document_order
from xylem.values.effective_boolean import effective_boolean
from xylem.values.node import DOCUMENT, Node


def document_root(item: Any) -> Node:
    """What a leading `/` means: the root of the context node's tree, which must be a document."""
    root = context_node(item).root
    if root.kind != DOCUMENT:
        raise DynamicError("XPDY0050", "the root of this tree is not a document node")
    return root


def context_node(item: Any) -> Node:
    """The context item of a step."""
    if type(item) is not Node:
        raise DynamicError("XPTY0020", f"found {item!r:.60}")
    return item


def step_node(item: Any) -> Node:
    """An item on the left of a slash."""
    if type(item) is not Node:
        raise DynamicError("XPTY0019", f"found {item!r:.60}")
    return item


def forward(nodes: Iterable[Node]) -> list[Node]:
    """Nodes of a reverse axis in document order."""
    turned = list(nodes)
    turned.reverse()
    return turned


def path_result(items: Iterable[Any]) -> Sequence[Any]:
    """Nodes in document order without duplicates, or other items as they are; both together are XPTY0018."""
    found = list(items)
    nodes = sum(type(item) is Node for item in found)
    if not nodes:
        return found
    if nodes == len(found):
        return document_order(found)
    raise DynamicError("XPTY0018")


def nth(items: Iterable[Any], position: int) -> Any:
    """The item at a 1-based position, or None; reads no further."""
    if position < 1:
        return None
    if isinstance(items, (list, tuple, range)):
        return items[position - 1] if position <= len(items) else None
    return next(islice(items, position - 1, None), None)


def last_item(items: Iterable[Any]) -> Any:
    if isinstance(items, (list, tuple, range)):
        return items[-1] if items else None
    found = None
    for found in items:  # noqa: B007
        pass
    return found


def predicate_holds(value: Iterable[Any], position: int) -> bool:
    """A predicate's value at a position: a number is compared with it, anything else is a truth value."""
    read = list(islice(value, 2))
    if len(read) == 1 and is_number(read[0]):
        return bool(read[0] == position)
    return effective_boolean(read)


def by_number_or_truth(items: Iterable[Any], value: Sequence[Any]) -> Iterator[Any]:
    """items[value], the value being the same for every item."""
    if len(value) == 1 and is_number(value[0]):
        number = value[0]
        if number == number and abs(number) != float("inf") and number == int(number) and number >= 1:
            found = nth(items, int(number))
            if found is not None:
                yield found
    elif effective_boolean(value):
        yield from items


def is_number(item: Any) -> bool:
    kind = type_of(item)
    return kind is not None and kind.derives_from(NUMERIC)
