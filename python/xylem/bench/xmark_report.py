"""A run of the XMark benchmark as a table, as a figure and as JSON."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .bar_chart import bar_chart
from .xmark_run import TOLERATED, QueryTimes, XMarkTimes

if TYPE_CHECKING:
    from rich.table import Table

PEER = "Saxon"


def table(times: XMarkTimes) -> Table:
    """Milliseconds by query and processor, with how many times the peer's time Xylem takes."""
    from rich.table import Table

    names = list(times.versions)
    grid = Table(title=f"XMark over {times.size_bytes / 1e6:.1f} MB: median times in ms")
    grid.add_column("query", justify="right")
    for name in names:
        grid.add_column(name, justify="right")
    if PEER in names:
        grid.add_column(f"x {PEER}", justify="right")
        grid.add_column(f"x {PEER} with parse", justify="right")
        grid.add_column("answers")
    grid.add_row("parse", *(_ms(times.parse_seconds.get(name)) for name in names), end_section=True)
    for row in times.queries:
        grid.add_row(f"Q{row.number}", *_cells(times, row, names))
    return grid


def _cells(times: XMarkTimes, row: QueryTimes, names: list[str]) -> Iterator[str]:
    for name in names:
        yield "error" if name in row.errors else _ms(row.seconds.get(name))
    if PEER not in names:
        return
    ratio = row.ratio(PEER)
    yield "" if ratio is None else f"{ratio:.1f}"
    yield "" if ratio is None else f"{times.from_file(row, 'Xylem') / times.from_file(row, PEER):.2f}"
    yield {True: "same", False: "DIFFERENT", None: "not compared"}[row.agree]


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:,.1f}"


def remarks(times: XMarkTimes) -> Iterator[str]:
    """What the table shows, in sentences."""
    for row in times.queries:
        for name, message in row.errors.items():
            yield f"Q{row.number}: {name} says {message}"
    different = [row.number for row in times.queries if row.agree is False]
    if different:
        yield f"answers differ: {_listed(different)}"
    if PEER not in times.versions:
        yield "Saxon is not installed (pip install saxonche), so there is nothing to compare with"
        return
    slow = times.slow(PEER)
    limit = f"{TOLERATED:g} times {PEER}, from file to answer"
    yield f"slower than {limit}: {_listed(slow)}" if slow else f"no query is slower than {limit}"


def _listed(numbers: list[int]) -> str:
    return ", ".join(f"Q{number}" for number in numbers)


def figure(times: XMarkTimes) -> str:
    """The times as SVG."""
    groups = ["parse", *(f"Q{row.number}" for row in times.queries)]
    series = {
        name: [
            times.parse_seconds[name] * 1000,
            *(row.seconds[name] * 1000 if name in row.seconds else None for row in times.queries),
        ]
        for name in times.versions
    }
    return bar_chart(f"XMark over {times.size_bytes / 1e6:.1f} MB, whole tree, median times", groups, series)


def as_json(times: XMarkTimes) -> dict[str, Any]:
    """Everything that was measured, and on what."""
    return {
        "document": {"path": str(times.document), "bytes": times.size_bytes},
        "machine": {"python": platform.python_version(), "system": platform.platform(), "cpu": platform.machine()},
        "engines": times.versions,
        "parse_seconds": times.parse_seconds,
        "queries": [
            {"query": row.number, "seconds": row.seconds, "errors": row.errors, "agree": row.agree}
            for row in times.queries
        ],
        "slow": times.slow(PEER),
    }
