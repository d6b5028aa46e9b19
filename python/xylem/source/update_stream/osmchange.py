"""OpenStreetMap: extracts and change files. The key of an object is its type and id, its version orders its changes.

A change file may hold several versions of an object, in any order: they are applied by version, duplicates are dropped,
gaps are told. A file is one commit, at the greatest timestamp in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from xylem.values.qname import QName
from xylem.values.saved_state import saved

from ..limits import DEFAULT_LIMITS, Limits
from .keyed import KeyedFeed
from .operations import End, Event, Operation, Start
from .records import Record, records, value_of
from .times import seconds_of


@saved("osmchange-feed", 1, fields=("versions", "known", "has_base"))
@dataclass
class OsmFeed(KeyedFeed):
    """The state of the map: its base is an empty `<osm>`."""

    def operations(self, chunks: Iterable[bytes], limits: Limits = DEFAULT_LIMITS) -> Iterator[Operation]:
        if not self.has_base:
            yield self.base([Start(QName("", "osm"))], commits=False)
        changes: list[tuple[str, Record, bool]] = []
        action = ""
        for found in _objects(chunks, limits):
            if isinstance(found, str):
                action = found
            else:
                name = next(event.name.local for event in found.events if isinstance(event, Start))
                changes.append((f"{name}/{value_of(found, ('@id',))}", found, action == "delete"))
        yield self._batch(changes)

    def _batch(self, changes: list[tuple[str, Record, bool]]) -> Operation:
        self.version = ("@version",)
        changes.sort(key=lambda change: seconds_of(value_of(change[1], ("@version",)) or "") or Decimal(0))
        events: list[Event] = []
        for key, record, is_gone in changes:
            if self._is_new(key, record):
                events += self.removal(key) if is_gone else self.put(key, record)
        times = [seconds_of(value_of(record, ("@timestamp",)) or "") for _, record, _ in changes]
        known = [time for time in times if time is not None]
        return Operation("updates" if events else "commit", events, max(known) if known else None)


def _objects(chunks: Iterable[bytes], limits: Limits) -> Iterator[Record | str]:
    """The objects of a change file, each after the action that is asked for them; those of an extract are created."""
    is_change = False
    depth = 0
    for found in records(chunks, ("osmChange", "*", "*"), limits):
        if isinstance(found, Record):
            yield found
        elif isinstance(found, Start):
            depth += 1
            is_change = is_change or found.name.local == "osmChange"
            if is_change and depth == 2:
                yield found.name.local
        elif isinstance(found, End):
            depth -= 1
