"""Maps, arrays and lookups in generated code (XQuery 3.1 §3.11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.atomic import type_of
from xylem.values.atomic_type import INTEGER
from xylem.values.casting import cast, string_of
from xylem.values.map import XMap
from xylem.values.strings import UntypedAtomic


def no_context_item(reason: str) -> NoReturn:
    raise DynamicError("XPDY0002", reason or "there is no context item here")


def spaced(atoms: Iterable[Any]) -> str:
    """Atomic values as strings, one space between them."""
    return " ".join(map(string_of, atoms))


def text_of_nodes(nodes: list[Any]) -> str:
    """The typed values of nodes as strings, one space between them; usually the characters of one node."""
    if len(nodes) == 1:
        return nodes[0].string_value  # type: ignore[no-any-return]
    return " ".join(node.string_value for node in nodes)


def new_map(pairs: Iterable[tuple[Any, Sequence[Any]]]) -> XMap:
    """A map of literal entries; a key given twice is XQDY0137."""
    pairs = list(pairs)
    made = XMap.of(pairs)
    if len(made) != len(pairs):
        raise DynamicError("XQDY0137")
    return made


def item_at(of: XMap, key: Any) -> Any:
    """The item for a key that is its own `same_key`, in a map whose values are single items; None if absent."""
    places = of._places
    if places is not None:
        place = places.get(key)
        return None if place is None else of._items[place]
    entries = of._entries
    found = entries.get(key) if type(entries) is dict else of.entry(key)
    return None if found is None else found[1][0]


class OtherRow(tuple[Any, ...]):
    """The items at the same names in a map that does not have the layout of the record."""

    map: XMap


def row_at(of: XMap, key: Any, places: Mapping[str, int]) -> tuple[Any, ...] | None:
    """The items at these places of the record for a key that is its own `same_key`; None if absent."""
    if of._row_places is places:
        return of._rows.get(key)
    found = item_at(of, key)
    if found is None:
        return None
    if found._places is places:
        items: tuple[Any, ...] = found._items
        return items
    row = OtherRow(item_at(found, name) for name in places)
    row.map = found
    return row


def record_of_row(places: Mapping[str, int], row: tuple[Any, ...]) -> XMap:
    """The map that `row_at` found."""
    return row.map if type(row) is OtherRow else XMap.record(places, row)


def items_at(of: XMap, key: Any) -> Sequence[Any]:
    """The value for a key that is its own `same_key`."""
    entries = of._entries
    found = entries.get(key) if type(entries) is dict else of.entry(key)
    return () if found is None else found[1]


def look_up(items: Iterable[Any], keys: Sequence[Any]) -> Iterator[Any]:
    """items?key for each item and each key."""
    for item in items:
        if isinstance(item, XMap):
            for key in keys:
                yield from item.get(key) or ()
        elif isinstance(item, XArray):
            for key in keys:
                yield from array_member(item, key)
        else:
            raise _not_a_container(item)


def look_up_all(items: Iterable[Any]) -> Iterator[Any]:
    """items?*"""
    for item in items:
        if isinstance(item, XMap):
            for _, value in item.items():
                yield from value
        elif isinstance(item, XArray):
            for member in item:
                yield from member
        else:
            raise _not_a_container(item)


def array_member(array: XArray, key: Any) -> Sequence[Any]:
    """The member at a 1-based position."""
    if type(key) is UntypedAtomic:
        key = cast(key, INTEGER)
    kind = type_of(key)
    if kind is None or not kind.derives_from(INTEGER):
        raise DynamicError("XPTY0004", f"an array is looked up by an integer, not by {kind}")
    if not 1 <= key <= len(array):
        raise DynamicError("FOAY0001", f"position {key} of an array of {len(array)}")
    member: Sequence[Any] = array[key - 1]
    return member


def _not_a_container(item: Any) -> DynamicError:
    return DynamicError("XPTY0004", f"the lookup operator ? needs a map or an array, found {item!r:.60}")
