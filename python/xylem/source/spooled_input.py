"""An input that can be read only once, kept in memory or on disk while it is read, for further readings.

A reading gets the kept bytes first, then continues with the input itself. So the first reading waits for nothing, and
one that stops early takes nothing from later ones.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Protocol

from xylem.errors import DynamicError, InputError

from .byte_source import ByteSource


class Kept(Protocol):
    """The storage for pieces of an input."""

    def add(self, piece: bytes) -> None: ...

    def piece(self, number: int) -> bytes | None:
        """A piece by its number, from 0; None if there is none yet."""

    def close(self) -> None: ...


class SpooledInput:
    """The bytes of one input, decompressed. Holds: all that has been read."""

    def __init__(self, source: ByteSource, kept: Kept) -> None:
        self._source = source
        self._chunks = iter(source)
        self._kept = kept

    def reading(self) -> ByteSource:
        """The input from its beginning. When this reading is closed nothing more is kept; its `again` gives others."""
        return self._reading(self.close)

    def _reading(self, close: Callable[[], object] | None = None) -> ByteSource:
        source = self._source
        return ByteSource(
            self._pieces(), name=source.name, uri=source.uri, size=source.size, close=close, again=self._reading
        )

    def _pieces(self) -> Iterator[bytes]:
        number = 0
        while True:
            piece = self._kept.piece(number)
            if piece is None:
                piece = next(self._chunks, None)
                if piece is None:
                    return
                self._kept.add(piece)
            number += 1
            yield piece

    def close(self) -> None:
        self._kept.close()
        self._source.close()


class KeptInMemory:
    """Pieces in memory; `hold` gets the size of each, and decides whether it may be kept."""

    def __init__(self, hold: Callable[[int], object]) -> None:
        self._hold = hold
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self._hold(len(piece))
        self._pieces.append(piece)

    def piece(self, number: int) -> bytes | None:
        return self._pieces[number] if number < len(self._pieces) else None

    def close(self) -> None:
        self._pieces.clear()


class KeptOnDisk:
    """Pieces in a private file that is deleted automatically, up to a limit."""

    def __init__(self, directory: Path, limit_bytes: int) -> None:
        """XYIN0002 if the directory is not writable."""
        self._directory = directory
        self._limit_bytes = limit_bytes
        self._ends: list[int] = []
        try:
            # It is deleted when it is closed, which is when its reader has closed it.
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=directory, prefix="xylem-", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise self._failed(error) from error

    def add(self, piece: bytes) -> None:
        start = self._ends[-1] if self._ends else 0
        if start + len(piece) > self._limit_bytes:
            why = f"the input is longer than {self._limit_bytes:,} bytes, the limit for a spilled input"
            raise DynamicError("XYDY0005", why, hint="allow more: --limit spilled-bytes=…, or give the input as a file")
        try:
            view = memoryview(piece)
            while view:
                view = view[os.pwrite(self._file.fileno(), view, start + len(piece) - len(view)) :]
        except OSError as error:
            raise self._failed(error) from error
        self._ends.append(start + len(piece))

    def piece(self, number: int) -> bytes | None:
        if number >= len(self._ends):
            return None
        start = self._ends[number - 1] if number else 0
        try:
            return os.pread(self._file.fileno(), self._ends[number] - start, start)
        except OSError as error:
            raise self._failed(error) from error

    def close(self) -> None:
        self._file.close()

    def _failed(self, error: OSError) -> InputError:
        return InputError("XYIN0002", f"{self._directory}: {error.strerror or error}")
