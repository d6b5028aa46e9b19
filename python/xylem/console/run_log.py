"""The files of a run, as far as they are written: rows of its result, displays, dead letters, figures.

A run over update streams writes its change log. Any other run writes a line for each item, which counts as a row that
inserts it. Rows are numbered from 1, so that a reader can ask for the rows after those it has seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from .run_arguments import LETTERS, LETTERS_OF_BATCHES

MOST_ROWS = 5_000
"""Rows shown of a result that only grows; the rest is in its file."""
ROWS_AT_ONCE = 500
MOST_EXCERPT = 20_000


class ResultLog:
    """The rows of one result, read as the file grows.

    Holds:  the place up to which it has read, and the regions of the display there.
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

    def rows(self, most: int = ROWS_AT_ONCE, *, is_complete: bool = False) -> list[dict[str, Any]]:
        """The next rows, if there are any. Only the last line of a complete result may lack its end."""
        found: list[dict[str, Any]] = []
        if self.is_full or not self._path.exists():
            return found
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                is_whole = line.endswith(b"\n") or (is_complete and not self._is_change_log)
                if not is_whole or len(found) == most or self.is_full:
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


def letters(place: Path, most: int = 200) -> list[dict[str, Any]]:
    """The first dead letters of a run, from one file of a run or from a file for each batch of a continuous run."""
    files = [place / LETTERS, *sorted((place / LETTERS_OF_BATCHES).rglob("*.jsonl"))]
    every = (entry for path in files for entry in _lines(path))
    return [_letter(entry) for entry in islice(every, most)]


def _letter(entry: dict[str, Any]) -> dict[str, Any]:
    # A continuous run uses other names. Binary data comes as base64, and cannot be used as a sample.
    text = entry.get("text", entry.get("record", entry.get("excerpt", "")))
    return {**entry, "reason": entry.get("reason", entry.get("message", "")), "text": str(text)[:MOST_EXCERPT]}


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of figures of a run, without those of its operators."""
    return [{name: value for name, value in line.items() if name != "operators"} for line in _lines(path)]


def thinned(every: list[dict[str, Any]], most: int = 600) -> list[dict[str, Any]]:
    """Fewer figures over time, including the last one."""
    step = max(1, len(every) // most)
    return every[::step] + ([every[-1]] if every and (len(every) - 1) % step else [])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield json.loads(line)
