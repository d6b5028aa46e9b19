"""`xylem bench windows`: the cost of an item, by kind of window, by how many are open, and by way to compute them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .windows_engines import by_hand, items_for
from .windows_tasks import NAMED, WindowTask

MOST_GROWTH = 2.0
"""The cost of an item with the most open windows may be so many times that with the fewest."""
MOST_MORE_BYTES = 8_000_000
"""How much more memory a hundred times as many items may take: what the runtime keeps for itself."""
MOST_FOR_ALL = 1_000_000
UNHURT = ("Xylem", "Xylem, streamed", "loop by hand", "pandas")
INDEXED = ("sliding", "time", "keyed")


@dataclass(frozen=True)
class Measured:
    items: int
    cpu_seconds: float
    peak_rss_bytes: int
    answer: tuple[int, ...]


@dataclass
class SizeFigures:
    """One kind of window of one size."""

    task: WindowTask
    size: int
    items: int
    figures: dict[str, Measured] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def microseconds(self, engine: str) -> float | None:
        """The CPU time for one item."""
        found = self.figures.get(engine)
        return None if found is None else 1e6 * found.cpu_seconds / found.items

    @cached_property
    def agree(self) -> bool:
        """Whether all answers are those of the loop by hand."""
        right = {count: by_hand(self.task, self.size, count) for count in {f.items for f in self.figures.values()}}
        return all(figures.answer == right[figures.items] for figures in self.figures.values())


@dataclass
class WindowResults:
    sizes: list[SizeFigures]
    memory: dict[str, dict[int, int]]
    """Peak memory of Xylem by kind of window and number of items."""


def run(
    tasks: Sequence[str],
    sizes: Sequence[int],
    lengths: Sequence[int],
    memory_items: Sequence[int],
    engines: Sequence[str],
    repetitions: int,
    progress: Callable[[str], None],
) -> WindowResults:
    """Measure every kind of window of every size; then memory over inputs of several lengths."""
    found = [
        _measure_size(NAMED[task], size, max(items, 3 * size), _for_length(engines, items), repetitions, progress)
        for items in lengths
        for task in tasks
        for size in sizes
    ]
    memory: dict[str, dict[int, int]] = {}
    for task in tasks:
        for number in memory_items:
            progress(f"memory of {task} over {number:,} items")
            for engine in [name for name in engines if name in ("Xylem", "Xylem, streamed")]:
                measured = measure(engine, task, 1_000, number, 1)
                if isinstance(measured, Measured):
                    told = task if engine == "Xylem" else f"{task}, streamed"
                    memory.setdefault(told, {})[number] = measured.peak_rss_bytes
    return WindowResults(found, memory)


def _for_length(engines: Sequence[str], items: int) -> list[str]:
    """Beyond a million items the ways that get fewer of them, or hold all, show nothing new."""
    return [name for name in engines if items <= MOST_FOR_ALL or name in UNHURT]


def _measure_size(
    task: WindowTask,
    size: int,
    items: int,
    engines: Sequence[str],
    repetitions: int,
    progress: Callable[[str], None],
) -> SizeFigures:
    found = SizeFigures(task, size, items)
    for engine in engines:
        progress(f"{task.name} of {size:,} by {engine}")
        given = items_for(engine, task, size, items)
        if given is None:
            found.reasons[engine] = "it tests every open window with every item"
            continue
        measured = measure(engine, task.name, size, given, repetitions)
        if isinstance(measured, Measured):
            found.figures[engine] = measured
        else:
            found.reasons[engine] = measured
    return found


def measure(engine: str, task: str, size: int, items: int, repetitions: int) -> Measured | str:
    """The best of several runs, each in a process of its own; a reason where there is none."""
    best: Measured | None = None
    here = str(Path(__file__).parent.parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))}
    for _ in range(repetitions):
        command = [sys.executable, "-m", "xylem.bench.windows_worker", engine, task, str(size), str(items)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if ended.returncode:
            said = ended.stderr.strip().splitlines()
            return said[-1] if said else f"it ended with {ended.returncode}"
        figures = json.loads(ended.stdout.splitlines()[-1])
        if "missing" in figures:
            return str(figures["missing"])
        measured = Measured(items, figures["cpu_seconds"], figures["peak_rss_bytes"], tuple(figures["answer"]))
        if best is None or measured.cpu_seconds < best.cpu_seconds:
            best = measured
    assert best is not None
    return best
