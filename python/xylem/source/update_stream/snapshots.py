"""Polled feeds: each document is the whole state, and keys show the changes from one to the next.

A new key is inserted before the record that follows it, a vanished one is removed, another content replaces. A
document is one commit. What stands around the records is that of the first document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from xylem.values.saved_state import saved

from ..limits import DEFAULT_LIMITS, Limits
from .keyed import ANCHOR, KeyedFeed
from .operations import Event, Operation
from .records import Record, records, value_of
from .times import seconds_of


@saved("snapshot-feed", 1, fields=("versions", "known", "has_base", "present"))
@dataclass
class SnapshotFeed(KeyedFeed):
    """What tells the records of the last document from others."""

    present: dict[str, bytes] = field(default_factory=dict)
    """By key, a digest of each."""

    def operations(self, chunks: Iterable[bytes], limits: Limits = DEFAULT_LIMITS) -> Iterator[Operation]:
        around: list[Event] = []
        found: dict[str, Record] = {}
        for each in records(chunks, self.record, limits):
            if isinstance(each, Record):
                key = value_of(each, self.key)
                if key is None:
                    refused = self.update(each)
                    assert refused is not None
                    yield refused
                else:
                    found.setdefault(key, each)
            elif not found:
                around.append(each)
        if not self.has_base:
            yield self.base(around, commits=False)
        yield self._difference(found)

    def _difference(self, found: dict[str, Record]) -> Operation:
        events: list[Event] = []
        for key in self.present:
            if key not in found:
                events += self.removal(key)
        following = ANCHOR
        digests = {key: _digest(record) for key, record in found.items()}
        for key in reversed(found):
            if self.present.get(key) != digests[key]:
                events += self.put(key, found[key], following)
            following = key
        self.present = digests
        times = [seconds_of(value_of(record, self.time) or "") for record in found.values()] if self.time else []
        known = [time for time in times if time is not None]
        return Operation("updates" if events else "clock", events, max(known) if known else None)


def _digest(record: Record) -> bytes:
    return blake2b(repr(record.events).encode("utf-8", "surrogatepass"), digest_size=16).digest()
