"""Paths and predicates in generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain, islice
from math import ceil, floor
from typing import Any

from xylem.errors import DynamicError
from xylem.values.atomic import type_of
from xylem.values.atomic_type import NUMERIC
from xylem.values.document_order import document_order
from xylem.values.effective_boolean import effective_boolean
from xylem.values.general_comparison import general_compare
from xylem.values.node import DOCUMENT, Node
from xylem.values.value_comparison import OPERATORS


def document_root(item: Any) -> Node:
    """The meaning of a leading `/`: the root of the context node's tree, which must be a document."""
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
    """Nodes in document order without duplicates, or other items unchanged; a mixture is XPTY0018."""
    found = list(items)
    nodes = sum(type(item) is Node for item in found)
    if not nodes:
        return found
    if nodes == len(found):
        return document_order(found)
    raise DynamicError("XPTY0018")


def nth(items: Iterable[Any], position: int) -> Any:
    """The item at a 1-based position, or None; reads no further items."""
    if position < 1:
        return None
    if isinstance(items, (list, tuple, range)):
        return items[position - 1] if position <= len(items) else None
    return next(islice(items, position - 1, None), None)


PositionTests = Sequence[tuple[str, Sequence[Any]]]


def at_positions(items: Iterable[Any], tests: Callable[[], PositionTests]) -> Iterable[Any]:
    """The items whose positions pass all tests; it reads no more items than necessary.

    The operands of the tests are computed once, and only if there is an item.
    """
    if not isinstance(items, (list, tuple, range)):
        return _read_at_positions(iter(items), tests)
    if not items:
        return ()
    asked = tests()
    places = _places(asked)
    return _by_comparing(items, asked) if places is None else items[places]


def _read_at_positions(items: Iterator[Any], tests: Callable[[], PositionTests]) -> Iterator[Any]:
    for item in items:
        asked = tests()
        places, whole = _places(asked), chain((item,), items)
        if places is None:
            last = _last_place(asked)
            yield from _by_comparing(whole if last is None else islice(whole, last), asked)
        else:
            yield from islice(whole, places.start, places.stop)
        return


def _places(tests: PositionTests) -> slice | None:
    """The positions that pass; None if they must be compared one by one."""
    first, last = 1.0, float("inf")
    for op, asked in tests:
        if not asked:
            return slice(0, 0)
        if isinstance(asked, range) and op == "=":
            low, high = float(asked.start), float(asked.stop - 1)
        elif len(asked) == 1 and type(asked[0]) in _PLAIN_NUMBERS:
            low, high = _passing(op, asked[0])
        else:
            return None
        first, last = max(first, low), min(last, high)
    if first > last:
        return slice(0, 0)
    return slice(int(first) - 1, None if last == float("inf") else int(last))


def _last_place(tests: PositionTests) -> int | None:
    """The last position that can pass, if the tests name one: `position() = (1, 4)`."""
    named = [asked for op, asked in tests if op == "=" and asked and all(type(one) is int for one in asked)]
    return max(0, min(max(asked) for asked in named)) if named else None


_PLAIN_NUMBERS = frozenset({int, float, Decimal})
_LARGEST = 2**50
"""No sequence is as long as this."""


def _passing(op: str, number: Any) -> tuple[float, float]:
    """The first and the last position that compare this way with a number."""
    none = (float("inf"), 0.0)
    if number != number:
        return none
    number = float(number) if abs(number) > _LARGEST else number
    if abs(number) > _LARGEST:
        is_all = op in (("<", "<=", "lt", "le") if number > 0 else (">", ">=", "gt", "ge"))
        return (1.0, float("inf")) if is_all else none
    below, above = floor(number), ceil(number)
    match op:
        case "=" | "eq":
            return (below, below) if below == above else none
        case "<" | "lt":
            return 1.0, above - 1
        case "<=" | "le":
            return 1.0, below
        case ">" | "gt":
            return below + 1, float("inf")
    return above, float("inf")


def _by_comparing(items: Iterable[Any], tests: PositionTests) -> Iterator[Any]:
    for position, item in enumerate(items, 1):
        if all(_compares(op, position, asked) for op, asked in tests):
            yield item


def _compares(op: str, position: int, asked: Sequence[Any]) -> bool:
    if op in OPERATORS:
        if len(asked) > 1:
            raise DynamicError("XPTY0004", f"an operand of {op} is {len(asked)} items; it takes one")
        return OPERATORS[op](position, asked[0])
    return general_compare(op, [position], asked)


def last_item(items: Iterable[Any]) -> Any:
    if isinstance(items, (list, tuple, range)):
        return items[-1] if items else None
    found = None
    for found in items:  # noqa: B007
        pass
    return found


def predicate_holds(value: Iterable[Any], position: int) -> bool:
    """The truth of a predicate at a position: a number is compared with it; any other value has its boolean value."""
    read = list(islice(value, 2))
    if len(read) == 1 and is_number(read[0]):
        return bool(read[0] == position)
    return effective_boolean(read)


def by_number_or_truth(items: Iterable[Any], asked: Callable[[], Sequence[Any]]) -> Iterable[Any]:
    """items[asked], for a value that does not depend on the item: it is computed once, and only if there is an item."""
    if not isinstance(items, (list, tuple, range)):
        return _read_by_number_or_truth(iter(items), asked)
    if not items:
        return ()
    places = places_of(asked())
    return items if places is None else items[places]


def _read_by_number_or_truth(items: Iterator[Any], asked: Callable[[], Sequence[Any]]) -> Iterator[Any]:
    for item in items:
        places, whole = places_of(asked()), chain((item,), items)
        yield from whole if places is None else islice(whole, places.start, places.stop)
        return


def places_of(value: Sequence[Any]) -> slice | None:
    """The places that a predicate with this value selects; None for all of them."""
    if len(value) == 1 and is_number(value[0]):
        number = value[0]
        if number == number and abs(number) != float("inf") and number == int(number) and number >= 1:
            return slice(int(number) - 1, int(number))
        return slice(0, 0)
    return None if effective_boolean(value) else slice(0, 0)


def is_number(item: Any) -> bool:
    kind = type_of(item)
    return kind is not None and kind.derives_from(NUMERIC)
