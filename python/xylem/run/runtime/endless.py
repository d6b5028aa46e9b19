"""Possibly infinite sequences in generated code: several readers share one, and no reader collects it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from xylem.errors import DynamicError, InputError
from xylem.functions.context import Context, RunPart
from xylem.functions.distinct_values import key_function
from xylem.values.atomize import atomize
from xylem.values.conversion import convert
from xylem.values.description import describe_item
from xylem.values.node import Node
from xylem.values.sequence_type import AtomicItem, SequenceType


class SharedItems:
    """The items of one infinite value for its readers.

    Holds:  nothing for a single reader; else the items that some reader has yet to pass, or all of them if the number
            of readers is unknown. XYDY0010 beyond the limit.
    """

    def __init__(self, items: Iterable[Any], readers: int | None, limit: int, what: str) -> None:
        self._items = iter(items)
        self._readers = readers
        self._limit = limit
        self._what = what
        self._kept: deque[Any] = deque()
        self._gone = 0
        self._places: list[int] = []

    def __iter__(self) -> Iterator[Any]:
        if self._readers == 1 and not self._places:
            self._places.append(0)
            return self._items
        return self._read()

    def _read(self) -> Iterator[Any]:
        number = len(self._places)
        self._places.append(self._gone)
        while True:
            place = self._places[number]
            if place < self._gone:
                raise DynamicError("XYDY0010", f"{self._what} is read again, but its first items are gone")
            if place - self._gone < len(self._kept):
                item = self._kept[place - self._gone]
            else:
                try:
                    item = next(self._items)
                except StopIteration:
                    return
                self._keep(item)
            self._places[number] = place + 1
            self._forget()
            yield item

    def _keep(self, item: Any) -> None:
        self._kept.append(item)
        if len(self._kept) > self._limit:
            raise DynamicError("XYDY0010", f"more than {self._limit:,} items of {self._what} wait for another reader")

    def _forget(self) -> None:
        if self._readers is None or len(self._places) < self._readers:
            return
        passed = min(self._places)
        while self._gone < passed:
            self._kept.popleft()
            self._gone += 1


def stream_items(run: RunPart, name: str, readers: int | None) -> Iterable[Any]:
    """stream("name"): the items of a named source, in the order of their arrival."""
    found = run.streams.get(name)
    if found is None:
        known = ", ".join(sorted(run.streams)) or "none"
        raise InputError("XYIN0030", f"{name!r}; there are: {known}")
    if not isinstance(found, SharedItems):
        found = run.streams[name] = SharedItems(found, readers, run.held_items, f'stream("{name}")')
    return found


def external_items(value: Any, expected: SequenceType, what: str) -> Iterator[Any]:
    """The items of an infinite external variable, each converted to the declared type on arrival."""
    one = SequenceType(expected.item)
    accepts = expected.item.accepts
    # For an atomic type, one check per class of values is enough.
    known: set[type] | None = set() if isinstance(expected.item, AtomicItem) else None
    for item in value:
        if known is not None and type(item) in known:
            yield item
        elif accepts(item):
            if known is not None:
                known.add(type(item))
            yield item
        else:
            yield assigned((item,), one, what)


def assigned(items: Any, expected: SequenceType, what: str) -> Any:
    """A value converted to a declared type; an integer also to a type derived from xs:integer that holds it.

    `declare variable $max as xs:int := 0` in sequential programs (windows paper, 5.2) and numbers from Python need
    this.
    """
    from xylem.values.atomic_type import INTEGER
    from xylem.values.casting import cast

    item = expected.item
    if isinstance(item, AtomicItem) and item.type.derives_from(INTEGER) and item.type is not INTEGER:
        items = [cast(value, item.type) if type(value) is int else value for value in items]
    return convert(items, expected, what)


def checked_items(items: Iterable[Any], expected: SequenceType, what: str) -> Iterator[Any]:
    """The items of an infinite value, each checked against its declared type on arrival."""
    accepts = expected.item.accepts
    for item in items:
        if not accepts(item):
            raise DynamicError("XPTY0004", f"{what} must be {expected}, found {describe_item(item)}")
        yield item


def each_step(step: Callable[[Any], Iterable[Any]], nodes: Iterable[Any]) -> Iterator[Any]:
    """A step from each node on arrival. Nodes of a stream are separate: no node is reached twice."""
    for node in nodes:
        if type(node) is not Node:
            raise DynamicError("XPTY0019", f"found {describe_item(node)}")
        yield from step(node)


def each_typed_value(items: Iterable[Any]) -> Iterator[Any]:
    """Atomised items, one after the other."""
    for item in items:
        yield from (item.typed_value,) if type(item) is Node else atomize((item,))


def distinct_within(ctx: Context, values: Iterable[Any], uri: str | None = None) -> Iterator[Any]:
    """fn:distinct-values over an infinite sequence: XYDY0010 beyond the limit."""
    key_of = key_function(ctx, uri)
    limit = ctx.run.held_items
    seen = set()
    for value in values:
        key = key_of(value)
        if key not in seen:
            seen.add(key)
            if len(seen) > limit:
                raise DynamicError("XYDY0010", f"more than {limit:,} different values in distinct-values()")
            yield value
