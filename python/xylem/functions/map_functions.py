"""Functions on maps (F&O 3.1 §17.1)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.description import describe
from xylem.values.function_item import FunctionItem
from xylem.values.map import Entry, XMap

from .registry import function

_DUPLICATES = ("reject", "use-first", "use-last", "use-any", "combine")


@function("map:merge", "map(*)*, map(*)", "map(*)", lazy="maps")
def merge(maps: Iterable[XMap], options: XMap | None = None) -> XMap:
    duplicates = "use-first" if options is None else _duplicates_option(options)
    if duplicates == "use-last":
        return _merge_last(maps)
    if duplicates == "combine":
        return _merge_combined(maps)
    entries: dict[Hashable, Entry] = {}
    for one in maps:
        for key, entry in one.same_keys():
            if entries.setdefault(key, entry) is not entry and duplicates == "reject":
                raise DynamicError("FOJS0003", f"two maps have the key {entry[0]!s}")
    return XMap(entries)


def _merge_last(maps: Iterable[XMap]) -> XMap:
    entries: dict[Hashable, Entry] = {}
    for one in maps:
        entries.update(one.same_keys())
    return XMap(entries)


def _merge_combined(maps: Iterable[XMap]) -> XMap:
    # Values are gathered in lists, so that combining many under one key is not quadratic.
    gathered: dict[Hashable, tuple[Any, list[Any]]] = {}
    for one in maps:
        for sameness, (key, value) in one.same_keys():
            gathered.setdefault(sameness, (key, []))[1].extend(value)
    return XMap({sameness: (key, value) for sameness, (key, value) in gathered.items()})


def _duplicates_option(options: XMap) -> str:
    """The option parameter conventions (F&O 3.1 §1.5): unknown options are ignored, wrong values are not."""
    value = options.get("duplicates")
    if value is None:
        return "use-first"
    if len(value) != 1 or not isinstance(value[0], str):
        raise DynamicError("XPTY0004", f"the option duplicates: expected xs:string, found {describe(value)}")
    if value[0] not in _DUPLICATES:
        raise DynamicError("FOJS0005", f'the option duplicates is "{value[0]}", not one of {", ".join(_DUPLICATES)}')
    return str(value[0])


@function("map:size", "map(*)", "xs:integer")
def size(of: XMap) -> int:
    return len(of)


@function("map:keys", "map(*)", "xs:anyAtomicType*")
def keys(of: XMap) -> Iterator[Any]:
    return of.keys()


@function("map:contains", "map(*), xs:anyAtomicType", "xs:boolean")
def contains(within: XMap, key: Any) -> bool:
    return within.contains(key)


@function("map:get", "map(*), xs:anyAtomicType", "item()*")
def get(of: XMap, key: Any) -> Sequence[Any]:
    return of.get(key) or ()


@function("map:find", "item()*, xs:anyAtomicType", "array(*)", lazy="sequence")
def find(sequence: Iterable[Any], key: Any) -> XArray:
    """The values of a key in all maps, including those inside maps and arrays, from the outside in."""
    found: list[Sequence[Any]] = []
    waiting: list[Iterator[Any]] = [iter(sequence)]
    while waiting:
        for item in waiting[-1]:
            if isinstance(item, XMap):
                value = item.get(key)
                if value is not None:
                    found.append(value)
                waiting.append(_items_of(item.values()))
                break
            if isinstance(item, XArray):
                waiting.append(_items_of(item))
                break
        else:
            waiting.pop()
    return XArray(found)


def _items_of(sequences: Iterable[Sequence[Any]]) -> Iterator[Any]:
    return (item for sequence in sequences for item in sequence)


@function("map:put", "map(*), xs:anyAtomicType, item()*", "map(*)")
def put(into: XMap, key: Any, value: Sequence[Any]) -> XMap:
    return into.put(key, value)


@function("map:entry", "xs:anyAtomicType, item()*", "map(*)")
def entry(key: Any, value: Sequence[Any]) -> XMap:
    return XMap.of(((key, value),))


@function("map:remove", "map(*), xs:anyAtomicType*", "map(*)", lazy="keys")
def remove(of: XMap, keys: Iterable[Any]) -> XMap:
    return of.remove(keys)


@function("map:for-each", "map(*), function(xs:anyAtomicType, item()*) as item()*", "item()*")
def for_each(of: XMap, action: FunctionItem) -> Iterator[Any]:
    call = action.call
    for key, value in of.items():
        yield from call(key, value)
