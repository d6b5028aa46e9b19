"""Writing a spool: bytes are on disk, and cut, before they count.

Received bytes are written to the last segment at once. From time to time they are flushed, and their last cut is added
to the journal; a batch may then read them. A crash loses only the bytes after the last mark.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from zlib import crc32

from xylem.run.durable_files import Journal
from xylem.run.sealed_file import private_directory, private_file, sync_directory
from xylem.source.byte_ranges import CutPoint, Scope

from .document_end import is_whole
from .spool import Mark, Position, Segment, at_offset, cuts_path, data_path, journal_entry

SEGMENT_BYTES = 64 << 20
_FED_BYTES = 1 << 16


class Finder(Protocol):
    """Finds where the bytes fed to it may be cut."""

    items: int
    """The number of items begun, or messages ended, before the last cut."""

    def feed(self, piece: bytes) -> CutPoint | None:
        """The last cut in the bytes so far, if it is in this piece."""
        ...


class ItemFinder:
    """Cuts before the items of a document."""

    def __init__(self, scopes: Sequence[Scope], resume_at: CutPoint | None = None, scanner: str = "auto") -> None:
        from xylem.source.cut_points import CutFinder

        # Before every item: on a slow stream no item should wait for more than the next one.
        self._finder = CutFinder(scopes, 1, scanner=scanner)
        if resume_at is not None:
            self._finder.resume(resume_at)
        self.items = 0
        # Up to the first cut of a document there is no item; from a resumed position there is one.
        self._cuts = -1 if resume_at is None else 0

    def feed(self, piece: bytes) -> CutPoint | None:
        cut = None
        for start in range(0, len(piece), _FED_BYTES):
            cuts = self._finder.feed(piece[start : start + _FED_BYTES])
            if cuts:
                cut = cuts[-1]
                self._cuts += len(cuts)
                self.items = self._cuts
        return cut


class DelimiterFinder:
    """Messages that end with a delimiter; a cut follows each."""

    def __init__(self, delimiter: bytes) -> None:
        self._delimiter = delimiter
        self.items = 0
        self._fed_bytes = 0
        self._tail = b""

    def feed(self, piece: bytes) -> CutPoint | None:
        # From the left, the direction in which messages are separated later: text that looks like a delimiter may begin
        # inside one.
        *messages, rest = (self._tail + piece).split(self._delimiter)
        self.items += len(messages)
        self._fed_bytes += len(piece)
        keep = len(self._delimiter) - 1
        self._tail = rest[-keep:] if keep else b""
        return CutPoint(self._fed_bytes - len(rest), 1, b"", b"") if messages else None


class SegmentWriter:
    """The journal of one segment while it grows; the bytes too, unless they are already in a separate file."""

    def __init__(self, spool: Path, number: int, *, path: Path | None, has_context: bool) -> None:
        private_directory(spool)
        self.spool = spool
        self.number = number
        self._has_context = has_context
        self._journal = Journal(cuts_path(spool, number))
        self._file: BinaryIO | None = None
        if path is None:
            self._file = os.fdopen(private_file(data_path(spool, number), os.O_WRONLY | os.O_APPEND), "ab")
        known = Segment(spool, number)
        known.refresh()
        self.last = known.marks[-1] if known.marks else None
        self._has_header = known.marks != [] or cuts_path(spool, number).exists()
        self._header: dict[str, Any] = {"path": None if path is None else str(path), "messages": not has_context}
        if number and not self._has_header:
            before = Segment(spool, number - 1)
            before.refresh()
            self._header["after"] = before.reached

    def write(self, piece: bytes) -> None:
        """Add bytes, which do not count yet."""
        if self._file is not None:
            self._file.write(piece)

    def sync(self) -> None:
        """Flush written bytes to disk."""
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())

    def mark(
        self, byte_offset: int, cut: CutPoint | None, arrived_ms: int, items: int, crc: int, *, is_end: bool = False
    ) -> None:
        """Mark bytes up to here as counted; `crc` is that of those since the previous mark."""
        context = at_offset(cut, byte_offset) if cut is not None and self._has_context else None
        own = None if self._file is None else crc
        mark = Mark(Position(self.number, byte_offset), arrived_ms, context, is_end, items, own)
        entries = [] if self._has_header else [self._header]
        self._journal.append([*entries, journal_entry(mark, self.last)])
        if not self._has_header:
            sync_directory(self.spool)
        self._has_header, self.last = True, mark

    def close(self) -> None:
        if self._file is not None:
            try:
                self.sync()
            finally:
                self._file.close()


class SpoolWriter:
    """Receives the bytes of one connection, or of one growing file, into the spool."""

    def __init__(
        self,
        spool: Path,
        finder: Finder,
        *,
        has_context: bool,
        path: Path | None = None,
        segment_bytes: int = SEGMENT_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`path` names a growing file, whose journal is continued. Any other input begins a new segment."""
        self._finder = finder
        self._has_context = has_context
        self._clock = clock
        self._segment_bytes = segment_bytes
        number = next_segment(spool) if path is None else 0
        self._writer = SegmentWriter(spool, number, path=path, has_context=has_context)
        self._is_copied = path is None
        self._base = 0
        """Start of this segment, in bytes of the document."""
        self._written = self._writer.last.position.byte_offset if self._writer.last else 0
        """Bytes of the document so far."""
        self._known_items = self._writer.last.items if self._writer.last else 0
        self._cut: CutPoint | None = None
        """The last cut, if it is not in the journal yet."""
        self._since_cut = bytearray()
        """The bytes after it: the beginning of the next segment, if one begins there."""
        self._crc = 0
        """Checksum of the bytes from the last mark up to the last cut."""
        self._arrived_ms = 0
        if self._writer.last is None:
            # The beginning is a mark, too.
            try:
                self._writer.mark(0, None, self._now(), 0, 0)
            except OSError:
                with suppress(OSError):
                    self.close()
                raise

    @property
    def uncounted(self) -> bytes:
        """The bytes after the last cut."""
        return bytes(self._since_cut)

    @property
    def last_context(self) -> CutPoint | None:
        """The context after the last mark."""
        return self._writer.last.cut if self._writer.last else None

    def take(self, piece: bytes) -> None:
        """Add a piece as received."""
        if not self._arrived_ms:
            self._arrived_ms = self._now()
        self._writer.write(piece)
        self._written += len(piece)
        cut = self._finder.feed(piece)
        if cut is None:
            self._since_cut += piece
            return
        self._cut = cut
        self._since_cut += piece
        self._count_until(len(self._since_cut) - (self._written - cut.offset))

    def _count_until(self, size: int) -> None:
        """The number of bytes after the last cut that precede the next one."""
        self._crc = crc32(self._since_cut[:size], self._crc)
        del self._since_cut[:size]

    def commit(self) -> None:
        """Flush received bytes, and count them up to the last cut."""
        if self._cut is None:
            return
        self._writer.sync()
        arrived_ms = self._arrived_ms or self._now()
        self._writer.mark(self._cut.offset - self._base, self._cut, arrived_ms, self._items, self._crc)
        cut, self._cut, self._arrived_ms, self._crc = self._cut, None, 0, 0
        if self._is_copied and cut.offset - self._base >= self._segment_bytes:
            self._roll(cut)

    def end(self, *, is_complete: bool) -> None:
        """Nothing more arrives. With `is_complete`, all bytes count; otherwise those after the last cut do not."""
        self.commit()
        self._writer.sync()
        if is_complete:
            items = self._items + bool(self.uncounted.strip())
            arrived_ms, crc = self._arrived_ms or self._now(), crc32(self._since_cut, self._crc)
            self._writer.mark(self._written - self._base, None, arrived_ms, items, crc, is_end=True)
        elif self._has_context and self.uncounted and is_whole(self.last_context, self.uncounted):
            # The next item would have begun here: these bytes are whole.
            self.count(len(self._since_cut))

    def count(self, size: int) -> None:
        """Count this many bytes after the last cut, which hold whole items."""
        self._writer.sync()
        at = self._written - len(self._since_cut) + size - self._base
        self._count_until(size)
        self._writer.mark(at, self.last_context, self._arrived_ms or self._now(), self._items + 1, self._crc)
        self._crc = 0

    def close(self) -> None:
        """Close the files."""
        self._writer.close()

    @property
    def _items(self) -> int:
        return self._known_items + self._finder.items

    def _roll(self, cut: CutPoint) -> None:
        number = self._writer.number + 1
        self._writer.close()
        self._writer = SegmentWriter(self._writer.spool, number, path=None, has_context=self._has_context)
        self._base = cut.offset
        self._writer.write(bytes(self._since_cut))
        self._writer.mark(0, cut, self._now(), self._items, 0)

    def _now(self) -> int:
        return int(self._clock() * 1000)


def next_segment(spool: Path) -> int:
    """The number after all existing segments."""
    numbers: Sequence[int] = [int(path.stem) for path in spool.glob("*.cuts")] if spool.is_dir() else []
    return max(numbers, default=-1) + 1
