"""Files that survive a crash: replaced as a whole, or grown line by line.

A reader never sees half of a replaced file. The last line of a journal may be cut off; readers ignore it, and the next
writer replaces it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from xylem.errors import InputError
from xylem.run.sealed_file import damaged, missing, private_directory, private_file, sync_directory


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file for all to read: it has the old content or the new, whenever the machine stops."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name that no listing of results includes.
    pending = path.with_name(f".{path.name}.pending")
    with pending.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(pending, path)
    sync_directory(path.parent)


class Reached(NamedTuple):
    """A position in a journal."""

    entries: int
    digest: str
    """Digest of all lines up to here."""


class Journal:
    """An append-only file of JSON values, one per line.

        4f0c…9d ["b.xml",120,1700000000000]

    A line begins with a digest of itself and of the digest before it (the first line: of the file name). A line that
    was changed, removed or moved is XYRT0033. Lines missing at the end are found by callers that know how far the
    journal had grown (`check`).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read_bytes = 0
        self._is_whole = False
        self._reached = Reached(0, path.name)
        self._end = self._reached

    def append(self, entries: Iterable[Any]) -> None:
        """Append entries; they are on disk when this returns."""
        texts = [json.dumps(entry, separators=(",", ":")) for entry in entries]
        if not texts:
            return
        private_directory(self.path.parent)
        if not self._is_whole:
            self._find_end()
        digest, lines = self._end.digest, []
        for text in texts:
            digest = _digest(digest, text.encode())
            lines.append(f"{digest} {text}\n")
        with os.fdopen(private_file(self.path, os.O_WRONLY | os.O_APPEND), "ab") as file:
            file.write("".join(lines).encode())
            file.flush()
            os.fsync(file.fileno())
        self._end = Reached(self._end.entries + len(texts), digest)

    def unread(self) -> Iterator[Any]:
        """The complete entries that this object has not returned yet."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._read_bytes)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    entry, self._reached = self._entry(line, self._reached)
                    self._read_bytes += len(line)
                    yield entry
        except FileNotFoundError:
            if self._reached.entries:
                raise missing(self.path) from None
        except OSError as reason:
            raise InputError("XYIN0002", f"{self.path}: {reason.strerror or reason}") from reason

    @property
    def reached(self) -> Reached:
        """The position up to which this object has read."""
        return self._reached

    def check(self, known: Reached) -> None:
        """XYRT0033 if the journal up to a position differs from what it was then."""
        other = Journal(self.path)
        rest = other.unread()
        while other.reached.entries < known.entries:
            if next(rest, None) is None:
                raise damaged(self.path, f"it has {other.reached.entries} entries where there were {known.entries}")
        if known.entries and other.reached != known:
            raise damaged(self.path, "its entries are not those that were written")

    def _entry(self, line: bytes, before: Reached) -> tuple[Any, Reached]:
        digest, _, text = line[:-1].partition(b" ")
        wanted = _digest(before.digest, text)
        if digest != wanted.encode():
            raise damaged(self.path, f"line {before.entries + 1} is not what was written")
        try:
            return json.loads(text), Reached(before.entries + 1, wanted)
        except ValueError as reason:
            raise damaged(self.path, f"line {before.entries + 1}: {reason}") from reason

    def _find_end(self) -> None:
        """Continue after the last complete line."""
        other = Journal(self.path)
        for _ in other.unread():
            pass
        self._end = other.reached
        if self.path.exists() and self.path.stat().st_size != other._read_bytes:
            os.truncate(self.path, other._read_bytes)
        self._is_whole = True


def _digest(before: str, text: bytes) -> str:
    return hashlib.sha256(b"%s %s" % (before.encode("utf-8", "surrogateescape"), text)).hexdigest()[:32]
