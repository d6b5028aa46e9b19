"""The runs of a project: started here, each a process of its own, known by a small registry in SQLite.

A run is `xylem run` with its result, its figures and its dead letters in files of a directory of its own. It goes on
when the console ends, and the next console finds it: what is shown is read from the files. A run has limits of time and
memory, reads one query and one input of the project, and no other file.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from xylem.errors import InputError

from .clean_environment import clean_environment
from .project import Project

FOLDER = ".xylem"
RUNS_AT_ONCE = 4
TIME_LIMIT_SECONDS = 3600
MEMORY_LIMIT = "2GB"
UPDATES = ("native", "keyed", "osmchange", "snapshot", "patch", "debezium", "tokens")
ENDED = "ended"
_TABLE = """create table if not exists runs (
    id text primary key, query text not null, input text not null, updates text not null, malformed text not null,
    started real not null, pid integer not null, started_ticks text not null, stopped integer not null default 0)"""


@dataclass(frozen=True)
class Asked:
    """What a run is asked to do."""

    query: str
    input: str
    updates: str = ""
    """The format of an update stream; empty for a document."""
    malformed: str = "stop"
    """stop, or dead-letter"""


@dataclass(frozen=True)
class Run:
    """A run as it stands."""

    id: str
    asked: Asked
    started: float
    state: str
    """running, stopped, done or failed"""
    figures: dict[str, Any]
    """The last line of its metrics."""
    told: str
    """What it said on standard error."""

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), **asdict(self.asked), "asked": None}


class Runs:
    """All runs of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._folder = project.root / FOLDER
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, asked: Asked) -> str:
        """Start a run; gives its id."""
        query, source = self.project.file(asked.query), self.project.file(asked.input)
        if asked.updates and asked.updates not in UPDATES:
            raise InputError("XYIN0002", f"{asked.updates}: not a format of update streams")
        if sum(run.state == "running" for run in self.all()) >= RUNS_AT_ONCE:
            raise InputError("XYIN0004", f"at most {RUNS_AT_ONCE} runs can be active at once; stop one first")
        number = secrets.token_hex(6)
        place = self._folder / "runs" / number
        # What is read here may be nobody else's business.
        self._folder.mkdir(mode=0o700, exist_ok=True)
        place.mkdir(parents=True)
        with (place / "told").open("wb") as told:
            child = subprocess.Popen(
                [sys.executable, "-m", "xylem", "run", str(query), "-i", str(source), *_options(asked, place)],
                cwd=place,
                env=clean_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=told,
                start_new_session=True,
            )
        self._children[number] = child
        with closing(self._registry()) as registry, registry:
            values = number, *asdict(asked).values(), time.time(), child.pid, _start_of(child.pid)
            registry.execute(
                "insert into runs(id, query, input, updates, malformed, started, pid, started_ticks) "
                "values (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
        return number

    def all(self) -> list[Run]:
        """Every run, the latest first."""
        if not (self._folder / "runs.sqlite").exists():
            return []
        with closing(self._registry()) as registry:
            rows = registry.execute("select * from runs order by started desc limit 200").fetchall()
        return [self._run(row) for row in rows]

    def run(self, number: str) -> Run:
        """A run by its id; XYIN0002 where there is none."""
        found = next((run for run in self.all() if run.id == number), None)
        if found is None:
            raise InputError("XYIN0002", f"{number}: there is no such run")
        return found

    def stop(self, number: str) -> None:
        """Ask a run to end; what it has written stays."""
        run = self.run(number)
        if run.state != "running":
            return
        with closing(self._registry()) as registry, registry:
            registry.execute("update runs set stopped = 1 where id = ?", (number,))
            (pid,) = registry.execute("select pid from runs where id = ?", (number,)).fetchone()
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)

    def restart(self, number: str) -> str:
        """Start the same run again, as another one."""
        run = self.run(number)
        self.stop(number)
        return self.start(run.asked)

    def place(self, number: str) -> Path:
        """The directory of a run."""
        return self._folder / "runs" / self.run(number).id

    def _registry(self) -> sqlite3.Connection:
        registry = sqlite3.connect(self._folder / "runs.sqlite")
        registry.execute(_TABLE)
        return registry

    def _run(self, row: tuple[Any, ...]) -> Run:
        number, query, source, updates, malformed, started, pid, ticks, stopped = row
        place = self._folder / "runs" / number
        child = self._children.get(number)
        is_running = child.poll() is None if child is not None else bool(ticks) and _start_of(pid) == ticks
        told = _text(place / "told")
        figures = last_line(place / "metrics.jsonl")
        figures.pop("operators", None)
        if is_running:
            state = "running"
        elif stopped:
            state = "stopped"
        else:
            state = "done" if figures.get("state") == ENDED else "failed"
        return Run(number, Asked(query, source, updates, malformed), started, state, figures, told[-4000:])


def _options(asked: Asked, place: Path) -> list[str]:
    limits = ["--time-limit", str(TIME_LIMIT_SECONDS), "--memory-limit", MEMORY_LIMIT]
    common = ["-o", str(place / "result"), "--metrics", str(place / "metrics.jsonl"), "--stats", "json", "--quiet"]
    shown = ["--updates", asked.updates, "--report", "log"] if asked.updates else ["--format", "lines"]
    letters = ["--on-malformed", f"dead-letter={place / 'letters.jsonl'}"] if asked.malformed == "dead-letter" else []
    return [*common, *limits, *shown, *letters]


def _start_of(pid: int) -> str:
    """When a process started, where the system tells it: another may have its number later. Empty if it has ended."""
    try:
        os.kill(pid, 0)
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except ProcessLookupError:
        return ""
    except OSError:
        return "unknown"
    return "" if fields[0] == "Z" else fields[19]


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.exists() else ""


def last_line(path: Path) -> dict[str, Any]:
    """The last line of JSON in a file that grows; empty where there is none."""
    if not path.exists():
        return {}
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 65_536))
        lines = file.read().splitlines(keepends=True)
    for line in reversed(lines):
        if line.endswith(b"\n"):
            with suppress(ValueError):
                found = json.loads(line)
                return found if isinstance(found, dict) else {}
    return {}
