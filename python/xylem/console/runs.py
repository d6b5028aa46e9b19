"""The runs of a project as the console sees them: started and stopped here, shown from their files.

A run is a process of its own. It continues when the console ends, and the next console finds it by the registry. A run
that the console starts reads one query and one input of the project, and no other file.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from xylem.errors import InputError

from . import stream_figures
from .clean_environment import clean_environment, spark_environment
from .project import Project
from .registry import METRICS, PROCESS, SPARK, STREAM, Asked, Entry, Registry
from .run_arguments import RESULT, arguments, checked

RUNS_AT_ONCE = 4


@dataclass(frozen=True)
class Run:
    """The current state of a run."""

    id: str
    asked: Asked
    started: float
    state: str
    """running, stopped, done or failed"""
    figures: dict[str, Any]
    """The latest of its figures."""
    told: str
    """Its messages on standard error."""

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), **asdict(self.asked), "asked": None}


class Runs:
    """All runs of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._registry = Registry(project.root)
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, asked: Asked) -> str:
        """Start a run; returns its id."""
        self._look_at(asked)
        number = self._registry.add(asked)
        self._begin(number, asked)
        return number

    def all(self) -> list[Run]:
        """Every run, the latest first."""
        return [self._run(entry) for entry in self._registry.entries()]

    def run(self, number: str) -> Run:
        """A run by its id; XYIN0002 if there is none."""
        found = next((entry for entry in self._registry.entries() if entry.id == number), None)
        if found is None:
            raise InputError("XYIN0002", f"{number}: there is no such run")
        return self._run(found)

    def stop(self, number: str) -> None:
        """Ask a run to end; its files stay."""
        if self.run(number).state == "running":
            with suppress(ProcessLookupError):
                os.kill(self._registry.stop(number), signal.SIGTERM)

    def restart(self, number: str) -> str:
        """Start the same run again, as another one. A continuous run continues from its checkpoint."""
        run = self.run(number)
        if run.asked.command:
            raise InputError("XYIN0002", f"start it where you started it before: {run.asked.command}")
        if run.asked.runner != STREAM:
            self.stop(number)
            return self.start(run.asked)
        if run.state != "running":
            self._look_at(run.asked)
            self._registry.forget_end(number)
            self._begin(number, run.asked)
        return number

    def place(self, number: str) -> Path:
        """The directory of a run."""
        return self._registry.place(self.run(number).id)

    def _look_at(self, asked: Asked) -> None:
        checked(asked)
        self.project.file(asked.query)
        self.project.input(asked.input)
        if sum(run.state == "running" for run in self.all()) >= RUNS_AT_ONCE:
            raise InputError("XYIN0004", f"at most {RUNS_AT_ONCE} runs can be active at once; stop one first")

    def _begin(self, number: str, asked: Asked) -> None:
        place = self._registry.place(number)
        command = arguments(asked, self.project.file(asked.query), self.project.input(asked.input), place)
        is_printed = asked.runner == STREAM and not asked.updates
        with (
            (place / "told").open("ab") as told,
            (place / RESULT if is_printed else Path(os.devnull)).open("ab") as printed,
        ):
            child = subprocess.Popen(
                [sys.executable, "-m", "xylem.cli.registered_run", number, *command],
                cwd=place,
                env=clean_environment() if asked.runner == PROCESS else spark_environment(),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=told,
                start_new_session=True,
            )
        self._children[number] = child
        self._registry.began(number, child.pid)

    def _run(self, entry: Entry) -> Run:
        place = self._registry.place(entry.id)
        child = self._children.get(entry.id)
        if child.poll() is None if child is not None else entry.is_running:
            state = "running"
        elif entry.was_stopped:
            state = "stopped"
        else:
            state = "done" if entry.exit_code == 0 else "failed"
        return Run(entry.id, entry.asked, entry.started, state, self._figures(entry), _text(place / "told")[-4000:])

    def _figures(self, entry: Entry) -> dict[str, Any]:
        place = self._registry.place(entry.id)
        # A batch on Spark has its figures when it ends, on standard error.
        figures = last_line(place / ("told" if entry.asked.runner == SPARK else METRICS))
        figures.pop("operators", None)
        return stream_figures.of_batch(figures, entry.started)


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.exists() else ""


def last_line(path: Path) -> dict[str, Any]:
    """The last line of JSON in a growing file; empty if there is none."""
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
