"""Files that survive a crash: replaced as a whole, or grown line by line.

A reader never sees half of a replaced file. Of a journal it may see half a last line, which does not count and is
written again by whoever goes on with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def replace_file(path: Path, content: bytes) -> None:
    """The file has the old content or the new, whenever the machine stops."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name that no listing of results takes for a result.
    pending = path.with_name(f".{path.name}.pending")
    with pending.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(pending, path)
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Names that were made or replaced in a directory are on disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


class Journal:
    """JSON values, one per line, in the order they were added; never changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read_bytes = 0
        self._is_whole = False

    def append(self, entries: Iterable[Any]) -> None:
        """Add entries; when this returns they are on disk."""
        text = "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries)
        if not text:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self._is_whole:
            self._drop_torn_line()
        with self.path.open("ab") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())

    def unread(self) -> Iterator[Any]:
        """The complete entries that this object has not given yet."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self._read_bytes)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._read_bytes += len(line)
                yield json.loads(line)

    def _drop_torn_line(self) -> None:
        self._is_whole = True
        if not self.path.exists():
            return
        with self.path.open("rb+") as file:
            content = file.read()
            whole = content.rfind(b"\n") + 1
            if whole != len(content):
                file.truncate(whole)
