"""The speed of a scan: every engine over the same bytes, on one core, one after the other in one run.

What counts are ratios within a run, never times: machines differ, and this one may be busy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from . import photons, xmark
from .flux_run import BYTES_OF_SCALE_1
from .scan_tasks import TASKS, Task
from .worker_process import best_of

BYTES_PER_PHOTON = 188
MOST_RSS_BYTES: Final = 100_000_000
MOST_GROWTH_BYTES: Final = 5_000_000
BARS: Final = {"expat": 3.0, "lxml": 5.0, "pygixml": 1.0, "Saxon": 10.0}
"""How many times faster than each of them Xylem should be."""


BARE_PARSE: Final = "expat"


@dataclass(frozen=True)
class Measured:
    """One engine at one task: the best of the repetitions."""

    cpu_seconds: float
    peak_rss_bytes: int
    answer: str


@dataclass(frozen=True)
class TaskFigures:
    """One task by all engines; who failed or is missing has a reason instead of figures."""

    task: Task
    input_bytes: int
    figures: dict[str, Measured]
    reasons: dict[str, str] = field(default_factory=dict)
    larger: dict[int, Measured] = field(default_factory=dict)
    """Xylem alone, over longer documents, by their bytes."""

    def ratio(self, engine: str) -> float | None:
        """How many times as long an engine takes as Xylem."""
        if engine not in self.figures or "Xylem" not in self.figures:
            return None
        return self.figures[engine].cpu_seconds / max(self.figures["Xylem"].cpu_seconds, 1e-9)

    @property
    def growth_bytes(self) -> int | None:
        """How much more memory Xylem takes for the longest document; None where there is only one size."""
        if not self.larger or "Xylem" not in self.figures:
            return None
        return max(m.peak_rss_bytes for m in self.larger.values()) - self.figures["Xylem"].peak_rss_bytes

    @property
    def agree(self) -> bool:
        """Whether all who answered gave the same answer."""
        return len({found.answer for name, found in self.figures.items() if name != "expat"}) < 2


def run(
    folder: Path,
    megabytes: Sequence[float],
    engines: Sequence[str],
    repetitions: int = 3,
    seed: int = 0,
    progress: Callable[[str], None] = lambda step: None,
) -> list[TaskFigures]:
    """All tasks by all engines over documents of the first size; Xylem over those of the other sizes too."""
    results: list[TaskFigures] = []
    for kind in ("auction", "photons"):
        tasks = [task for task in TASKS if task.document == kind]
        for place, size in enumerate(megabytes):
            progress(f"{size:g} MB of {kind}")
            document = _document(folder, kind, size, seed)
            if place == 0:
                found_here = [_by_all(task, document, engines, repetitions, progress) for task in tasks]
                _share_bare_parse(found_here)
                results += found_here
            else:
                for found in (found for found in results if found.task in tasks):
                    progress(f"{found.task.name} over {size:g} MB")
                    larger = measure("Xylem", found.task.name, document, 1)
                    if isinstance(larger, Measured):
                        found.larger[document.stat().st_size] = larger
            document.unlink()
    return results


def _share_bare_parse(results: Sequence[TaskFigures]) -> None:
    """A parse that answers nothing is the same for all tasks over a document: its best time is that of all of them."""
    parses = [found.figures[BARE_PARSE] for found in results if BARE_PARSE in found.figures]
    for found in results:
        if BARE_PARSE in found.figures:
            found.figures[BARE_PARSE] = min(parses, key=lambda parse: parse.cpu_seconds)


def _document(folder: Path, kind: str, megabytes: float, seed: int) -> Path:
    path = folder / f"{kind}.xml"
    if kind == "auction":
        xmark.write(path, megabytes * 1_000_000 / BYTES_OF_SCALE_1, seed)
    else:
        photons.write(path, int(megabytes * 1_000_000 / BYTES_PER_PHOTON), seed)
    return path


def _by_all(
    task: Task, document: Path, engines: Sequence[str], repetitions: int, progress: Callable[[str], None]
) -> TaskFigures:
    found = TaskFigures(task, document.stat().st_size, {})
    for engine in engines:
        progress(f"{task.name} by {engine}")
        measured = measure(engine, task.name, document, repetitions)
        if isinstance(measured, Measured):
            found.figures[engine] = measured
        else:
            found.reasons[engine] = measured
    return found


def measure(engine: str, task: str, document: Path, repetitions: int) -> Measured | str:
    """The best of several runs, each in a process of its own; a reason where there is none."""
    found = best_of(repetitions, "scan_worker", [engine, task, str(document)])
    if not isinstance(found, dict):
        return str(found)
    return Measured(found["cpu_seconds"], found["peak_rss_bytes"], found["answer"])
