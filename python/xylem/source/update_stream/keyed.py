"""Feeds of keyed records as update streams: the same key replaces, a new key is inserted, and a key may be deleted.

The container of the records is the base, with an empty region at its end before which new records are inserted. Each
record is a separate update and commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from xylem.errors import InputError
from xylem.values.saved_state import saved

from ..limits import DEFAULT_LIMITS, Limits
from .operations import DISCARD, PUT, BeginRegion, BeginUpdate, End, EndRegion, EndUpdate, Event, Operation, Start
from .records import Origin, Path, Record, leads_to, records
from .times import seconds_of, time_of

NO_KEY = "XYIN0045"
ANCHOR = "\0end"
"""The id of the region at the end of the container: no key has such a character, in XML."""
_FALSE = frozenset(("", "0", "false", "no", "n"))


@saved("keyed-feed", 2, fields=("versions", "known", "has_base"))
@dataclass
class KeyedFeed:
    """The paths to the keys, times and deletions of records, and the keys seen."""

    record: Path = ("*", "*")
    key: Path = ("@id",)
    time: Path | None = None
    version: Path | None = None
    delete: Path | None = None
    warn: Callable[[str], object] = lambda text: None
    versions: dict[str, Decimal] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    has_base: bool = False
    origin: Origin = (0, 0)
    """Start of the document being read."""

    def operations(self, chunks: Iterable[bytes], limits: Limits = DEFAULT_LIMITS) -> Iterator[Operation]:
        """The operations of one document of the feed."""
        yield from self.of_records(records(chunks, self.record, limits, self.origin))

    def of_records(self, read: Iterable[Record | Event]) -> Iterator[Operation]:
        """The operations of the records of a document, and of the content around them."""
        around: list[Event] = []
        for found in read:
            if not isinstance(found, Record):
                around.append(found)
                continue
            if not self.has_base:
                yield self.base(around)
            update = self.update(found)
            if update is not None:
                yield update
        if not self.has_base:
            yield self.base(inside_container(around, self.record))

    @property
    def paths(self) -> list[Path]:
        """The paths to keys, times and deletions of records."""
        return [one for one in (self.key, self.time, self.version, self.delete) if one is not None]

    def base(self, around: Sequence[Event], *, commits: bool = True) -> Operation:
        """The content before the first record, and the region before which records are inserted."""
        self.has_base = True
        return Operation("base", [*around, BeginRegion(ANCHOR), EndRegion()], Decimal(0), commits)

    def update(self, record: Record) -> Operation | None:
        """The update for a record; None for one that is already known."""
        key = record.value(self.key)
        if key is None:
            name = next((event.name for event in record.events if isinstance(event, Start)), "")
            return self._refused(record, InputError(NO_KEY, f"<{name}> has no {'/'.join(self.key)}"))
        try:
            time = self.time_of(record)
        except InputError as error:
            # Its version counts as not seen: the same record may come again with a valid time.
            return self._refused(record, error)
        if not self._is_new(key, record):
            return None
        events = self.events(key, record)
        return Operation("updates" if events else "clock", events, time, where=record.where, data=record.data)

    @staticmethod
    def _refused(record: Record, error: InputError) -> Operation:
        return Operation("updates", where=record.where, data=record.data, error=error)

    def time_of(self, record: Record) -> Decimal | None:
        """The time of a record; None if it has none. XYIN0044 for an invalid time."""
        written = None if self.time is None else record.value(self.time)
        return None if written is None else time_of(written)

    def _is_new(self, key: str, record: Record) -> bool:
        """Whether a record is newer than the known one of its key; reports a missing version."""
        if self.version is None:
            return True
        found = seconds_of(record.value(self.version) or "")
        if found is None:
            return True
        last = self.versions.get(key)
        if last is not None and found <= last:
            return False
        if last is not None and found > last + 1:
            self.warn(f"{key}: version {found} after {last}")
        self.versions[key] = found
        return True

    def events(self, key: str, record: Record) -> list[Event]:
        """The events of the update of a key."""
        is_gone = self.delete is not None and (record.value(self.delete) or "").strip().lower() not in _FALSE
        return self.removal(key, record) if is_gone else self.put(key, record)

    def put(self, key: str, record: Record) -> list[Event]:
        """A key gets a record."""
        self.known.add(key)
        return [BeginUpdate(PUT, ANCHOR, key, record.where), *record.events, EndUpdate()]

    def removal(self, key: str, record: Record | None = None) -> list[Event]:
        """A key loses its record; `record` says so."""
        where = None if record is None else record.where
        return [BeginUpdate(DISCARD, key, key, where), EndUpdate()] if key in self.known else []


def inside_container(around: Sequence[Event], record: Path) -> Sequence[Event]:
    """The events of a document without records, up to the end of the element that will hold them.

    If there is no such element, up to the end of the deepest one on the path.
    """
    names: list[str] = []
    best = depth = 0
    for index, event in enumerate(around):
        if isinstance(event, Start):
            names.append(event.name.local)
        elif isinstance(event, End):
            if len(names) > depth and len(names) < len(record) and leads_to(record[: len(names)], names):
                best, depth = index, len(names)
            names.pop()
    return around[:best] if depth else around
