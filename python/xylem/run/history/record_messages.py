"""Messages of a keyed feed whose records have been evaluated: how a task writes them, and how the answer reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xylem.errors import DynamicError
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.update_stream.keyed import KeyedFeed
from xylem.source.update_stream.operations import End, Event, Operation, Start, Text
from xylem.source.update_stream.records import ReadRecord, Record, records
from xylem.source.update_stream.saved_operations import operation_of, plain_operation
from xylem.values.state_codec import DamagedState
from xylem.values.state_values import decoded, encoded

from .record_rows import RecordRows

__all__ = ["evaluated_message", "records_in"]


def evaluated_message(message: bytes, feed: KeyedFeed, rows: RecordRows, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """A document of the feed with the rows of each record, and the values that turn it into an update."""
    around: list[Event] = []
    open_elements: list[Start] = []
    found: list[tuple[Any, ...]] = []
    for one in records([message], feed.record, limits):
        if isinstance(one, Record):
            start = one.events[0]
            assert isinstance(start, Start)
            values = [one.value(path) for path in feed.paths]
            found.append((start.name, one.where, values, rows.of(one, open_elements)))
            continue
        if not found:
            around.append(one)
        if isinstance(one, Start):
            open_elements.append(one)
        elif isinstance(one, End):
            open_elements.pop()
    return encoded((plain_operation(Operation("base", around)), found))


def records_in(message: bytes, feed: KeyedFeed) -> Iterator[Record | Event]:
    """The input of `evaluated_message`: each record with its rows as its only content."""
    try:
        base, found = decoded(message)
    except (DamagedState, ValueError) as reason:
        raise DynamicError("XYRT0033", f"the records of a batch: {reason}") from reason
    yield from operation_of(base).events
    paths = feed.paths
    for name, where, values, rows in found:
        events = (Start(name), Text(rows), End())
        yield ReadRecord(events, where, b"", tuple(zip(paths, values, strict=True)))
