"""A stream as a log of records on disk: a position is the number of a record, and every record can be read again.

    stream/log.data        the records, one after another
    stream/log.index       a journal: a header with what stands around the records, then a line for each addition

What is in the journal counts; bytes behind it are of an addition that was interrupted, and are written over. Additions
have a checksum: what is not what came is XYRT0033.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from zlib import crc32

from xylem.errors import InputError
from xylem.run.durable_files import Journal
from xylem.run.sealed_file import damaged, missing, private_directory, private_file
from xylem.source.record_end import tag_names


@dataclass(frozen=True)
class _Addition:
    first: int
    """The position of its first record."""
    offset: int
    lengths: tuple[int, ...]
    crc: int

    @property
    def size(self) -> int:
        return sum(self.lengths)

    @cached_property
    def places(self) -> list[int]:
        """Where its records begin, and where the last one ends."""
        return [0, *accumulate(self.lengths)]


class RecordLog:
    """The log of one stream. One process adds to it; the same process reads it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._data = directory / "log.data"
        self._journal = Journal(directory / "log.index")
        self._additions: list[_Addition] = []
        self._firsts: list[int] = []
        self.opening = b""
        """What stands before the records; empty before the first one has come."""
        self.end = 0
        """The position behind the last record."""
        self.bytes = 0
        self._file: int | None = None
        self._last_read: tuple[_Addition, bytes] | None = None
        """An addition may be read in many pieces."""
        for entry in self._journal.unread():
            if "open" in entry:
                self.opening = b64decode(entry["open"])
            else:
                self._know(entry["n"], entry["crc"])

    @property
    def closing(self) -> bytes:
        """What would stand behind the records, if the stream had an end."""
        return b"".join(b"</%s>" % name for name in reversed(tag_names(self.opening)))

    @property
    def depth(self) -> int:
        """How many elements are around each record."""
        return len(tag_names(self.opening))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def begin(self, opening: bytes) -> None:
        """Say what stands around the records: the same for all that ever come; XYRT0052 for anything else."""
        if not self.opening:
            self._journal.append([{"open": b64encode(opening).decode()}])
            self.opening = opening
        elif self.opening != opening:
            told = f"they stand in {_shown(opening)}, those of the stream in {_shown(self.opening)}"
            raise InputError("XYRT0052", told)

    def append(self, records: list[bytes]) -> int:
        """Add records; when this returns they are on disk. The position behind them."""
        if records:
            data = b"".join(records)
            if self._file is None:
                private_directory(self._directory)
                self._file = private_file(self._data, os.O_RDWR)
            os.pwrite(self._file, data, self.bytes)
            os.fsync(self._file)
            entry = {"n": [len(record) for record in records], "crc": crc32(data)}
            self._journal.append([entry])
            self._know(entry["n"], entry["crc"])  # type: ignore[arg-type]
        return self.end

    def _know(self, lengths: list[int], crc: int) -> None:
        self._additions.append(_Addition(self.end, self.bytes, tuple(lengths), crc))
        self._firsts.append(self.end)
        self.end += len(lengths)
        self.bytes += sum(lengths)

    def read(self, start: int, end: int, most_bytes: int) -> tuple[bytes, int]:
        """Records from a position on, at least one and up to so many bytes; and the position behind them."""
        found: list[bytes] = []
        size = 0
        at = start
        number = bisect_right(self._firsts, start) - 1
        while at < end and size < most_bytes and 0 <= number < len(self._additions):
            addition = self._additions[number]
            places = addition.places
            first = at - addition.first
            last = min(end - addition.first, len(addition.lengths))
            while last > first + 1 and size + places[last] - places[first] > most_bytes:
                # Halves, and not one record less each time: an addition may have very many.
                last = first + (last - first) // 2
            found.append(self._bytes(addition)[places[first] : places[last]])
            size += places[last] - places[first]
            at = addition.first + last
            if last < len(addition.lengths):
                break
            number += 1
        return b"".join(found), at

    def _bytes(self, addition: _Addition) -> bytes:
        if self._last_read is None or self._last_read[0] is not addition:
            self._last_read = addition, self._read(addition)
        return self._last_read[1]

    def _read(self, addition: _Addition) -> bytes:
        if self._file is None:
            try:
                self._file = os.open(self._data, os.O_RDWR)
            except FileNotFoundError:
                raise missing(self._data) from None
        data = os.pread(self._file, addition.size, addition.offset)
        if crc32(data) != addition.crc:
            raise damaged(self._data, f"the {addition.size:,} bytes from byte {addition.offset:,} on are not what came")
        return data


def _shown(opening: bytes) -> str:
    return opening.decode("utf-8", "replace")[:60]
