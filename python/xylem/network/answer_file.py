"""An answer that grows: a file of its first bytes, written by whatever run computes it."""

from __future__ import annotations

import os
from pathlib import Path

from xylem.run.sealed_file import private_file


class AnswerFile:
    """The answer of a subscription.

    A run writes the answer from its beginning. What the file has already is left out: an answer follows from the
    records alone, so these are the same bytes.
    """

    def __init__(self, path: Path) -> None:
        self._file = private_file(path, os.O_RDWR)
        self.size = os.fstat(self._file).st_size
        """How many bytes of the answer there are."""
        self._skipped = 0

    def write(self, data: bytes) -> None:
        known = min(self.size - self._skipped, len(data))
        if known > 0:
            self._skipped += known
            data = data[known:]
        if data:
            os.pwrite(self._file, data, self.size)
            self.size += len(data)
            self._skipped = self.size

    def read(self, start: int, most: int = 1 << 16) -> bytes:
        """The bytes from a place on, as far as they are there; never half a character."""
        data = os.pread(self._file, min(most, max(0, self.size - start)), start)
        if len(data) == most:
            # A character may begin at the end of what was asked for.
            cut = len(data)
            while cut and data[cut - 1] & 0xC0 == 0x80:
                cut -= 1
            if cut and data[cut - 1] >= 0xC0:
                data = data[: cut - 1]
        return data

    def sync(self) -> None:
        os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)
