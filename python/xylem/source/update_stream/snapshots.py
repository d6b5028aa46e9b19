"""Polled feeds: each document is the whole state, and keys show the changes from one to the next.

A new key is inserted before the record that follows it, a vanished one is removed, another content replaces. If records
have changed places, as few as possible are removed and inserted again: a record that stays keeps its history. A
document is one commit, at the greatest time in a record of it or of an earlier document: the newest record may vanish,
and time must not run back. The content around the records is that of the first document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b

from xylem.errors import InputError
from xylem.values.saved_state import saved

from ..limits import DEFAULT_LIMITS, Limits
from .keyed import ANCHOR, KeyedFeed, inside_container
from .operations import BeginUpdate, EndUpdate, Event, Operation
from .records import Record, records, value_of


@saved("snapshot-feed", 3, fields=("versions", "known", "has_base", "present", "order", "latest"))
@dataclass
class SnapshotFeed(KeyedFeed):
    """Compares the records of the last document with others."""

    present: dict[str, bytes] = field(default_factory=dict)
    """A digest of each record, by key."""
    order: list[str] = field(default_factory=list)
    """The keys in the order of their regions in the document, including vanished ones."""
    latest: Decimal | None = None
    """The greatest time so far."""

    def operations(self, chunks: Iterable[bytes], limits: Limits = DEFAULT_LIMITS) -> Iterator[Operation]:
        around: list[Event] = []
        found: dict[str, Record] = {}
        for each in records(chunks, self.record, limits, self.origin):
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
            yield self.base(around if found else inside_container(around, self.record), commits=False)
        where = next((record.where for record in found.values()), None)
        try:
            times = [time for time in map(self.time_of, found.values()) if time is not None]
        except InputError as error:
            # Skipped as a whole: the next document is compared with the previous one.
            yield Operation("updates", where=where, error=error)
            return
        self.latest = max((*times, *(() if self.latest is None else (self.latest,))), default=None)
        events = self._difference(found)
        yield Operation("updates" if events else "clock", events, self.latest, where=where)

    def _difference(self, found: dict[str, Record]) -> list[Event]:
        events: list[Event] = []
        steady = self._steady(found)
        for key in self.present:
            if key not in found or key not in steady:
                events += self.removal(key)
        self.known = {key for key in self.known if key not in found or key in steady}
        following = ANCHOR
        coming: dict[str, list[str]] = {}
        """The keys that are inserted before one, nearest first."""
        digests = {key: _digest(record) for key, record in found.items()}
        place = ANCHOR
        for key in reversed(found):
            if key in steady:
                place = key
            else:
                coming.setdefault(place, []).append(key)
            if key not in steady or self.present.get(key) != digests[key]:
                events += self._place(key, found[key], following)
            following = key
        self._reorder({key for key in found if key not in steady}, coming)
        self.present = digests
        return events

    def _place(self, key: str, record: Record, before: str) -> list[Event]:
        """A key has a record now, in a region of its own or in a new one before another."""
        kind, of = ("replace", key) if key in self.known else ("insert-before", before)
        self.known.add(key)
        return [BeginUpdate(kind, of, key, record.where), *record.events, EndUpdate()]

    def _steady(self, found: dict[str, Record]) -> set[str]:
        """The keys whose regions are in the order of the new document: as many as possible."""
        at = {key: place for place, key in enumerate(self.order)}
        keys = [key for key in found if key in at]
        return {keys[place] for place in _longest_ascending([at[key] for key in keys])}

    def _reorder(self, moved: set[str], coming: dict[str, list[str]]) -> None:
        order: list[str] = []
        for key in (*self.order, ANCHOR):
            if key not in moved:
                order += reversed(coming.get(key, ()))
                order.append(key)
        self.order = order[:-1]


def _longest_ascending(numbers: Sequence[int]) -> list[int]:
    """The indexes of a longest ascending subsequence of distinct numbers."""
    ends: list[int] = []
    """The smallest number that ends an ascending subsequence of each length."""
    at: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(at[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        at[length : length + 1] = [place]
    found: list[int] = []
    place = at[-1] if at else -1
    while place >= 0:
        found.append(place)
        place = before[place]
    return found


def _digest(record: Record) -> bytes:
    return blake2b(repr(record.events).encode("utf-8", "surrogatepass"), digest_size=16).digest()
