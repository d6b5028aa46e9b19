"""The figures of one pass as a table, as SVG, as JSON; and which of the project's own bars they clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from rich.table import Table

from .bar_chart import bar_chart
from .single_pass_run import PLAIN, PassFigures, PassResults

MOST_GROWTH = 1.2
"""Time may grow so many times as much as the input: the start of a process makes it grow less."""
MOST_MORE_BYTES = 30_000_000
"""How much more memory the largest document may take than the smallest."""
COMPARED_MEGABYTES = 10.0
"""The size for which applications are compared."""
LEAST_FASTER = 50.0
"""Saxon may take no less than so many times the time."""
MOST_OF_SCAN = 2.5
"""An application may take so many times the time of a plain scan of the same bytes."""


def table(results: PassResults) -> Table:
    """CPU time and memory of each process."""
    names = _engines(results.figures)
    made = Table(title="One pass: CPU seconds (wall seconds), peak memory")
    made.add_column("query")
    made.add_column("MB", justify="right")
    for name in names:
        made.add_column(name, justify="right")
    for found in results.figures:
        made.add_row(found.task.name, f"{found.megabytes:g}", *(_cell(found, name) for name in names))
    return made


def _engines(figures: Sequence[PassFigures]) -> list[str]:
    return list(dict.fromkeys(name for found in figures for name in (*found.costs, *found.stopped, *found.reasons)))


def _cell(found: PassFigures, name: str) -> str:
    if name in found.stopped:
        return f"> {found.stopped[name]:.0f}"
    cost = found.costs.get(name)
    if cost is None:
        return "–"
    return f"{cost.cpu_seconds:.2f} ({cost.wall_seconds:.2f}) {cost.peak_rss_bytes / 1e6:.0f} MB"


def verdicts(results: PassResults) -> Iterator[tuple[bool, str]]:
    """Each bar: whether it is cleared, and by how much."""
    for name in dict.fromkeys(found.task.name for found in results.figures):
        rows = [found for found in results.figures if found.task.name == name and "Xylem" in found.costs]
        yield from _linear(name, rows)
        yield from _flat(name, rows)
    for found in results.figures:
        if not found.agree:
            yield False, f"{found.task.name}, {found.megabytes:g} MB: the answers differ"
        if found.task.is_application and found.megabytes == COMPARED_MEGABYTES and "Xylem" in found.costs:
            if not found.task.has_tail_call:
                yield from _beside_saxon(found)
            yield from _beside_scan(found, results)


def _linear(name: str, rows: Sequence[PassFigures]) -> Iterator[tuple[bool, str]]:
    for before, after in pairwise(rows):
        times = after.costs["Xylem"].cpu_seconds / before.costs["Xylem"].cpu_seconds
        size = after.megabytes / before.megabytes
        told = f"{name}: {times:.1f}× the CPU time for {size:.1f}× the input, {after.megabytes:g} MB"
        yield times <= MOST_GROWTH * size, f"{told}; the bar is {MOST_GROWTH:g} of linear"


def _flat(name: str, rows: Sequence[PassFigures]) -> Iterator[tuple[bool, str]]:
    if len(rows) > 1:
        more = rows[-1].costs["Xylem"].peak_rss_bytes - rows[0].costs["Xylem"].peak_rss_bytes
        sizes = f"{rows[0].megabytes:g} to {rows[-1].megabytes:g} MB of input"
        told = f"{name}: {more / 1e6:+.1f} MB of memory from {sizes}"
        yield more < MOST_MORE_BYTES, f"{told}; the bar is {MOST_MORE_BYTES / 1e6:g} MB"


def _beside_saxon(found: PassFigures) -> Iterator[tuple[bool, str]]:
    ours = found.costs["Xylem"].cpu_seconds
    told = f"{found.task.name}, {found.megabytes:g} MB"
    if "Saxon" in found.stopped:
        limit = found.stopped["Saxon"]
        text = f"{told}: Saxon was stopped after {limit:.0f} s, {limit / ours:.0f}× the time of Xylem"
        yield limit / ours >= LEAST_FASTER, f"{text}; the bar is {LEAST_FASTER:g}×"
    elif "Saxon" in found.costs:
        ratio = found.costs["Saxon"].cpu_seconds / ours
        yield ratio >= LEAST_FASTER, f"{told}: Saxon takes {ratio:.0f}× the CPU time; the bar is {LEAST_FASTER:g}×"
    elif "Saxon" in found.reasons and "not installed" not in found.reasons["Saxon"]:
        yield True, f"{told}: Saxon fails: {found.reasons['Saxon']}"


def _beside_scan(found: PassFigures, results: PassResults) -> Iterator[tuple[bool, str]]:
    ours, plain = found.costs["Xylem"].cpu_seconds, found.costs[PLAIN].cpu_seconds
    startup = results.startup_seconds.get(found.task.name, 0.0)
    told = f"{found.task.name}, {found.megabytes:g} MB: {ours / plain:.2f}× the CPU time of a plain scan"
    apart = f"{1000 * max(ours - startup, 0):.0f} ms more than over no input"
    yield ours / plain <= MOST_OF_SCAN, f"{told}, {apart}; the bar is {MOST_OF_SCAN:g}×"


def remarks(results: PassResults) -> Iterator[str]:
    """What is left out, and why."""
    for found in results.figures:
        for name, reason in found.reasons.items():
            yield f"{found.task.name}, {found.megabytes:g} MB by {name} is left out: {reason}"
        for name, limit in found.stopped.items():
            yield f"{found.task.name}, {found.megabytes:g} MB by {name} was stopped after {limit:.0f} s of CPU time"


def figure(results: PassResults) -> str:
    """CPU time by query and size, as SVG."""
    names = _engines(results.figures)
    groups = [f"{found.task.name} {found.megabytes:g}" for found in results.figures]
    series = {name: [_seconds(found, name) for found in results.figures] for name in names}
    return bar_chart("One pass: CPU time of a process (MB of input)", groups, series, "s")


def _seconds(found: PassFigures, name: str) -> float | None:
    cost = found.costs.get(name)
    return found.stopped.get(name) if cost is None else cost.cpu_seconds


def as_json(results: PassResults) -> dict[str, Any]:
    """The figures for programs."""
    return {
        "limit_seconds": results.limit_seconds,
        "startup_cpu_seconds": results.startup_seconds,
        "queries": [
            {
                "query": found.task.name,
                "megabytes": found.megabytes,
                "engines": {
                    name: {
                        "cpu_seconds": round(cost.cpu_seconds, 3),
                        "wall_seconds": round(cost.wall_seconds, 3),
                        "peak_rss_bytes": cost.peak_rss_bytes,
                    }
                    for name, cost in found.costs.items()
                },
                "stopped_after_seconds": found.stopped,
                "missing": found.reasons,
                "answers_agree": found.agree,
            }
            for found in results.figures
        ],
        "bars": [{"cleared": cleared, "what": what} for cleared, what in verdicts(results)],
    }
