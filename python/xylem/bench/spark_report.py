"""The figures of `xylem bench spark` as a table, as bars in SVG, as JSON; and which of our own bars they clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.table import Table

from .bar_chart import bar_chart
from .machine_load import busy_machine
from .spark_run import SMALL_FILES, SMALL_FILES_TASK, SparkFigures
from .spark_tasks import TASKS, SparkTask
from .spark_worker import ENGINES, ON_SPARK, ONE_PROCESS, SMALL, SPARK_XML

LEAST_GAIN = 1.5
"""How much faster than one process two cores must be where the time is in evaluation."""
MOST_FIXED_SECONDS = 3.0
"""What a job may cost beyond the scan."""
LEAST_OVER_SPARK_XML = 5.0
MOST_WORKER_BYTES = 300e6
MOST_SMALL_FILES = 3.0
MOST_CUT_SHARE = 0.2
"""What the index pass may take of a scan, unless it is parallel."""
LEAST_CUT_GAIN = 1.3
"""How much faster several threads must find cut points, for the index pass to count as parallel."""


def table(figures: SparkFigures) -> Table:
    """Seconds by task and engine: the best run, the first one behind it."""
    made = Table(title=f"{figures.megabytes:,.0f} MB, {figures.master}: seconds, best run and (first run)")
    made.add_column("task")
    for engine in ENGINES:
        made.add_column(engine, justify="right")
    made.add_row("start", *(_seconds(figures.started.get(engine)) for engine in ENGINES))
    made.add_row("start and first answer", *(_seconds(figures.first_answers.get(engine)) for engine in ENGINES))
    made.add_row("start, until all workers ran", *(_seconds(figures.warm.get(engine)) for engine in ENGINES))
    for task in TASKS:
        made.add_row(task.name, *(_cell(figures, task, engine) for engine in ENGINES))
    for document, found in figures.cuts.items():
        threads = f"{found['all_threads']:.2f} by {found['threads']:.0f} threads"
        made.add_row(f"{document}, cut points", f"{found['one_thread']:.2f} by one", threads, "")
    for source, seconds in figures.small.items():
        name = f"{SMALL_FILES:,} small files" if source == SMALL[0] else "the same bytes in one file"
        made.add_row(name, "", f"{min(seconds):.2f} ({seconds[0]:.2f})", "")
    return made


def _cell(figures: SparkFigures, task: SparkTask, engine: str) -> str:
    best, first = figures.best(task.name, engine), figures.first(task.name, engine)
    if best is None:
        return "–"
    return f"{best:.2f} ({first:.2f}), {figures.megabytes / best:,.0f} MB/s"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def verdicts(figures: SparkFigures) -> Iterator[tuple[bool, str]]:
    """Each of the project's bars: whether it is cleared, and by how much."""
    for engine, how in figures.broken.items():
        yield False, f"{engine} {how}"
    for task in TASKS:
        yield from _against_others(figures, task)
    for name in figures.differing:
        yield False, f"{name}: the answers differ"
    yield from _index_pass(figures)
    yield from _memory_and_files(figures)


def _against_others(figures: SparkFigures, task: SparkTask) -> Iterator[tuple[bool, str]]:
    here, there, theirs = (figures.best(task.name, engine) for engine in (ONE_PROCESS, ON_SPARK, SPARK_XML))
    if here and there and not task.is_heavy:
        yield there - here <= MOST_FIXED_SECONDS, (
            f"{task.name}: a job costs {there - here:.2f} s beyond one process; the bar is {MOST_FIXED_SECONDS:g} s"
        )
    elif task.name in figures.in_turn:
        found = figures.in_turn[task.name]
        gain = min(found[ONE_PROCESS]) / min(found[ON_SPARK])
        yield gain >= LEAST_GAIN, (
            f"{task.name}: {gain:.2f}× as fast as one process, best of {len(found[ON_SPARK])} runs in turn; "
            f"the bar is {LEAST_GAIN:g}×"
        )
    if there and theirs:
        first = (figures.first(task.name, SPARK_XML) or 0.0) / (figures.first(task.name, ON_SPARK) or 1.0)
        yield theirs / there >= LEAST_OVER_SPARK_XML, (
            f"{task.name}: {theirs / there:.1f}× as fast as Spark's XML source once its code is compiled, "
            f"{first:.1f}× in the first run; the bar is {LEAST_OVER_SPARK_XML:g}×"
        )


def _index_pass(figures: SparkFigures) -> Iterator[tuple[bool, str]]:
    for document, found in figures.cuts.items():
        scans = [figures.best(task.name, ONE_PROCESS) for task in TASKS if task.document == document]
        scan = min(seconds for seconds in scans if seconds is not None)
        share, gain = found["all_threads"] / scan, found["one_thread"] / found["all_threads"]
        yield share < MOST_CUT_SHARE or gain >= LEAST_CUT_GAIN, (
            f"{document}: cut points take {share:.2f} of a scan, {gain:.2f}× as fast by {found['threads']:.0f} threads "
            f"as by one; the bar is {MOST_CUT_SHARE:g}, or a parallel pass ({LEAST_CUT_GAIN:g}×)"
        )


def _memory_and_files(figures: SparkFigures) -> Iterator[tuple[bool, str]]:
    workers = [found[ON_SPARK]["worker_rss_bytes"] for found in figures.tasks.values() if ON_SPARK in found]
    if workers:
        yield max(workers) < MOST_WORKER_BYTES, f"{max(workers) / 1e6:.0f} MB in a worker; the bar is 300 MB"
    if len(figures.small) > 1:
        many, one = (min(figures.small[source]) for source in SMALL)
        yield many / one <= MOST_SMALL_FILES, (
            f"{SMALL_FILES_TASK}: {SMALL_FILES:,} in {many:.2f} s, {many / one:.1f}× the time of one file; "
            f"the bar is {MOST_SMALL_FILES:g}×"
        )


def caution(figures: SparkFigures) -> str | None:
    """What must be known of the machine to read the figures."""
    return busy_machine(figures.others)


def as_json(figures: SparkFigures) -> dict[str, Any]:
    return {**asdict(figures), "verdicts": [{"holds": holds, "what": what} for holds, what in verdicts(figures)]}


def figure(figures: SparkFigures) -> str:
    """The best seconds as bars."""
    return bar_chart(
        f"One document of {figures.megabytes:,.0f} MB, {figures.master}",
        [task.name for task in TASKS],
        {engine: [figures.best(task.name, engine) for task in TASKS] for engine in ENGINES},
        "s",
    )
