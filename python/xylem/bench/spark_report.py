"""The figures of `xylem bench spark` as a table, as bars in SVG, as JSON; and which of our own bars they clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.table import Table

from .bar_chart import bar_chart
from .spark_run import SparkFigures
from .spark_tasks import TASKS, SparkTask
from .spark_worker import ENGINES, ON_SPARK, ONE_PROCESS, SPARK_XML

LEAST_GAIN = 1.5
"""How much faster than one process two cores must be where the time is in evaluation."""
MOST_FIXED_SECONDS = 3.0
"""What a job may cost beyond the scan."""
LEAST_OVER_SPARK_XML = 5.0
MOST_WORKER_BYTES = 300e6
MOST_SMALL_FILES = 3.0


def table(figures: SparkFigures) -> Table:
    """Seconds by task and engine: the best run, the first one behind it."""
    made = Table(title=f"{figures.megabytes:,.0f} MB, {figures.master}: seconds, best and first run")
    made.add_column("task")
    for engine in ENGINES:
        made.add_column(engine, justify="right")
    made.add_row("start", *(_seconds(figures.started.get(engine)) for engine in ENGINES))
    cuts = [figures.tasks[task.name][ON_SPARK]["cut_seconds"] for task in TASKS if ON_SPARK in figures.tasks[task.name]]
    made.add_row("cut points, by all cores", "", f"{min(cuts):.2f} to {max(cuts):.2f}" if cuts else "", "")
    for task in TASKS:
        made.add_row(task.name, *(_cell(figures, task, engine) for engine in ENGINES))
    return made


def _cell(figures: SparkFigures, task: SparkTask, engine: str) -> str:
    found = figures.tasks.get(task.name, {}).get(engine)
    if found is None:
        return "–"
    best = min(found["seconds"])
    return f"{best:.2f} ({found['seconds'][0]:.2f}), {figures.megabytes / best:,.0f} MB/s"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def verdicts(figures: SparkFigures) -> Iterator[tuple[bool, str]]:
    """Each of the project's bars: whether it is cleared, and by how much."""
    for task in TASKS:
        here, there, theirs = (figures.best(task.name, engine) for engine in (ONE_PROCESS, ON_SPARK, SPARK_XML))
        if here and there and not task.is_heavy:
            yield there - here <= MOST_FIXED_SECONDS, (
                f"{task.name}: a job costs {there - here:.2f} s beyond one process; the bar is {MOST_FIXED_SECONDS:g} s"
            )
        elif here and there:
            yield here / there >= LEAST_GAIN, (
                f"{task.name}: {here / there:.2f}× as fast as one process; the bar is {LEAST_GAIN:g}×"
            )
        if there and theirs:
            ratio = theirs / there
            yield ratio >= LEAST_OVER_SPARK_XML, f"{task.name}: {ratio:.1f}× Spark's XML source; the bar is 5×"
        if task.name in figures.differing:
            yield False, f"{task.name}: the answers differ"
    yield from _memory_and_files(figures)


def _memory_and_files(figures: SparkFigures) -> Iterator[tuple[bool, str]]:
    workers = [found[ON_SPARK]["worker_rss_bytes"] for found in figures.tasks.values() if ON_SPARK in found]
    if workers:
        yield max(workers) < MOST_WORKER_BYTES, f"{max(workers) / 1e6:.0f} MB in a worker; the bar is 300 MB"
    if len(figures.small) > 1:
        ratio = figures.small["small"] / figures.small["joined.xml"]
        yield ratio <= MOST_SMALL_FILES, (
            f"10,000 small files: {figures.small['small']:.2f} s, {ratio:.1f}× the time of one file; the bar is 3×"
        )


def as_json(figures: SparkFigures) -> dict[str, Any]:
    return asdict(figures)


def figure(figures: SparkFigures) -> str:
    """The best seconds as bars."""
    return bar_chart(
        f"One document of {figures.megabytes:,.0f} MB, {figures.master}",
        [task.name for task in TASKS],
        {engine: [figures.best(task.name, engine) for task in TASKS] for engine in ENGINES},
        "s",
    )
