"""Functions on arrays (F&O 3.1 §17.3). Positions count from 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.coercion import member_at
from xylem.values.function_item import FunctionItem
from xylem.values.sequence_type import as_sequence

from .registry import function


def _check_position(position: int, last: int) -> None:
    if not 1 <= position <= last:
        raise DynamicError("FOAY0001", f"position {position} is not between 1 and {last}")


@function("array:size", "array(*)", "xs:integer")
def size(array: XArray) -> int:
    return len(array)


@function("array:get", "array(*), xs:integer", "item()*")
def get(array: XArray, position: int) -> Sequence[Any]:
    return member_at(array, position)


@function("array:put", "array(*), xs:integer, item()*", "array(*)")
def put(array: XArray, position: int, member: Sequence[Any]) -> XArray:
    _check_position(position, len(array))
    members = array.members()
    members[position - 1] = member
    return XArray(members)


@function("array:append", "array(*), item()*", "array(*)")
def append(array: XArray, member: Sequence[Any]) -> XArray:
    return array.appended(member)


@function("array:subarray", "array(*), xs:integer, xs:integer", "array(*)")
def subarray(array: XArray, start: int, length: int | None = None) -> XArray:
    last = len(array)
    _check_position(start, last + 1)
    if length is None:
        return XArray(array.members(start - 1))
    if length < 0:
        raise DynamicError("FOAY0002", f"{length}")
    if start + length > last + 1:
        raise DynamicError("FOAY0001", f"{length} members from position {start} on, in an array of {last}")
    return XArray(array.members(start - 1, start - 1 + length))


@function("array:remove", "array(*), xs:integer*", "array(*)")
def remove(array: XArray, positions: Sequence[int]) -> XArray:
    for position in positions:
        _check_position(position, len(array))
    gone = set(positions)
    return XArray([member for i, member in enumerate(array, 1) if i not in gone])


@function("array:insert-before", "array(*), xs:integer, item()*", "array(*)")
def insert_before(array: XArray, position: int, member: Sequence[Any]) -> XArray:
    _check_position(position, len(array) + 1)
    members = array.members()
    members.insert(position - 1, member)
    return XArray(members)


@function("array:head", "array(*)", "item()*")
def head(array: XArray) -> Sequence[Any]:
    return member_at(array, 1)


@function("array:tail", "array(*)", "array(*)")
def tail(array: XArray) -> XArray:
    if not len(array):
        raise DynamicError("FOAY0001", "an empty array has no tail")
    return XArray(array.members(1))


@function("array:reverse", "array(*)", "array(*)")
def reverse(array: XArray) -> XArray:
    return XArray(array.members()[::-1])


@function("array:join", "array(*)*", "array(*)", lazy="arrays")
def join(arrays: Iterable[XArray]) -> XArray:
    return XArray([member for array in arrays for member in array])


@function("array:for-each", "array(*), function(item()*) as item()*", "array(*)")
def for_each(array: XArray, action: FunctionItem) -> XArray:
    call = action.call
    return XArray([as_sequence(call(member)) for member in array])


@function("array:filter", "array(*), function(item()*) as xs:boolean", "array(*)")
def filter_(array: XArray, test: FunctionItem) -> XArray:
    call = test.call
    return XArray([member for member in array if call(member)])


@function("array:fold-left", "array(*), item()*, function(item()*, item()*) as item()*", "item()*")
def fold_left(array: XArray, zero: Sequence[Any], step: FunctionItem) -> Sequence[Any]:
    call = step.call
    folded = zero
    for member in array:
        folded = as_sequence(call(folded, member))
    return folded


@function("array:fold-right", "array(*), item()*, function(item()*, item()*) as item()*", "item()*")
def fold_right(array: XArray, zero: Sequence[Any], step: FunctionItem) -> Sequence[Any]:
    call = step.call
    folded = zero
    for member in reversed(array.members()):
        folded = as_sequence(call(member, folded))
    return folded


@function("array:for-each-pair", "array(*), array(*), function(item()*, item()*) as item()*", "array(*)")
def for_each_pair(first: XArray, second: XArray, action: FunctionItem) -> XArray:
    call = action.call
    return XArray([as_sequence(call(a, b)) for a, b in zip(first, second, strict=False)])


@function("array:flatten", "item()*", "item()*", lazy="sequence")
def flatten(sequence: Iterable[Any]) -> Iterator[Any]:
    """The items of a sequence, with arrays replaced by the items of their members at any depth."""
    waiting: list[Iterator[Any]] = [iter(sequence)]
    while waiting:
        for item in waiting[-1]:
            if isinstance(item, XArray):
                waiting.append(item_ for member in item for item_ in member)
                break
            yield item
        else:
            waiting.pop()
