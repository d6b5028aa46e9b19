"""A directory as a log: files in the order they were found, each once, with a permanent number.

The order is recorded before it counts, so a repeated batch has the same files in the same order. Files found at the
same time are ordered by modification time, then by name. A name is read once: a file that is rewritten afterwards is
not read again. A file must stay unchanged until the batches that read it are committed; its size and time are recorded
when it is found, to detect a change before it is read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from xylem.errors import InputError
from xylem.run.durable_files import Journal
from xylem.run.sealed_file import damaged

UNFINISHED = (".tmp", ".part", ".partial", ".pending", ".crdownload", "~")
"""Patterns that programs use for unfinished files, besides names that begin with a dot or `_`."""


@dataclass(frozen=True)
class LoggedFile:
    """A file of the log."""

    path: str
    size: int
    """Stored size in bytes."""
    found_ms: int
    """When it was found; waiting time is measured from here."""
    modified_ns: int = 0
    """Modification time when it was found; 0 if a journal of an earlier version lacks it."""


class DirectoryLog:
    """The files of a directory, or those that match a pattern like `incoming/*.xml`."""

    def __init__(
        self, place: str, journal: Path, settle_seconds: float = 0.0, clock: Callable[[], float] = time.time
    ) -> None:
        self._directory, self._pattern = _directory_and_pattern(place)
        self._journal = Journal(journal)
        self._settle_seconds = settle_seconds
        self._clock = clock
        self._files: list[LoggedFile] = []
        self._names: set[str] = set()

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, numbers: slice) -> list[LoggedFile]:
        return self._files[numbers]

    def between(self, first: int, last: int) -> list[LoggedFile]:
        """The files in a range of numbers; XYRT0033 if the journal has fewer."""
        if not 0 <= first <= last <= len(self):
            told = f"it has {len(self):,} entries, and those from {first:,} to {last:,} are asked for"
            raise damaged(self._journal.path, told)
        return self[first:last]

    def reach(
        self, first: int, most_bytes: int | None, last: int | None = None, most_files: int | None = None
    ) -> int:
        """The number of files up to the first that exceeds the limit; at least one more than `first`, if any."""
        last = len(self) if last is None else last
        if most_files is not None:
            last = min(last, first + most_files)
        size = 0
        for number in range(first, last):
            size += self._files[number].size
            if most_bytes is not None and size > most_bytes and number > first:
                return number
        return max(first, last)

    def refresh(self) -> None:
        """Read what was found before, by this process or another."""
        for name, *facts in self._journal.unread():
            self._names.add(name)
            self._files.append(LoggedFile(os.path.join(self._directory, name), *facts))

    def discover(self) -> None:
        """Look for files that are not in the log yet, and add them to it."""
        self.refresh()
        found = self._new_files()
        if found:
            now_ms = int(self._clock() * 1000)
            try:
                self._journal.append((name, size, now_ms, modified) for modified, name, size in sorted(found))
            except OSError as reason:
                raise InputError("XYIN0002", f"{self._journal.path}: {reason.strerror or reason}") from reason
            self.refresh()

    def _new_files(self) -> list[tuple[int, str, int]]:
        settled_ns = int((self._clock() - self._settle_seconds) * 1e9) if self._settle_seconds else None
        try:
            with os.scandir(self._directory) as entries:
                new = [entry for entry in entries if entry.name not in self._names and self._is_wanted(entry.name)]
            found = []
            for entry in new:
                # Gone between listing and reading its size: treated as if it had never been there.
                status = _status(entry)
                if status is not None and (settled_ns is None or status.st_mtime_ns <= settled_ns):
                    found.append((status.st_mtime_ns, entry.name, status.st_size))
        except OSError as reason:
            raise InputError("XYIN0002", f"{self._directory}: {reason.strerror}") from reason
        return found

    def _is_wanted(self, name: str) -> bool:
        return not name.startswith((".", "_")) and not name.endswith(UNFINISHED) and fnmatchcase(name, self._pattern)


def look_at(place: str) -> None:
    """XYIN0002 for a directory that cannot be listed."""
    directory, _ = _directory_and_pattern(place)
    try:
        os.scandir(directory).close()
    except OSError as reason:
        raise InputError("XYIN0002", f"{directory}: {reason.strerror}") from reason


def refuse_results_as_input(place: str, written: Iterable[Path]) -> None:
    """XYRT0032 if the output of a query would be found as its input."""
    directory, pattern = _directory_and_pattern(place)
    for path in written:
        if path.parent.resolve() == Path(directory).resolve() and fnmatchcase(path.name, pattern):
            raise InputError("XYRT0032", f"{path.parent}")


def _directory_and_pattern(place: str) -> tuple[str, str]:
    directory, pattern = os.path.split(place)
    has_pattern = any(sign in pattern for sign in "*?[") and not os.path.isdir(place)
    return (directory or ".", pattern) if has_pattern else (place, "*")


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat() if entry.is_file() else None
    except FileNotFoundError:
        return None
