"""Functions on sequences: F&O 3.1 §14.1 (general) and §14.3 (cardinality).

Sequences are sliced if possible; others are read no further than necessary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import floor, inf, isinf
from sys import maxsize
from typing import Any

from xylem.errors import DynamicError

from .registry import function


def _is_re_readable(sequence: Iterable[Any]) -> bool:
    kind = type(sequence)
    return kind is list or kind is tuple or kind is range


@function("fn:empty", "item()*", "xs:boolean", lazy="sequence")
def empty(sequence: Iterable[Any]) -> bool:
    for _ in sequence:
        return False
    return True


@function("fn:exists", "item()*", "xs:boolean", lazy="sequence")
def exists(sequence: Iterable[Any]) -> bool:
    for _ in sequence:
        return True
    return False


@function("fn:head", "item()*", "item()?", lazy="sequence")
def head(sequence: Iterable[Any]) -> Any:
    for item in sequence:
        return item
    return None


@function("fn:tail", "item()*", "item()*", lazy="sequence")
def tail(sequence: Iterable[Any]) -> Iterable[Any]:
    return sequence[1:] if isinstance(sequence, (list, tuple, range)) else islice(sequence, 1, None)


@function("fn:insert-before", "item()*, xs:integer, item()*", "item()*", lazy="target inserts")
def insert_before(target: Iterable[Any], position: int, inserts: Iterable[Any]) -> Iterable[Any]:
    before = min(max(position - 1, 0), maxsize)
    if isinstance(target, (list, tuple, range)):
        return chain(target[:before], inserts, target[before:])
    items = iter(target)
    return chain(islice(items, before), inserts, items)


@function("fn:remove", "item()*, xs:integer", "item()*", lazy="target")
def remove(target: Iterable[Any], position: int) -> Iterable[Any]:
    if not 1 <= position < maxsize:
        return target
    if isinstance(target, (list, tuple, range)):
        return target if position > len(target) else chain(target[: position - 1], target[position:])
    items = iter(target)
    return chain(islice(items, position - 1), islice(items, 1, None))


@function("fn:reverse", "item()*", "item()*")
def reverse(sequence: Sequence[Any]) -> Sequence[Any]:
    return sequence[::-1]


@function("fn:subsequence", "item()*, xs:double, xs:double", "item()*", lazy="source")
def subsequence(source: Iterable[Any], start: float, length: float | None = None) -> Iterable[Any]:
    """Items at the positions p with round(start) <= p < round(start) + round(length)."""
    first = _rounded(start)
    # Not the same as an infinite length: -INF + INF is NaN, and then there are no items.
    end = inf if length is None else first + _rounded(length)
    if not first < end:  # True if either is NaN as well.
        return ()
    if first >= maxsize or end <= 1:
        return ()
    begin_index = 0 if first <= 1 else int(first) - 1
    end_index = None if end >= maxsize else int(end) - 1
    if isinstance(source, (list, tuple, range)):
        return source[begin_index:end_index]
    return islice(source, begin_index, end_index)


def _rounded(value: float) -> float:
    """fn:round on a double: halves go up."""
    if value != value or isinf(value):
        return value
    whole = floor(value)
    return float(whole if value - whole < 0.5 else whole + 1)


@function("fn:unordered", "item()*", "item()*", lazy="sequence")
def unordered(sequence: Iterable[Any]) -> Iterable[Any]:
    return sequence


@function("fn:zero-or-one", "item()*", "item()?", lazy="sequence")
def zero_or_one(sequence: Iterable[Any]) -> Any:
    items = iter(sequence)
    item = next(items, None)
    if item is not None and next(items, None) is not None:
        raise DynamicError("FORG0003")
    return item


@function("fn:one-or-more", "item()*", "item()+", lazy="sequence")
def one_or_more(sequence: Iterable[Any]) -> Iterable[Any]:
    if _is_re_readable(sequence):
        if not sequence:
            raise DynamicError("FORG0004")
        return sequence
    # The item is requested now and not when the result is read: the error belongs to this call.
    items = iter(sequence)
    first = next(items, None)
    if first is None:
        raise DynamicError("FORG0004")
    return chain((first,), items)


@function("fn:exactly-one", "item()*", "item()", lazy="sequence")
def exactly_one(sequence: Iterable[Any]) -> Any:
    items: Iterator[Any] = iter(sequence)
    item = next(items, None)
    if item is None:
        raise DynamicError("FORG0005", "there is none")
    if next(items, None) is not None:
        raise DynamicError("FORG0005", "there are several")
    return item
