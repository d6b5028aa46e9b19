"""The registry of a project's runs: a small SQLite table in `.xylem/`, and a directory for the files of each run.

The console adds the runs that it starts. `xylem run --project DIR` and `xylem stream --project DIR` add themselves. If
the process of a run has ended without noting its exit code, the run was killed.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = ".xylem"
PROCESS, SPARK, STREAM = "process", "spark", "stream"
RUNNERS = (PROCESS, SPARK, STREAM)
METRICS = "metrics.jsonl"
_MOST_ROWS = 200
_TABLE = """create table if not exists runs (
    id text primary key, query text not null, input text not null, updates text not null, malformed text not null,
    started real not null, pid integer not null, started_ticks text not null, stopped integer not null default 0)"""
_LATER_COLUMNS = {
    "runner": "text not null default 'process'",
    "command": "text not null default ''",
    "exit_code": "integer",
}
_COLUMNS = "id, query, input, updates, malformed, runner, command, started, pid, started_ticks, stopped, exit_code"


@dataclass(frozen=True)
class Asked:
    """The settings of a run."""

    query: str
    input: str
    updates: str = ""
    """The format of an update stream; empty for a document."""
    malformed: str = "stop"
    """stop, or dead-letter"""
    runner: str = PROCESS
    """One process, Spark for one answer, or a continuous run on Spark."""
    command: str = ""
    """The command that a user gave; empty for a run that the console started."""


@dataclass(frozen=True)
class Entry:
    """A run as the registry knows it."""

    id: str
    asked: Asked
    started: float
    is_running: bool
    was_stopped: bool
    exit_code: int | None
    """None while it runs, and for a run that was killed."""


class Registry:
    """The runs of one project."""

    def __init__(self, project: Path) -> None:
        self._folder = project / FOLDER

    def add(self, asked: Asked) -> str:
        """Make room for a run; returns its id. Its process is named by `began`."""
        number = secrets.token_hex(6)
        # Others need not see the data of a run.
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self.place(number).mkdir(parents=True)
        values = asdict(asked)
        names = ", ".join(["id", *values, "started", "pid", "started_ticks"])
        with closing(self._open()) as table, table:
            marks = ", ".join("?" * (len(values) + 4))
            table.execute(f"insert into runs({names}) values ({marks})", [number, *values.values(), time.time(), 0, ""])
        return number

    def forget_end(self, number: str) -> None:
        """A run starts again: forget its exit code."""
        self._set(number, "stopped = 0, exit_code = null", [])

    def began(self, number: str, pid: int) -> None:
        """The process of a run has started. It may already have ended and noted its exit code."""
        self._set(number, "pid = ?, started_ticks = ?", [pid, start_of(pid)])

    def ended(self, number: str, exit_code: int) -> None:
        """The process of a run ends."""
        self._set(number, "exit_code = ?", [exit_code])

    def stop(self, number: str) -> int:
        """Note that a run was asked to end; returns its process."""
        self._set(number, "stopped = 1", [])
        with closing(self._open()) as table:
            found = table.execute("select pid from runs where id = ?", (number,)).fetchone()
        return int(found[0])

    def entries(self) -> list[Entry]:
        """The latest runs, the last one first."""
        if not (self._folder / "runs.sqlite").exists():
            return []
        with closing(self._open()) as table:
            rows = table.execute(f"select {_COLUMNS} from runs order by started desc limit {_MOST_ROWS}").fetchall()
        return [
            Entry(number, Asked(*asked), started, bool(ticks) and start_of(pid) == ticks, bool(stopped), code)
            for number, *asked, started, pid, ticks, stopped, code in rows
        ]

    def place(self, number: str) -> Path:
        """The directory of a run."""
        return self._folder / "runs" / number

    def _set(self, number: str, what: str, values: Sequence[object]) -> None:
        with closing(self._open()) as table, table:
            table.execute(f"update runs set {what} where id = ?", [*values, number])

    def _open(self) -> sqlite3.Connection:
        table = sqlite3.connect(self._folder / "runs.sqlite", timeout=30)
        table.execute(_TABLE)
        known = {row[1] for row in table.execute("pragma table_info(runs)")}
        for name, kind in _LATER_COLUMNS.items():
            if name not in known:
                table.execute(f"alter table runs add column {name} {kind}")
        return table


def start_of(pid: int) -> str:
    """The start time of a process, because another process may get its number later. Empty if it has ended."""
    if not pid:
        return ""
    try:
        os.kill(pid, 0)
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except ProcessLookupError:
        return ""
    except OSError:
        return "unknown"
    return "" if fields[0] == "Z" else fields[19]
