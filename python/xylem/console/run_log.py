"""What a run has written so far, from its files: rows of its result, displays, dead letters, figures.

The result of a run over update streams is its change log, that of any other one line for each item: a row that inserts
it. Rows are numbered from 1; whoever has seen some asks for those behind them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_ROWS = 5_000
"""Of a result that is only ever added to: the rest is in its file."""
ROWS_AT_ONCE = 500
MOST_EXCERPT = 20_000


class ResultLog:
    """The rows of one result, read as the file grows.

    Holds:  where it has read to, and the regions of the display there.
    """

    def __init__(self, path: Path, is_change_log: bool) -> None:
        self._path = path
        self._is_change_log = is_change_log
        self._offset = 0
        self.seen = 0
        """The number of the last row that was read."""
        self.regions: list[tuple[int, str]] = []
        """The display: regions with their content."""
        self.commit = 0

    @property
    def is_full(self) -> bool:
        """Whether no more is shown."""
        return not self._is_change_log and self.seen >= MOST_ROWS

    def rows(self, most: int = ROWS_AT_ONCE) -> list[dict[str, Any]]:
        """Rows behind those that were read; none where nothing more is there."""
        found: list[dict[str, Any]] = []
        if self.is_full or not self._path.exists():
            return found
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n") or len(found) == most or self.is_full:
                    break
                self._offset += len(line)
                found.append(self._taken(line))
        return found

    def _taken(self, line: bytes) -> dict[str, Any]:
        self.seen += 1
        row: dict[str, Any]
        if self._is_change_log:
            row = json.loads(line)
        else:
            text = line.decode("utf-8", "replace").rstrip("\n")
            row = {"seq": self.seen, "commit": self.seen, "op": "insert", "region": self.seen}
            row |= {"place": self.seen - 1, "old": None, "new": text}
        self.commit = row["commit"]
        replay(self.regions, row)
        return row


def replay(regions: list[tuple[int, str]], row: dict[str, Any]) -> None:
    """Apply a row to a display that knows its regions."""
    place, held = row["place"], (row["region"], row["new"] or "")
    if row["op"] == "insert":
        regions.insert(place, held)
    elif row["op"] == "remove":
        del regions[place]
    else:
        regions[place] = held


def commits(path: Path) -> list[dict[str, Any]]:
    """The commits of a change log, with their times."""
    found: dict[int, Any] = {}
    for row in _lines(path):
        found[row["commit"]] = row["t"]
    return [{"commit": commit, "t": time} for commit, time in found.items()]


def display_at(path: Path, commit: int) -> str:
    """The display after a commit: the log replayed so far."""
    regions: list[tuple[int, str]] = []
    for row in _lines(path):
        if row["commit"] > commit:
            break
        replay(regions, row)
    return "".join(text for _, text in regions)


def letters(path: Path, most: int = 200) -> list[dict[str, Any]]:
    """The dead letters of a run, the first of them."""
    found: list[dict[str, Any]] = []
    for entry in _lines(path):
        if len(found) == most:
            break
        # Bytes that are no text come as base64, and are no sample for a playground.
        found.append({**entry, "text": str(entry.get("text", ""))[:MOST_EXCERPT]})
    return found


def samples(path: Path, most: int = 600) -> list[dict[str, Any]]:
    """The figures of a run over time, evenly thinned."""
    every = [{name: value for name, value in line.items() if name != "operators"} for line in _lines(path)]
    step = max(1, len(every) // most)
    return every[::step] + ([every[-1]] if every and (len(every) - 1) % step else [])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield json.loads(line)
