"""Growing answers: a file holds the first bytes of an answer, and the run that computes it appends the rest."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from pathlib import Path

from xylem.run.sealed_file import private_file

MOST_OPEN = 256
"""Number of files open at once, however many answers there are."""


class OpenFiles:
    """Recently used open files. Thread-safe."""

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._files: OrderedDict[Path, int] = OrderedDict()
        self._lock = threading.Lock()

    def write(self, path: Path, data: bytes, at: int) -> None:
        with self._lock:
            os.pwrite(self._number(path), data, at)

    def read(self, path: Path, size: int, at: int) -> bytes:
        with self._lock:
            return os.pread(self._number(path), size, at)

    def sync(self, path: Path) -> None:
        with self._lock:
            own = os.dup(self._number(path))
        try:
            os.fsync(own)
        finally:
            os.close(own)

    def _number(self, path: Path) -> int:
        """The descriptor of a file; creates the file if it does not exist."""
        found = self._files.get(path)
        if found is None:
            if len(self._files) >= self._most:
                os.close(self._files.popitem(last=False)[1])
            found = self._files[path] = private_file(path, os.O_RDWR)
        else:
            self._files.move_to_end(path)
        return found

    def close(self) -> None:
        with self._lock:
            for file in self._files.values():
                os.close(file)
            self._files.clear()


class AnswerFile:
    """The answer of a subscription.

    A run writes the answer from its beginning. Bytes that the file already has are skipped: an answer depends only on
    the records, so they are the same bytes.
    """

    __slots__ = ("_files", "_path", "_skipped", "read_to", "size")

    def __init__(self, path: Path, files: OpenFiles) -> None:
        self._path = path
        self._files = files
        self.size = path.stat().st_size if path.exists() else 0
        """Number of bytes of the answer."""
        self._skipped = 0
        self.read_to = self.size
        """How far its subscriber has read, as far as is known."""

    @property
    def written(self) -> int:
        """Position of the run in the answer."""
        return self._skipped

    def begin(self, start: int = 0) -> None:
        """Start another run, which writes the answer from its beginning, or from a later byte."""
        self._skipped = start
        self.read_to = self.size

    def has_room(self, data: bytes, unread_bytes: int) -> bool:
        """Whether the answer may grow without more than `unread_bytes` unread bytes."""
        return self._skipped < self.size or self.size + len(data) - self.read_to <= unread_bytes

    def write(self, data: bytes) -> None:
        known = min(self.size - self._skipped, len(data))
        if known > 0:
            self._skipped += known
            data = data[known:]
        if data:
            self._files.write(self._path, data, self.size)
            self.size += len(data)
            self._skipped = self.size

    def append(self, data: bytes) -> None:
        """Append bytes of an answer that another site computes."""
        if data:
            self._files.write(self._path, data, self.size)
            self.size += len(data)

    def read(self, start: int, most: int = 1 << 16) -> bytes:
        """The available bytes from a position on; never half a character."""
        size = min(most, max(0, self.size - start))
        if not size:
            return b""
        data = self._files.read(self._path, size, start)
        if len(data) == most:
            # A character may begin at the end of the requested bytes.
            cut = len(data)
            while cut and data[cut - 1] & 0xC0 == 0x80:
                cut -= 1
            if cut and data[cut - 1] >= 0xC0:
                data = data[: cut - 1]
        return data

    def sync(self) -> None:
        self._files.sync(self._path)
