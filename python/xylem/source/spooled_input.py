"""An input that can be read only once, kept on disk while it is read, so that it can be read again.

A reading gets what earlier ones have left on disk, then goes on with the input itself. So the first reading waits for
nothing, and one that stops early takes nothing from those after it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from xylem.errors import DynamicError, InputError

from .byte_ranges import CHUNK_BYTES
from .byte_source import ByteSource


class SpooledInput:
    """The bytes of one input, decompressed, in a file that nobody else sees and that goes away by itself.

    Holds:  all that has been read, on disk, up to a limit.
    """

    def __init__(self, source: ByteSource, directory: Path, limit_bytes: int) -> None:
        """XYIN0002 where the directory cannot be written to."""
        self._source = source
        self._chunks = iter(source)
        self._directory = directory
        self._limit_bytes = limit_bytes
        self.size = 0
        """How much there is on disk."""
        try:
            # It goes away when it is closed, which is when nobody reads it any more.
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=directory, prefix="xylem-", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise self._failed(error) from error

    def reading(self) -> ByteSource:
        """The input from its beginning. When this one is closed nothing is kept any more; others come by its `again`."""
        return self._reading(self.close)

    def _reading(self, close: Callable[[], object] | None = None) -> ByteSource:
        source = self._source
        return ByteSource(
            self._pieces(), name=source.name, uri=source.uri, size=source.size, close=close, again=self._reading
        )

    def _pieces(self) -> Iterator[bytes]:
        position = 0
        while True:
            if position < self.size:
                piece = self._read(position, min(CHUNK_BYTES, self.size - position))
            else:
                piece = next(self._chunks, b"")
                if not piece:
                    return
                self._write(piece)
            position += len(piece)
            yield piece

    def _read(self, position: int, size: int) -> bytes:
        try:
            return os.pread(self._file.fileno(), size, position)
        except OSError as error:
            raise self._failed(error) from error

    def _write(self, piece: bytes) -> None:
        if self.size + len(piece) > self._limit_bytes:
            why = f"the input is longer than the {self._limit_bytes:,} bytes that may be kept of it on disk"
            raise DynamicError("XYDY0005", why, hint="allow more: --limit spilled-bytes=…, or give the input as a file")
        try:
            view = memoryview(piece)
            while view:
                view = view[os.pwrite(self._file.fileno(), view, self.size + len(piece) - len(view)) :]
        except OSError as error:
            raise self._failed(error) from error
        self.size += len(piece)

    def close(self) -> None:
        self._file.close()
        self._source.close()

    def _failed(self, error: OSError) -> InputError:
        return InputError("XYIN0002", f"{self._directory}: {error.strerror or error}")
