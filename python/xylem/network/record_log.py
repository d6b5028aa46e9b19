"""A stream as a log of records, which are numbered by position and can be read again.

The log keeps its entries in files (`log_files.py`) or in a topic of Kafka (`log_topic.py`): a header with the elements
around the records, then one for each addition. Each addition has a checksum; a mismatch is XYRT0033.

A log may be limited in bytes or age (`LogLimits`): its oldest pieces are then removed, and its base moves up.

The log of a stream that was filtered, or begun late, has records at some positions only; positions are those of the
source, anywhere in the network. The end of a log is the position up to which it is complete.
"""

from __future__ import annotations

import re
import time
from base64 import b64decode, b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

from xylem.errors import InputError
from xylem.source.record_end import tag_names

from .log_files import LogFiles
from .log_store import LogLimits, LogStore, Piece

_DECLARATION = re.compile(rb"""^<\?xml\s+version\s*=\s*["']1\.0["'](\s+encoding\s*=\s*["'][Uu][Tt][Ff]-8["'])?\s*\?>""")
"""A declaration that holds for the following bytes even without it."""


@dataclass(frozen=True)
class _Addition:
    first: int
    """Position of its first record or, with gaps, of the first that it may have."""
    offset: int
    lengths: tuple[int, ...]
    crc: int
    at: tuple[int, ...] | None = None
    """Positions of its records; None if they are consecutive."""

    @property
    def size(self) -> int:
        return sum(self.lengths)

    @cached_property
    def places(self) -> list[int]:
        """The offsets where its records begin, and where the last one ends."""
        return [0, *accumulate(self.lengths)]

    def number(self, position: int) -> int:
        """The number of its records before a position."""
        if self.at is not None:
            return bisect_left(self.at, position)
        return min(max(0, position - self.first), len(self.lengths))

    def position(self, number: int) -> int:
        return self.first + number if self.at is None else self.at[number]


@dataclass(frozen=True)
class Records:
    """Some records of a log, with their positions."""

    at: list[int]
    lengths: list[int]
    data: bytes
    end: int
    """The position after them: complete up to there."""

    def each(self) -> Iterator[tuple[int, bytes]]:
        places = accumulate(self.lengths, initial=0)
        for position, (first, last) in zip(self.at, pairwise(places), strict=True):
            yield position, self.data[first:last]


class RecordLog:
    """The log of one stream. One process adds to it; the same process reads it."""

    def __init__(
        self,
        directory: Path,
        base: int = 0,
        limits: LogLimits | None = None,
        clock: Callable[[], float] = time.time,
        store: LogStore | None = None,
    ) -> None:
        """`base` is the first position of a new log. Without a store, its entries are in files."""
        self._store = LogFiles(directory, limits, clock) if store is None else store
        self._additions: list[_Addition] = []
        self._firsts: list[int] = []
        self.opening = b""
        """The opening tags before the records; empty before the first one has arrived."""
        self.base = 0
        """The first position that it has."""
        self.end = 0
        """The position after the last record; records missing before it are known not to be in the log."""
        self.count = 0
        """Number of records."""
        self.parts: dict[str, int] = {}
        """For a merged stream: the position reached in each part."""
        self.bytes = 0
        self._last_read: tuple[_Addition, bytes] | None = None
        """An addition may be read in many pieces."""
        is_new = True
        for entry in self._store.entries():
            if is_new and "state" in entry:
                self._restore(entry)
            is_new = False
            if "open" in entry:
                self.opening = b64decode(entry["open"])
            elif "base" in entry:
                self.base = self.end = entry["base"]
            elif "file" in entry:
                self._store.pieces.append(Piece(entry["file"], entry["time"]))
            elif "forget" in entry:
                self._remove(entry["forget"], entry["from"])
            else:
                self._know(entry)
        if is_new and base:
            self._store.write({"base": base})
            self.base = self.end = base

    @property
    def closing(self) -> bytes:
        """The end tags that would follow the records if the stream ended."""
        return b"".join(b"</%s>" % name for name in reversed(tag_names(self.opening)))

    @property
    def depth(self) -> int:
        """The number of elements around each record."""
        return len(tag_names(self.opening))

    def close(self) -> None:
        self._store.close()

    def destroy(self) -> None:
        """Remove the log completely, wherever it is."""
        self._store.destroy()

    def _state(self) -> dict[str, Any]:
        """The state apart from the additions, for a piece that begins after them."""
        known = {"end": self.end, "bytes": self.bytes, "count": self.count, "parts": self.parts}
        return {**known, "opening": b64encode(self.opening).decode()}

    def _restore(self, entry: dict[str, Any]) -> None:
        """Restore the state at the beginning of a piece: earlier pieces are gone."""
        state = entry["state"]
        self.opening, self.parts = b64decode(state["opening"]), state["parts"]
        self.base = self.end = state["end"]
        self.bytes, self.count = state["bytes"], state["count"]
        self._store.pieces.clear()

    def takes(self, opening: bytes) -> bool:
        """Whether records below these elements can be added to the log."""
        return not self.opening or _DECLARATION.sub(b"", self.opening) == _DECLARATION.sub(b"", opening)

    def begin(self, opening: bytes) -> None:
        """Set the elements around the records, the same for all; XYRT0052 if they differ from the stored ones."""
        if not self.opening:
            self._store.write({"open": b64encode(opening).decode()})
            self.opening = opening
        elif not self.takes(opening):
            told = f"they stand in {_shown(opening)}, those of the stream in {_shown(self.opening)}"
            raise InputError("XYRT0052", told)

    def append(self, records: list[bytes], parts: Mapping[str, int] | None = None) -> int:
        """Add records; when this returns they are on disk. Return the position after them.

        `parts` are positions in the source streams, if this one merges others.
        """
        return self.append_at(records, None, self.end + len(records), parts)

    def append_at(
        self, records: list[bytes], at: list[int] | None, end: int, parts: Mapping[str, int] | None = None
    ) -> int:
        """Add records at positions, up to one after which the next may come; no positions for all up to there."""
        entry: dict[str, Any] = {"to": end}
        data = b"".join(records)
        if records:
            entry = {"n": [len(record) for record in records], "crc": crc32(data)}
            if at is not None and (len(at) != end - self.end or at[0] != self.end):
                entry |= {"at": at, "to": end}
        elif end == self.end and not parts:
            return end
        if parts:
            entry["parts"] = dict(parts)
        if records:
            self._store.add(entry, data, self.bytes, self._state())
        else:
            self._store.write(entry)
        self._know(entry)
        if records:
            # Those who follow the stream read it now.
            self._last_read = self._additions[-1], data
        return self.end

    @property
    def kept_bytes(self) -> int:
        """The bytes of records that it has not removed."""
        return self.bytes - self._store.pieces[0].offset

    def forget(self, before: int) -> bool:
        """Remove pieces that exceed the limits and whose records are all before a position; return whether any were."""
        limits, now, gone = self._store.limits, self._store.clock(), 0
        for following in self._store.pieces[1:]:
            is_old = limits.seconds is not None and following.begun < now - limits.seconds
            is_much = limits.bytes is not None and self.bytes - following.offset >= limits.bytes
            if not (is_old or is_much) or self._first_at(following.offset) > before:
                break
            gone = following.offset
        if not gone:
            return False
        base = self._first_at(gone)
        # Recorded first: leftovers of a crash are removed when the log is opened again.
        self._store.write({"forget": gone, "from": base})
        self._remove(gone, base)
        return True

    def _first_at(self, offset: int) -> int:
        """The position of the first record from an offset on."""
        number = bisect_left(self._additions, offset, key=lambda one: one.offset)
        return self._firsts[number] if number < len(self._firsts) else self.end

    def _remove(self, offset: int, base: int) -> None:
        self._last_read = None
        self.base = base
        self._store.forgotten(offset)

    def _know(self, entry: dict[str, Any]) -> None:
        self.parts |= entry.get("parts", {})
        lengths = entry.get("n")
        if lengths is None:
            self.end = entry["to"]
            return
        at = tuple(entry["at"]) if "at" in entry else None
        self._additions.append(_Addition(self.end, self.bytes, tuple(lengths), entry["crc"], at))
        self._firsts.append(self.end)
        self.end = entry.get("to", self.end + len(lengths))
        self.bytes += sum(lengths)
        self.count += len(lengths)

    def bytes_before(self, position: int) -> int:
        """The bytes of the records before a position."""
        number = bisect_right(self._firsts, position) - 1
        if number < 0:
            return 0
        addition = self._additions[number]
        return addition.offset + addition.places[addition.number(position)]

    def read(self, start: int, end: int, most_bytes: int) -> tuple[bytes, int]:
        """Records from a position on (at least one, up to a number of bytes), and the position after them."""
        found: list[bytes] = []
        reached = start
        for addition, first, last, until in self._spans(start, end, most_bytes):
            places = addition.places
            found.append(self._bytes(addition)[places[first] : places[last]])
            reached = until
        return b"".join(found), reached

    def records(self, start: int, end: int, most_bytes: int) -> Records:
        """The same with positions."""
        found: list[bytes] = []
        at: list[int] = []
        lengths: list[int] = []
        reached = start
        for addition, first, last, until in self._spans(start, end, most_bytes):
            places = addition.places
            found.append(self._bytes(addition)[places[first] : places[last]])
            at += map(addition.position, range(first, last))
            lengths += addition.lengths[first:last]
            reached = until
        return Records(at, lengths, b"".join(found), reached)

    def _spans(self, start: int, end: int, most_bytes: int) -> Iterator[tuple[_Addition, int, int, int]]:
        """Additions, the requested records in each, and the position after these."""
        size = 0
        at = start
        number = max(0, bisect_right(self._firsts, start) - 1)
        while at < end and size < most_bytes and number < len(self._additions):
            addition = self._additions[number]
            number += 1
            places = addition.places
            first, last = addition.number(at), addition.number(end)
            until = min(end, self._firsts[number] if number < len(self._firsts) else self.end)
            while last > first + 1 and size + places[last] - places[first] > most_bytes:
                # Halves, and not one record less each time: an addition may have very many.
                last = first + (last - first) // 2
                until = addition.position(last)
            size += places[last] - places[first]
            at = until
            yield addition, first, last, at
            if last < addition.number(end):
                return
        if at < end and size < most_bytes:
            # There is nothing more up to there.
            yield _NOTHING, 0, 0, min(end, max(at, self.end))

    def _bytes(self, addition: _Addition) -> bytes:
        if not addition.lengths:
            return b""
        if self._last_read is None or self._last_read[0] is not addition:
            self._last_read = addition, self._read(addition)
        return self._last_read[1]

    def _read(self, addition: _Addition) -> bytes:
        data = self._store.read(addition.offset, addition.size)
        if crc32(data) != addition.crc:
            told = f"the {addition.size:,} bytes from byte ? on are not what came"
            raise self._store.damage(addition.offset, told)
        return data


_NOTHING = _Addition(0, 0, (), 0)


def _shown(opening: bytes) -> str:
    return opening.decode("utf-8", "replace")[:60]
