"""`xylem bench single-pass`: queries over documents of growing size, by Xylem, Saxon and BaseX, a process for each."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from .single_pass_tasks import PassTask
from .worker_process import Limit, Stopped, figures_of

ENGINES = ("Xylem", "Saxon", "BaseX")
PLAIN = "plain scan"
LONG_ENOUGH = 55
"""An engine gets at least this multiple of Xylem's time: less would not show how much longer it takes."""


@dataclass(frozen=True)
class Cost:
    """What one process took, from its start to its end."""

    cpu_seconds: float
    wall_seconds: float
    peak_rss_bytes: int
    answer: str
    """As text without white space between elements."""


@dataclass
class PassFigures:
    """One query over a document of one size."""

    task: PassTask
    megabytes: float
    costs: dict[str, Cost] = field(default_factory=dict)
    """By engine; `plain scan` is Xylem, counting."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Why there is no cost."""
    stopped: dict[str, float] = field(default_factory=dict)
    """The seconds of CPU time after which an engine was stopped."""

    @property
    def agree(self) -> bool:
        """Whether all answers are the same."""
        return len({cost.answer for engine, cost in self.costs.items() if engine != PLAIN}) < 2


@dataclass
class PassResults:
    figures: list[PassFigures]
    startup_seconds: dict[str, float]
    """CPU time of Xylem for each query over next to nothing."""
    limit_seconds: float


def run(
    tasks: Sequence[PassTask],
    sizes: Callable[[PassTask], Sequence[float]],
    engines: Sequence[str],
    limit_seconds: float,
    repetitions: int,
    progress: Callable[[str], None],
) -> PassResults:
    """Measure every query over every size; an engine that was stopped is not asked for a larger one."""
    results = PassResults([], {}, limit_seconds)
    with tempfile.TemporaryDirectory(prefix="xylem-single-pass-") as folder:
        bench = _Bench(Path(folder), limit_seconds, repetitions, progress)
        for task in tasks:
            tiny = bench.measured("Xylem", task, task.query, bench.document(task, 0.001))
            if isinstance(tiny, Cost):
                results.startup_seconds[task.name] = tiny.cpu_seconds
            stopped: set[str] = set()
            for megabytes in sizes(task):
                found = bench.size(task, megabytes, [engine for engine in engines if engine not in stopped])
                stopped |= found.stopped.keys() | found.reasons.keys()
                results.figures.append(found)
            bench.forget(task, tasks)
    return results


class _Bench:
    def __init__(self, folder: Path, limit: float, repetitions: int, progress: Callable[[str], None]) -> None:
        self.folder, self.repetitions, self.progress = folder, repetitions, progress
        self.limit = self.least_limit = limit

    def document(self, task: PassTask, megabytes: float) -> Path:
        path = self.folder / f"{task.data}-{megabytes:g}.xml"
        if not path.exists():
            self.progress(f"{megabytes:g} MB for {task.data}")
            task.write(path, megabytes)
        return path

    def forget(self, task: PassTask, tasks: Sequence[PassTask]) -> None:
        """Documents that no later query reads."""
        later = tasks[list(tasks).index(task) + 1 :]
        if all(other.data != task.data for other in later):
            for path in self.folder.glob(f"{task.data}-*.xml"):
                path.unlink()

    def size(self, task: PassTask, megabytes: float, engines: Sequence[str]) -> PassFigures:
        document = self.document(task, megabytes)
        found = PassFigures(task, megabytes)
        self.limit = self.least_limit
        for engine in (PLAIN, *engines):
            self.progress(f"{task.name}, {megabytes:g} MB, {engine}")
            query = task.plain if engine == PLAIN else task.query
            cost = self.measured("Xylem" if engine == PLAIN else engine, task, query, document)
            if isinstance(cost, Cost) and engine == "Xylem":
                self.limit = max(self.least_limit, LONG_ENOUGH * cost.cpu_seconds if task.is_application else 0)
            if isinstance(cost, Cost):
                found.costs[engine] = cost
            elif isinstance(cost, float):
                found.stopped[engine] = cost
            else:
                found.reasons[engine] = cost
        return found

    def measured(self, engine: str, task: PassTask, query: str, document: Path) -> Cost | float | str:
        """The cheapest of some runs; the seconds after which it was stopped; or why there is none."""
        best: Cost | None = None
        for _ in range(self.repetitions if engine == "Xylem" else 1):
            cost = self._once(engine, task, query, document)
            if not isinstance(cost, Cost):
                return cost
            if best is None or cost.cpu_seconds < best.cpu_seconds:
                best = cost
        assert best is not None
        return best

    def _once(self, engine: str, task: PassTask, query: str, document: Path) -> Cost | float | str:
        if engine == "Saxon" and find_spec("saxonche") is None:
            return "the package saxonche is not installed"
        if engine == "BaseX" and shutil.which("basex") is None:
            return "the command basex is not installed"
        answer, asked = self.folder / "answer", self.folder / "query.xq"
        asked.write_text(query, encoding="utf-8")
        variables = {} if query == task.plain else task.variables
        given = [f"{name}={value}" for name, value in variables.items()]
        started = time.perf_counter()
        told = figures_of(
            "single_pass_worker", [engine, str(asked), str(document), str(answer), *given], Limit(self.limit, "cpu")
        )
        wall = time.perf_counter() - started
        if isinstance(told, Stopped):
            return told.seconds
        if isinstance(told, str):
            return told[:200]
        text = "".join(answer.read_text(encoding="utf-8").split())
        found = Cost(told["cpu_seconds"], wall, told["peak_rss_bytes"], text)
        answer.unlink()
        return found
