"""A window cursor as data: all that it keeps, without the functions it was made with.

A cursor holds two kinds of things: what the query is, which generated code makes anew in every process (conditions,
keys, aggregate functions), and what the stream has brought (positions, open windows, totals, items). Only the second is
saved. Whatever belongs to the query is found in a cursor that has just been made, at the same place; in the saved bytes
a reference to that place stands for it. Items are saved apart, each once for as long as it is kept.

    query = of_query(fresh)                 what a cursor that has just been made has of the query
    saved = save(cursor, query, items)      bytes, and numbers of the items they refer to
    cursor = load(saved, query, items)      what that cursor would be after the same stream
"""

from __future__ import annotations

import hashlib
import pickle
from collections import deque
from collections.abc import Iterator
from enum import Enum
from functools import partial
from io import BytesIO
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NamedTuple

from xylem.errors import DynamicError, XylemError
from xylem.functions.context import Context
from xylem.functions.external import AggregateProtocol
from xylem.functions.late_items import LateItems
from xylem.values.collations import Collation
from xylem.values.node import Node

from .kept_items import KeptItems

STATE_FORMAT = 1
"""To be raised when what cursors hold means something else than before."""
_OURS = (
    *("xylem.run.windows.", "xylem.run.runtime.data_windows"),
    *("xylem.functions.extreme_values", "xylem.functions.event_order"),
)
_OF_THE_QUERY = (
    *(FunctionType, BuiltinFunctionType, MethodType, partial),
    *(Context, AggregateProtocol, Collation, LateItems),
)
_CONTAINERS = (list, tuple, deque)


class SavedCursor(NamedTuple):
    """What a cursor keeps."""

    data: bytes
    items: tuple[int, ...]
    """The numbers of the items in it, in their order."""


OfQuery = dict[str, Any]
"""What belongs to the query, by where it stands in a cursor."""


def of_query(fresh: Any) -> OfQuery:
    """The conditions and functions of a cursor that has just been made."""
    return dict(_places(fresh, ""))


def save(cursor: Any, query: OfQuery, items: KeptItems) -> SavedCursor:
    """The state of a cursor; items that are not known yet are added to `items`. XYRT0028 where it cannot be saved."""
    found = list(_nodes(cursor))
    numbers = items.numbers(found)
    stream = BytesIO()
    try:
        _Saver(stream, numbers, {id(thing): place for place, thing in query.items()}).dump(cursor)
    except (pickle.PicklingError, AttributeError, TypeError) as reason:
        raise DynamicError("XYRT0028", str(reason)) from reason
    return SavedCursor(stream.getvalue(), tuple(sorted(set(numbers.values()))))


def load(saved: SavedCursor, query: OfQuery, items: KeptItems) -> Any:
    """The cursor that was saved, with the conditions and functions of one that has just been made."""
    nodes = items.nodes(saved.items)
    return _Loader(BytesIO(saved.data), nodes, query).load()


def layout(cursor: Any) -> str:
    """What tells that a state was written by code that keeps the same things under the same names."""
    told = sorted({f"{type(part).__name__}({', '.join(sorted(_attributes(part)))})" for part in _parts(cursor)})
    return hashlib.sha256(f"{STATE_FORMAT} {told}".encode()).hexdigest()[:12]


class _Saver(pickle.Pickler):
    def __init__(self, stream: BytesIO, numbers: dict[tuple[int, int], int], places: dict[int, str]) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._numbers = numbers
        self._places = places

    def persistent_id(self, obj: Any) -> Any:
        if type(obj) is Node:
            return self._numbers[id(obj.tree), obj.pre]
        return self._places.get(id(obj)) if isinstance(obj, _OF_THE_QUERY) else None

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, XylemError):
            return type(obj), (obj.code, obj.why), {"span": obj.span, "hint": obj.hint}
        return NotImplemented


class _Loader(pickle.Unpickler):
    def __init__(self, stream: BytesIO, nodes: dict[int, Node], places: dict[str, Any]) -> None:
        super().__init__(stream)
        self._nodes = nodes
        self._places = places

    def persistent_load(self, pid: Any) -> Any:
        return self._nodes[pid] if type(pid) is int else self._places[pid]


# --- what a cursor is made of


def _is_ours(thing: Any) -> bool:
    return type(thing).__module__.startswith(_OURS) and not isinstance(thing, Enum)


def _attributes(thing: Any) -> dict[str, Any]:
    """The attributes of one of our objects, by name."""
    found = dict(getattr(thing, "__dict__", {}))
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, name):
                found[name] = getattr(thing, name)
    return found


def _parts(thing: Any) -> Iterator[Any]:
    """A cursor and the objects of ours that belong to it; not those that come and go with windows."""
    yield thing
    for value in _attributes(thing).values():
        for member in value if isinstance(value, tuple) else (value,):
            if _is_ours(member):
                yield from _parts(member)


def _places(thing: Any, place: str) -> Iterator[tuple[str, Any]]:
    """What belongs to the query, with where it stands."""
    for name, value in _attributes(thing).items():
        here = f"{place}.{name}"
        for number, member in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(member, _OF_THE_QUERY):
                yield f"{here}[{number}]", member
            elif _is_ours(member):
                yield from _places(member, f"{here}[{number}]")


def _nodes(thing: Any) -> Iterator[Node]:
    """The nodes that a cursor keeps, wherever they are."""
    waiting: list[Any] = [thing]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if type(one) is Node:
            yield one
        elif isinstance(one, _CONTAINERS):
            waiting.extend(one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif _is_ours(one) and id(one) not in seen:
            seen.add(id(one))
            waiting.extend(_attributes(one).values())



__all__ = ["STATE_FORMAT", "OfQuery", "SavedCursor", "layout", "load", "of_query", "save"]
