"""A stream of bytes as a log: segments on disk, each with a journal of places where it may be cut.

    spool/00000000.data       the bytes, as they came
    spool/00000000.cuts       a journal: a header, then a line for each mark up to which the bytes count

The line of a mark has a checksum of the bytes since the previous one, and the header records the size of the previous
segment's journal; so changed bytes are XYRT0033, and so are missing ones.

A segment holds (a part of) one document or a run of messages, and starts at a cut itself. A position is a segment and a
byte offset in it; only positions in the journal exist. Bytes after the last of them do not count yet. A growing file is
itself such a segment: then there is only a journal, whose header names the file.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

from xylem.run.durable_files import Journal, Reached
from xylem.run.sealed_file import damaged, missing
from xylem.source.byte_ranges import ByteRange, CutPoint


@dataclass(frozen=True, order=True)
class Position:
    """A position in the log; positions sort in log order."""

    segment: int = 0
    byte_offset: int = 0

    def to_offset(self) -> dict[str, int]:
        """In the form that Spark keeps in a checkpoint."""
        return {"segment": self.segment, "bytes": self.byte_offset}

    @classmethod
    def from_offset(cls, offset: dict[str, Any]) -> Position:
        return cls(int(offset["segment"]), int(offset["bytes"]))


@dataclass(frozen=True)
class Mark:
    """A mark up to which bytes count, with its context if it is inside a document."""

    position: Position
    arrived_ms: int
    cut: CutPoint | None = None
    is_end: bool = False
    """Whether nothing follows in this document."""
    items: int = 0
    """Number of items or messages that begin before it, in this segment."""
    crc: int | None = None
    """Checksum of the bytes since the previous mark; None for those of a file that is not ours."""


@dataclass(frozen=True)
class Stretch:
    """Bytes of one segment between two marks; a task reads one or more."""

    path: str
    start: int
    end: int
    range: ByteRange | None
    """The same as a part of a document; None for messages, and for bytes that are only passed on."""
    arrived_ms: int
    """When the oldest of its bytes arrived."""
    items: int = 0
    reached: tuple[int, int] = (0, 0)
    """Its end: segment and byte offset."""

    @property
    def size(self) -> int:
        return self.end - self.start


def data_path(spool: Path, segment: int) -> Path:
    return spool / f"{segment:08}.data"


def cuts_path(spool: Path, segment: int) -> Path:
    return spool / f"{segment:08}.cuts"


class Segment:
    """The known state of one segment, from its journal."""

    def __init__(self, spool: Path, number: int) -> None:
        self.number = number
        self._journal = Journal(cuts_path(spool, number))
        self._spool = spool
        self._header: dict[str, Any] | None = None
        self.marks: list[Mark] = []

    @property
    def path(self) -> Path:
        named = (self._header or {}).get("path")
        return Path(named) if named else data_path(self._spool, self.number)

    @property
    def is_end(self) -> bool:
        """Whether its document is complete."""
        return bool(self.marks) and self.marks[-1].is_end

    def refresh(self) -> None:
        """Read the additions to the journal."""
        for entry in self._journal.unread():
            if self._header is None:
                self._header = entry
            else:
                self.marks.append(self._mark(entry))

    @property
    def reached(self) -> Reached:
        """The size of its journal."""
        return self._journal.reached

    def check(self, start: Position, end: Position, following: Segment | None) -> None:
        """XYRT0033 if its bytes between two positions have changed, or some are missing."""
        self.refresh()
        known = (following._header or {}).get("after") if following is not None else None
        if known is not None and Reached(*known) != self.reached:
            raise damaged(self._journal.path, "entries are missing at its end")
        for place in (start, end):
            if place.segment == self.number and place != Position() and not self._has(place):
                raise damaged(self._journal.path, f"it has no place at byte {place.byte_offset:,}")
        checked = [
            (before.position.byte_offset, mark)
            for before, mark in pairwise(self.marks)
            if mark.crc is not None and start < mark.position <= end
        ]
        if checked:
            self._check_bytes(checked)

    def _has(self, place: Position) -> bool:
        return any(mark.position == place for mark in self.marks)

    def _check_bytes(self, checked: list[tuple[int, Mark]]) -> None:
        try:
            with self.path.open("rb") as file:
                for start, mark in checked:
                    file.seek(start)
                    size = mark.position.byte_offset - start
                    if crc32(file.read(size)) != mark.crc:
                        raise damaged(self.path, f"the {size:,} bytes from byte {start:,} on are not what came")
        except FileNotFoundError:
            raise missing(self.path) from None

    def forget_before(self, position: Position) -> None:
        """Keep the last mark up to a position and those after it."""
        first = sum(mark.position <= position for mark in self.marks) - 1
        if first > 0:
            del self.marks[:first]

    def _mark(self, entry: dict[str, Any]) -> Mark:
        last = self.marks[-1].cut if self.marks else None
        cut = None
        if "line" in entry:
            # The context is recorded when it changes.
            opening = b64decode(entry["open"]) if "open" in entry else last.opening if last else b""
            closing = b64decode(entry["close"]) if "close" in entry else last.closing if last else b""
            cut = CutPoint(entry["at"], entry["line"], opening, closing)
        position = Position(self.number, entry["at"])
        return Mark(position, entry["ms"], cut, entry.get("end", False), entry.get("n", 0), entry.get("crc"))

    def stretch(self, first: int, last: int) -> Stretch:
        """The bytes from one mark to another, by their indexes."""
        start, end = self.marks[first], self.marks[last]
        path = str(self.path)
        part = None
        if not (self._header or {}).get("messages"):
            part = ByteRange(path, start.cut, None if end.is_end else end.cut)
        arrived_ms = self.marks[min(first + 1, last)].arrived_ms
        items = end.items - start.items
        reached = (self.number, end.position.byte_offset)
        return Stretch(path, start.position.byte_offset, end.position.byte_offset, part, arrived_ms, items, reached)


def journal_entry(mark: Mark, before: Mark | None) -> dict[str, Any]:
    """A mark as a line of the journal."""
    entry: dict[str, Any] = {"at": mark.position.byte_offset, "ms": mark.arrived_ms, "n": mark.items}
    if mark.cut is not None:
        entry["line"] = mark.cut.line
        if before is None or before.cut is None or before.cut.opening != mark.cut.opening:
            entry["open"] = b64encode(mark.cut.opening).decode()
        if before is None or before.cut is None or before.cut.closing != mark.cut.closing:
            entry["close"] = b64encode(mark.cut.closing).decode()
    if mark.is_end:
        entry["end"] = True
    if mark.crc is not None:
        entry["crc"] = mark.crc
    return entry


class SpoolLog:
    """The spool, as read by the planner of batches and the driver."""

    def __init__(self, spool: Path) -> None:
        self._spool = spool
        self._segments: dict[int, Segment] = {}

    def refresh(self) -> None:
        """Notice added and dropped segments."""
        numbers = sorted(int(path.stem) for path in self._spool.glob("*.cuts"))
        for number in [known for known in self._segments if known not in numbers]:
            del self._segments[number]
        for number in numbers:
            if number not in self._segments:
                self._segments[number] = Segment(self._spool, number)
            # Only the last of them grows, and any may be new here.
            if number == numbers[-1] or not self._segments[number].marks or self._grows(number):
                self._segments[number].refresh()

    def _grows(self, number: int) -> bool:
        return number + 1 not in self._segments or len(self._segments[number + 1].marks) <= 1

    @property
    def end(self) -> Position:
        """The position up to which bytes count."""
        return max(
            (segment.marks[-1].position for segment in self._segments.values() if segment.marks), default=Position()
        )

    def reach(self, start: Position, most_bytes: int | None) -> Position:
        """The last position within so many bytes after `start`; at least the next one there is."""
        reached, size = start, 0
        for before, mark in self._steps(start):
            size += mark.position.byte_offset - before.position.byte_offset
            if most_bytes is not None and size > most_bytes and reached != start:
                break
            reached = mark.position
        return reached

    def passed(self, start: Position, size: int) -> tuple[Position, int]:
        """The last position within so many bytes after `start`, and how many remain."""
        place = start
        for before, mark in self._steps(start):
            step = mark.position.byte_offset - before.position.byte_offset
            if step > size:
                break
            place, size = mark.position, size - step
        return place, size

    def stretches(self, start: Position, end: Position, most_bytes: int | None = None) -> list[Stretch]:
        """The bytes between two positions, in pieces of about the given size that each lie in one segment."""
        found: list[Stretch] = []
        for segment in self._between(start, end):
            indexes = [
                index
                for index, mark in enumerate(segment.marks)
                if start <= mark.position <= end or _begins(mark, start)
            ]
            found += _pieces(segment, indexes, most_bytes)
        return found

    def check(self, start: Position, end: Position) -> None:
        """XYRT0033 if the input between two positions is no longer there unchanged."""
        if end == Position():
            return
        for number in range(start.segment, end.segment + 1):
            segment = self._segments.get(number)
            if segment is None:
                raise missing(cuts_path(self._spool, number))
            segment.check(start, end, self._segments.get(number + 1))

    def drop_before(self, position: Position) -> None:
        """Drop the bytes of segments before a position."""
        for number in sorted(self._segments):
            if number >= position.segment:
                return
            data_path(self._spool, number).unlink(missing_ok=True)
            cuts_path(self._spool, number).unlink(missing_ok=True)
            del self._segments[number]

    def forget_before(self, position: Position) -> None:
        """Drop marks that no batch will begin with again; the bytes stay."""
        for segment in self._segments.values():
            segment.forget_before(position)

    def _between(self, start: Position, end: Position) -> list[Segment]:
        return [self._segments[number] for number in sorted(self._segments) if start.segment <= number <= end.segment]

    def _steps(self, start: Position) -> Iterator[tuple[Mark, Mark]]:
        """Neighbouring marks from a position on, within each segment."""
        for number in sorted(self._segments):
            marks = self._segments[number].marks
            for before, mark in pairwise(marks):
                if mark.position > start:
                    yield before, mark


def _begins(mark: Mark, start: Position) -> bool:
    """Whether a mark is the beginning of a segment after the start."""
    return mark.position.byte_offset == 0 and mark.position.segment > start.segment


def _pieces(segment: Segment, indexes: list[int], most_bytes: int | None) -> list[Stretch]:
    pieces = []
    first = indexes[0] if indexes else 0
    for index in indexes[1:]:
        stretch = segment.stretch(first, index)
        if index == indexes[-1] or (most_bytes is not None and stretch.size >= most_bytes):
            pieces.append(stretch)
            first = index
    return pieces


def at_offset(cut: CutPoint, byte_offset: int) -> CutPoint:
    """A cut point of a document, by its position in the segment that holds this part of it."""
    return replace(cut, offset=byte_offset)
