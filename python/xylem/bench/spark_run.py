"""Runs of `xylem bench spark`: documents of a size, each engine in a process of its own, and what they measured."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import photons, xmark
from .spark_tasks import TASKS
from .spark_worker import ON_SPARK

MEGABYTES_OF_SCALE_1 = 116.8
PHOTON_BYTES = 189
SMALL_FILES, SMALL_FILE_BYTES = 10_000, 10_000


@dataclass
class SparkFigures:
    """What all engines measured."""

    megabytes: float
    master: str
    started: dict[str, float] = field(default_factory=dict)
    """Seconds until an engine can take a query."""
    tasks: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """Figures by task and engine."""
    small: dict[str, float] = field(default_factory=dict)
    """Seconds for many small files, and for one of the same bytes."""
    differing: list[str] = field(default_factory=list)
    """Tasks whose answers are not the same."""

    def best(self, task: str, engine: str) -> float | None:
        """The seconds of the fastest run."""
        found = self.tasks.get(task, {}).get(engine)
        return min(found["seconds"]) if found else None


def run(
    folder: Path,
    megabytes: float,
    master: str,
    engines: Sequence[str],
    repeat: int,
    seed: int,
    tell: Callable[[str], None],
) -> SparkFigures:
    """Measure all tasks with all engines."""
    figures = SparkFigures(megabytes, master)
    tell("writing documents")
    xmark.write(folder / "auctions.xml", megabytes / MEGABYTES_OF_SCALE_1, seed)
    photons.write(folder / "photons.xml", int(megabytes * 1e6 / PHOTON_BYTES), seed)
    if ON_SPARK in engines:
        _write_small(folder, seed)
    for engine in engines:
        tell(engine)
        _measure(engine, folder, master, repeat, figures)
    for task in TASKS:
        answers = {_answer(folder / found["output"]) for found in figures.tasks.get(task.name, {}).values()}
        if len(answers) > 1:
            figures.differing.append(task.name)
    return figures


def _measure(engine: str, folder: Path, master: str, repeat: int, figures: SparkFigures) -> None:
    command = [sys.executable, "-m", "xylem.bench.spark_worker", engine, str(folder), master, str(repeat)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            found = json.loads(line)
            if "started" in found:
                figures.started[engine] = found["started"]
            elif found["task"].startswith("small files: "):
                figures.small[found["task"].removeprefix("small files: ")] = found["seconds"][0]
            else:
                figures.tasks.setdefault(found.pop("task"), {})[engine] = found
    if process.returncode:
        raise RuntimeError(f"{engine} ended with {process.returncode}")


def _answer(path: Path) -> str:
    """The answer without the ends of lines, which only one of the engines writes."""
    import hashlib

    return hashlib.sha256(path.read_bytes().replace(b"\n", b"")).hexdigest()


def _write_small(folder: Path, seed: int) -> None:
    """Photons in many small files, and all of them in one."""
    (folder / "small").mkdir(exist_ok=True)
    records = SMALL_FILE_BYTES // PHOTON_BYTES
    events = photons.events(SMALL_FILES * records, seed)
    with (folder / "joined.xml").open("w", encoding="ascii") as joined:
        joined.write("<photons>\n")
        for number in range(SMALL_FILES):
            text = "".join(next(events) for _ in range(records))
            joined.write(text)
            (folder / "small" / f"{number:05}.xml").write_text(f"<photons>\n{text}</photons>\n", encoding="ascii")
        joined.write("</photons>\n")

