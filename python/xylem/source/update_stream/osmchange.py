"""OpenStreetMap: extracts and change files. The key of an object is its type and id, its version orders its changes.

A change file may hold several versions of an object, in any order: they are applied by version, duplicates are dropped,
gaps are reported. A file is one commit, at the greatest timestamp in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from xylem.errors import InputError
from xylem.values.qname import QName
from xylem.values.saved_state import saved

from ..limits import DEFAULT_LIMITS, Limits
from .keyed import NO_KEY, KeyedFeed
from .operations import End, Event, Operation, Start
from .records import Path, Record, records, value_of
from .times import seconds_of

_OBJECTS = ("node", "way", "relation")


@saved("osmchange-feed", 2, fields=("versions", "known", "has_base"))
@dataclass
class OsmFeed(KeyedFeed):
    """The state of the map: its base is an empty `<osm>`."""

    time: Path | None = ("@timestamp",)
    version: Path | None = ("@version",)

    def operations(self, chunks: Iterable[bytes], limits: Limits = DEFAULT_LIMITS) -> Iterator[Operation]:
        if not self.has_base:
            yield self.base([Start(QName("", "osm"))], commits=False)
        changes: dict[str, list[tuple[Record, bool]]] = {}
        times: list[Decimal] = []
        action = ""
        for found in self._objects(chunks, limits):
            if isinstance(found, str):
                action = found
                continue
            try:
                key, time = _object_key(found), self.time_of(found)
            except InputError as error:
                yield self._refused(found, error)
                continue
            # Extracts with history have deleted objects, too.
            is_gone = action == "delete" or value_of(found, ("@visible",)) == "false"
            changes.setdefault(key, []).append((found, is_gone))
            times += () if time is None else (time,)
        yield self._batch(changes, max(times, default=None))

    def _batch(self, changes: dict[str, list[tuple[Record, bool]]], time: Decimal | None) -> Operation:
        events: list[Event] = []
        first: Record | None = None
        for key, found in changes.items():
            for record, is_gone in sorted(found, key=_version):
                first = first or record
                if self._is_new(key, record):
                    events += self.removal(key, record) if is_gone else self.put(key, record)
        where = None if first is None else first.where
        return Operation("updates" if events else "commit", events, time, where=where)

    def _objects(self, chunks: Iterable[bytes], limits: Limits) -> Iterator[Record | str]:
        """The objects of a file; in a change file after the requested action."""
        depth = 0
        for found in records(chunks, _is_object, limits, self.origin):
            if isinstance(found, Record):
                yield found
            elif isinstance(found, Start):
                depth += 1
                if depth == 2:
                    yield found.name.local
            elif isinstance(found, End):
                depth -= 1


def _is_object(names: Sequence[str]) -> bool:
    within = 2 if names[0] == "osmChange" else 1
    return len(names) == within + 1 and names[-1] in _OBJECTS


def _object_key(record: Record) -> str:
    name = next(event.name.local for event in record.events if isinstance(event, Start))
    id = value_of(record, ("@id",))
    if id is None:
        raise InputError(NO_KEY, f"<{name}> has no @id")
    return f"{name}/{id}"


def _version(change: tuple[Record, bool]) -> Decimal:
    return seconds_of(value_of(change[0], ("@version",)) or "") or Decimal(0)
