"""The figures of windows as tables, as SVG, as JSON; and which of the project's own bars they clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from .bar_chart import bar_chart
from .windows_engines import LEAST_ITEMS, MOST_TESTS
from .windows_run import INDEXED, MOST_FOR_ALL, MOST_GROWTH, MOST_MORE_BYTES, SizeFigures, WindowResults


def table(results: WindowResults) -> Table:
    """Microseconds of CPU time for one item."""
    names = _engines(results.sizes)
    made = Table(title="Windows: microseconds of CPU time for one item")
    made.add_column("window")
    made.add_column("size", justify="right")
    made.add_column("items", justify="right")
    for name in names:
        made.add_column(name, justify="right")
    for found in results.sizes:
        cells = [_cell(found, name) for name in names]
        made.add_row(found.task.name, f"{found.size:,}", f"{found.items:,}", *cells)
    return made


def markdown(results: WindowResults) -> str:
    """The table, what is left out and the bars, as docs/benchmarks.md has them."""
    names = _engines(results.sizes)
    lines = [f"| window | size | items | {' | '.join(names)} |", f"|---|---:|---:|{'---:|' * len(names)}"]
    for found in results.sizes:
        cells = " | ".join(_cell(found, name).replace("*", "\\*") for name in names)
        lines.append(f"| {found.task.name} | {found.size:,} | {found.items:,} | {cells} |")
    told = [*remarks(results), *(f"{'holds' if holds else 'falls short'}: {what}" for holds, what in verdicts(results))]
    return "\n".join([*lines, "", *(f"- {line.removeprefix('* ')}" for line in told)]) + "\n"


def _engines(sizes: Sequence[SizeFigures]) -> list[str]:
    return list(dict.fromkeys(name for found in sizes for name in (*found.figures, *found.reasons)))


def _cell(found: SizeFigures, name: str) -> str:
    cost = found.microseconds(name)
    if cost is None:
        return "–"
    return f"{cost:.2f}{'*' if found.figures[name].items < found.items else ''}"


def verdicts(results: WindowResults) -> Iterator[tuple[bool, str]]:
    """Each bar: whether it is cleared, and by how much."""
    for task in dict.fromkeys(found.task.name for found in results.sizes):
        rows = [found for found in results.sizes if found.task.name == task]
        chosen = _of_one_length(rows)
        costs = [(cost, found.size) for found in chosen if (cost := found.microseconds("Xylem")) is not None]
        if task in INDEXED and len(costs) > 1:
            growth = costs[-1][0] / costs[0][0]
            sizes = f"{costs[0][1]:,} to {costs[-1][1]:,} open windows"
            yield growth <= MOST_GROWTH, f"{task}: {growth:.2f}× the cost from {sizes}; the bar is {MOST_GROWTH:g}×"
        for found in rows:
            if not found.agree:
                yield False, f"{task} of {found.size:,}: the answers differ"
    for task, sizes_of in results.memory.items():
        if len(sizes_of) > 1:
            fewest, most = min(sizes_of), max(sizes_of)
            more = sizes_of[most] - sizes_of[fewest]
            told = f"{task}: {more / 1e6:+.1f} MB from {fewest:,} to {most:,} items"
            yield more < MOST_MORE_BYTES, f"{told}; the bar is {MOST_MORE_BYTES / 1e6:g} MB"


def _of_one_length(rows: Sequence[SizeFigures]) -> Sequence[SizeFigures]:
    """The figures that show how the cost grows with the open windows: the longest input with several sizes.

    An input is longer than the others of its row where the largest windows would not fit into it.
    """
    for length in sorted({found.items for found in rows}, reverse=True):
        fitting = [found for found in rows if found.items == max(length, LEAST_ITEMS * found.size)]
        if len({found.size for found in fitting}) > 1:
            return sorted(fitting, key=lambda found: found.size)
    return rows[:1]


def remarks(results: WindowResults) -> Iterator[str]:
    """What is left out and why, which figures are of fewer items, and what a loop by hand costs beside ours."""
    left_out: dict[tuple[str, str], list[str]] = {}
    for found in results.sizes:
        for name, reason in found.reasons.items():
            left_out.setdefault((name, reason), []).append(f"{found.task.name} of {found.size:,}")
    for (name, reason), what in left_out.items():
        yield f"{name} is left out for {', '.join(dict.fromkeys(what))}: {reason}"
    names = _engines(results.sizes)
    short = {
        name
        for found in results.sizes
        if found.items > MOST_FOR_ALL
        for name in names
        if name not in found.figures and name not in found.reasons
    }
    if short:
        told = ", ".join(name for name in names if name in short)
        yield f"{told}: not over more than {MOST_FOR_ALL:,} items, which would show nothing new"
    if any(figures.items < found.items for found in results.sizes for figures in found.figures.values()):
        yield f"* of fewer items: it makes no more than {MOST_TESTS:,} tests, of each open window with each item"
    if any("BaseX" in found.figures for found in results.sizes):
        yield "BaseX: what starting Java takes, by a run over 30 items, is taken away"
    for ours, loop in (("Xylem", "loop by hand"), ("Xylem, streamed", "loop over iterparse")):
        ratios = [
            mine / theirs
            for found in results.sizes
            if (mine := found.microseconds(ours)) and (theirs := found.microseconds(loop))
        ]
        if ratios:
            yield f"{ours}: {min(ratios):.1f} to {max(ratios):.1f} times the cost of a {loop}"


def figure(results: WindowResults) -> str:
    """The cost of an item by kind of window and size, as SVG; of several lengths of input, those over the shortest."""
    shortest = min((found.items for found in results.sizes), default=0)
    shown = [found for found in results.sizes if found.items == max(shortest, LEAST_ITEMS * found.size)]
    names = _engines(shown)
    groups = [f"{found.task.name} {found.size:,}" for found in shown]
    series = {name: [found.microseconds(name) for found in shown] for name in names}
    return bar_chart("Windows: CPU time for one item", groups, series, "µs")


def as_json(results: WindowResults) -> dict[str, Any]:
    """The figures for programs."""
    return {
        "windows": [
            {
                "window": found.task.name,
                "size": found.size,
                "items": found.items,
                "microseconds_per_item": {
                    name: None if (cost := found.microseconds(name)) is None else round(cost, 3)
                    for name in found.figures
                },
                "missing": found.reasons,
                "answers_agree": found.agree,
            }
            for found in results.sizes
        ],
        "xylem_rss_by_items": results.memory,
        "bars": [{"cleared": cleared, "what": what} for cleared, what in verdicts(results)],
    }
