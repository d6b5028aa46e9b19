"""A directory as a log: files in the order they were found, each once, for ever under the same number.

The order is written down before it counts, so that a batch that is computed again has the same files in the same order.
Files that are found at the same time are ordered by modification time, then by name. A name is a file, read once: one
that is written again afterwards is not read again. A file must stay as and where it is until the batches that read it
are committed; its size and time are noted when it is found, so that a change before it was read can be told.
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
"""Names that programs give to files they have not finished, besides those that begin with a dot or `_`."""


@dataclass(frozen=True)
class LoggedFile:
    """A file of the log."""

    path: str
    size: int
    """In bytes, as it is stored."""
    found_ms: int
    """When it was found; what waits is measured from here."""
    modified_ns: int = 0
    """When it had been written last by then; 0 where a journal of an earlier version does not say."""


class DirectoryLog:
    """The files of a directory, or those of them that a pattern like `incoming/*.xml` fits."""

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
        """The files from one number up to another; XYRT0033 where the journal has not so many."""
        if not 0 <= first <= last <= len(self):
            told = f"it has {len(self):,} entries, and those from {first:,} to {last:,} are asked for"
            raise damaged(self._journal.path, told)
        return self[first:last]

    def reach(
        self, first: int, most_bytes: int | None, last: int | None = None, most_files: int | None = None
    ) -> int:
        """How many files there are up to the first that is too much; at least one more than `first`, if any."""
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
        """Take up what was found before, by this process or another."""
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
                # Gone again between listing and asking: it never was there.
                status = _status(entry)
                if status is not None and (settled_ns is None or status.st_mtime_ns <= settled_ns):
                    found.append((status.st_mtime_ns, entry.name, status.st_size))
        except OSError as reason:
            raise InputError("XYIN0002", f"{self._directory}: {reason.strerror}") from reason
        return found

    def _is_wanted(self, name: str) -> bool:
        return not name.startswith((".", "_")) and not name.endswith(UNFINISHED) and fnmatchcase(name, self._pattern)


def look_at(place: str) -> None:
    """XYIN0002 for a place that cannot be listed."""
    directory, _ = _directory_and_pattern(place)
    try:
        os.scandir(directory).close()
    except OSError as reason:
        raise InputError("XYIN0002", f"{directory}: {reason.strerror}") from reason


def refuse_results_as_input(place: str, written: Iterable[Path]) -> None:
    """XYRT0032 where what a query writes would be found as its input."""
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
