"""A log in files of a site: the default.

    stream/log.data        the records, one after another; `log.OFFSET.data` has those from a later byte on
    stream/log.index       a journal: a header with the elements around the records, then a line for each addition

Only records in the journal count; bytes beyond it come from an interrupted addition and are overwritten.
"""

from __future__ import annotations

import os
import shutil
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from xylem.run.durable_files import Journal
from xylem.run.sealed_file import damaged, missing, private_directory, private_file

from .log_store import LogLimits, LogStore


class LogFiles(LogStore):
    """The files of one log."""

    def __init__(
        self, directory: Path, limits: LogLimits | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(limits, clock)
        self._directory = directory
        self._journal = Journal(directory / "log.index")
        self._open: dict[int, int] = {}
        """Descriptors of files, by offset."""

    def entries(self) -> Iterator[dict[str, Any]]:
        yield from self._journal.unread()

    def write(self, entry: Mapping[str, Any], data: bytes = b"", offset: int = 0) -> None:
        if data:
            first = self.pieces[-1].offset
            number = self._descriptor(first, is_new=True)
            os.pwrite(number, data, offset - first)
            os.fsync(number)
        self._journal.append([dict(entry)])

    def read(self, offset: int, size: int) -> bytes:
        first = self._first(offset)
        return os.pread(self._descriptor(first), size, offset - first)

    def damage(self, offset: int, told: str) -> Exception:
        first = self._first(offset)
        return damaged(self._directory / _name(first), told.replace("byte ?", f"byte {offset - first:,}"))

    def _first(self, offset: int) -> int:
        """Start of the file that contains a byte of the stream."""
        number = bisect_right(self.pieces, offset, key=lambda one: one.offset) - 1
        assert number >= 0, "records are read that the log has removed"
        return self.pieces[number].offset

    def _descriptor(self, first: int, *, is_new: bool = False) -> int:
        number = self._open.get(first)
        if number is None:
            path = self._directory / _name(first)
            if is_new:
                private_directory(self._directory)
                number = private_file(path, os.O_RDWR)
            else:
                try:
                    number = os.open(path, os.O_RDWR)
                except FileNotFoundError:
                    raise missing(path) from None
            self._open[first] = number
        return number

    def remove(self, offset: int) -> None:
        for piece in self.pieces:
            if piece.offset < offset:
                number = self._open.pop(piece.offset, None)
                if number is not None:
                    os.close(number)
                (self._directory / _name(piece.offset)).unlink(missing_ok=True)

    def destroy(self) -> None:
        self.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def close(self) -> None:
        for number in self._open.values():
            os.close(number)
        self._open.clear()


def _name(offset: int) -> str:
    return f"log.{offset}.data" if offset else "log.data"
