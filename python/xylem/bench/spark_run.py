"""Runs of `xylem bench spark`: documents of a size, each engine in a process of its own, and what they measured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

from . import photons, xmark
from .spark_tasks import TASKS
from .spark_worker import FIRST, ON_SPARK, SMALL, WARM

MEGABYTES_OF_SCALE_1 = 116.8
PHOTON_BYTES = 189
SMALL_FILES, SMALL_FILE_BYTES = 10_000, 10_000
SMALL_FILES_TASK = "small files"
FIRST_RECORDS = 50
WARM_MEGABYTES = 10.0


@dataclass
class SparkFigures:
    """What all engines measured."""

    megabytes: float
    master: str
    others: float = 0.0
    """How many processes of others wanted a core when the run began (the load average)."""
    started: dict[str, float] = field(default_factory=dict)
    """Seconds until an engine can take a query."""
    first_answers: dict[str, float] = field(default_factory=dict)
    """Seconds from its start until an engine has answered a query over a small document."""
    warm: dict[str, float] = field(default_factory=dict)
    """Seconds from its start until all workers of an engine have been at work, over a document of some megabytes."""
    tasks: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """Figures by task and engine."""
    in_turn: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """Seconds of tasks whose time is in evaluation, by engine, in runs that took turns."""
    small: dict[str, list[float]] = field(default_factory=dict)
    """Seconds for many small files, and for one of the same bytes."""
    small_answers: dict[str, str] = field(default_factory=dict)
    cuts: dict[str, dict[str, float]] = field(default_factory=dict)
    """Seconds for the cut points of each document, by one thread and by all."""
    differing: list[str] = field(default_factory=list)
    """Tasks whose answers are not the same."""
    broken: dict[str, str] = field(default_factory=dict)
    """Engines that did not come to their end, and how they ended."""

    def best(self, task: str, engine: str) -> float | None:
        """The seconds of the fastest run."""
        found = self.tasks.get(task, {}).get(engine)
        return min(found["seconds"]) if found else None

    def first(self, task: str, engine: str) -> float | None:
        """The seconds of the first run."""
        found = self.tasks.get(task, {}).get(engine)
        return float(found["seconds"][0]) if found else None


def run(
    folder: Path,
    megabytes: float,
    master: str,
    engines: Sequence[str],
    repeat: int,
    seed: int,
    limit_seconds: float,
    tell: Callable[[str], None],
) -> SparkFigures:
    """Measure all tasks with all engines, each for as long as the limit allows."""
    figures = SparkFigures(megabytes, master, os.getloadavg()[0])
    tell("writing documents")
    _write_documents(folder, megabytes, seed, with_small=ON_SPARK in engines)
    for engine in engines:
        tell(engine)
        _measure(engine, folder, master, repeat, limit_seconds, figures)
    for task in TASKS:
        answers = {_answer(folder / found["output"]) for found in figures.tasks.get(task.name, {}).values()}
        if len(answers) > 1:
            figures.differing.append(task.name)
    if len(set(figures.small_answers.values())) > 1:
        figures.differing.append(SMALL_FILES_TASK)
    return figures


def _measure(
    engine: str, folder: Path, master: str, repeat: int, limit_seconds: float, figures: SparkFigures
) -> None:
    command = [sys.executable, "-m", "xylem.bench.spark_worker", engine, str(folder), master, str(repeat)]
    # In a process group of its own, which a JVM that it starts belongs to as well.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        timer = Timer(limit_seconds, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        assert process.stdout is not None
        for line in process.stdout:
            take(json.loads(line), engine, figures)
        process.wait()
        timer.cancel()
    if process.returncode == -signal.SIGKILL:
        figures.broken[engine] = f"was ended after {limit_seconds:.0f} s"
    elif process.returncode:
        figures.broken[engine] = f"ended with {process.returncode}"


def take(found: dict[str, Any], engine: str, figures: SparkFigures) -> None:
    """A line of an engine's."""
    if "started" in found:
        figures.started[engine] = found["started"]
    elif "first_answer" in found:
        figures.first_answers[engine] = found["first_answer"]
    elif "warm" in found:
        figures.warm[engine] = found["warm"]
    elif "in_turn" in found:
        figures.in_turn[found.pop("in_turn")] = found
    elif "small" in found:
        figures.small[found["small"]] = found["seconds"]
        figures.small_answers[found["small"]] = found["answer"]
    elif "cuts" in found:
        figures.cuts[found.pop("cuts")] = found
    else:
        figures.tasks.setdefault(found.pop("task"), {})[engine] = found


def _answer(path: Path) -> str:
    """The answer without the ends of lines, which only one of the engines writes."""
    import hashlib

    return hashlib.sha256(path.read_bytes().replace(b"\n", b"")).hexdigest()


def _write_documents(folder: Path, megabytes: float, seed: int, *, with_small: bool) -> None:
    """The documents; those that an earlier run has left in the folder are used again."""
    made = {"megabytes": megabytes, "seed": seed, "small": with_small, "warm": WARM_MEGABYTES}
    note = folder / "documents.json"
    if note.exists() and json.loads(note.read_text(encoding="utf-8")) == made:
        return
    xmark.write(folder / "auctions.xml", megabytes / MEGABYTES_OF_SCALE_1, seed)
    photons.write(folder / "photons.xml", int(megabytes * 1e6 / PHOTON_BYTES), seed)
    photons.write(folder / FIRST, FIRST_RECORDS, seed)
    photons.write(folder / WARM, int(min(WARM_MEGABYTES, megabytes) * 1e6 / PHOTON_BYTES), seed)
    if with_small:
        _write_small(folder, seed)
    note.write_text(json.dumps(made), encoding="utf-8")


def _write_small(folder: Path, seed: int) -> None:
    """Photons in many small files, and all of them in one."""
    small, joined_name = SMALL
    (folder / small).mkdir(exist_ok=True)
    records = SMALL_FILE_BYTES // PHOTON_BYTES
    events = photons.events(SMALL_FILES * records, seed)
    with (folder / joined_name).open("w", encoding="ascii") as joined:
        joined.write("<photons>\n")
        for number in range(SMALL_FILES):
            text = "".join(next(events) for _ in range(records))
            joined.write(text)
            (folder / small / f"{number:05}.xml").write_text(f"<photons>\n{text}</photons>\n", encoding="ascii")
        joined.write("</photons>\n")
