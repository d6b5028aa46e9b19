"""The figures of a scan as a table, as bars in SVG, as JSON; and which of the project's own bars they clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from .bar_chart import bar_chart
from .scan_run import BARS, MOST_GROWTH_BYTES, MOST_RSS_BYTES, TaskFigures


def table(results: Sequence[TaskFigures]) -> Table:
    """CPU seconds and memory by task and engine, and how many times faster Xylem is."""
    names = list(dict.fromkeys(name for found in results for name in (*found.figures, *found.reasons)))
    made = Table(title="From file to answer: CPU seconds, peak memory in MB, times as long as Xylem")
    made.add_column("task")
    for name in names:
        made.add_column(name, justify="right")
    for found in results:
        made.add_row(f"{found.task.name}\n{found.input_bytes / 1_000_000:.0f} MB", *(_cell(found, n) for n in names))
    return made


def _cell(found: TaskFigures, name: str) -> str:
    if name not in found.figures:
        return "–"
    figures, ratio = found.figures[name], found.ratio(name)
    text = f"{figures.cpu_seconds:.2f} s\n{figures.peak_rss_bytes / 1_000_000:.0f} MB"
    return text if ratio is None or name == "Xylem" else f"{text}\n{ratio:.1f}×"


def verdicts(results: Sequence[TaskFigures]) -> Iterator[tuple[bool, str]]:
    """Each of the project's bars: whether it is cleared, and by how much."""
    for found in results:
        for name, bar in BARS.items():
            ratio = found.ratio(name)
            if ratio is not None:
                yield ratio >= bar, f"{found.task.name}: {ratio:.1f}× as fast as {name}; the bar is {bar:g}×"
        if "Xylem" in found.figures:
            yield from _memory(found)
        if not found.agree:
            yield False, f"{found.task.name}: the answers differ"


def _memory(found: TaskFigures) -> Iterator[tuple[bool, str]]:
    most = max(m.peak_rss_bytes for m in (found.figures["Xylem"], *found.larger.values()))
    yield most < MOST_RSS_BYTES, f"{found.task.name}: {_mb(most)} of memory; the bar is {_mb(MOST_RSS_BYTES)}"
    growth = found.growth_bytes
    if growth is not None:
        sizes = f"from {_mb(found.input_bytes)} to {_mb(max(found.larger))} of input"
        bar = f"the bar is {_mb(MOST_GROWTH_BYTES)}"
        yield growth < MOST_GROWTH_BYTES, f"{found.task.name}: {_mb(growth)} more {sizes}; {bar}"


def _mb(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"


def remarks(results: Sequence[TaskFigures], scanner: str) -> Iterator[str]:
    """What else a reader must know."""
    yield f"the scanner is {scanner}"
    for name, reason in {(n, reason) for found in results for n, reason in found.reasons.items()}:
        yield f"{name} is left out: {reason}"


def figure(results: Sequence[TaskFigures]) -> str:
    """CPU time by task and engine, as SVG."""
    names = list(dict.fromkeys(name for found in results for name in found.figures))
    series = {
        name: [1000 * found.figures[name].cpu_seconds if name in found.figures else None for found in results]
        for name in names
    }
    return bar_chart("From file to answer, CPU time", [found.task.name for found in results], series)


def as_json(results: Sequence[TaskFigures], scanner: str) -> dict[str, Any]:
    """The figures for programs."""
    return {
        "scanner": scanner,
        "tasks": [
            {
                "name": found.task.name,
                "input_bytes": found.input_bytes,
                "engines": {
                    name: {
                        "cpu_seconds": round(figures.cpu_seconds, 4),
                        "peak_rss_bytes": figures.peak_rss_bytes,
                        "times_xylem": None if (ratio := found.ratio(name)) is None else round(ratio, 2),
                    }
                    for name, figures in found.figures.items()
                },
                "missing": found.reasons,
                "answers_agree": found.agree,
                "xylem_rss_by_input_bytes": {
                    str(size): figures.peak_rss_bytes for size, figures in found.larger.items()
                },
            }
            for found in results
        ],
        "bars": [{"cleared": cleared, "what": what} for cleared, what in verdicts(results)],
    }
