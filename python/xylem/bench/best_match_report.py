"""The report of `xylem bench best-match`: tables, bars, and the figures of the thesis' evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.markup import escape
from rich.table import Table

from .best_match_thesis import ALGORITHMS, FIXED_DIMENSIONS, FIXED_SIZE
from .time_chart import Panel, time_chart

Figures = dict[str, dict[str, Any]]

ASKED = {
    "nearest": "nearest in time, within 0.5 s",
    "counted": "how many of them",
    "pareto": "ra and dec, within 0.1",
    "core": "nearest, columns alone",
    "core-pareto": "ra and dec, columns alone",
    "unordered": "nearest in ra, in no order",
}
BARS = {"nearest": 5.0, "counted": 10.0, "pareto": 5.0, "core": 0.5, "core-pareto": 1 / 1.5}
"""How many times faster than a peer Xylem must be; a core may take twice the time."""
MOST_SPILLED = 3.0
"""How many times longer a join may take of which a tenth fits into memory."""
LEAST_SPREAD = 1.5
"""How many times faster two tasks at a time must be where finding pairs takes the most time."""
PANDAS_ONLY = ("core",)
"""Tasks whose bar compares Xylem with pandas alone; other peers are only listed."""


def comparison(figures: Figures) -> Table:
    """Everyone's time for each task."""
    table = Table("what is asked", "by", "CPU s", "times as fast", "peak MB", "answer")
    for task, engines in figures.items():
        own = engines["xylem"]
        for engine, told in engines.items():
            if not isinstance(told, dict):
                table.add_row(ASKED[task], engine, "-", "-", "-", escape(str(told)))
                continue
            ratio = told["cpu_seconds"] / own["cpu_seconds"] if isinstance(own, dict) else float("nan")
            peak = f"{told['peak_bytes'] / 1e6:.0f}"
            table.add_row(
                ASKED[task], engine, f"{told['cpu_seconds']:.3f}", f"{ratio:.1f}", peak, told.get("answer", "")
            )
    return table


def thesis_table(rows: list[dict[str, Any]]) -> Table:
    """The evaluation of the thesis, 4.4."""
    table = Table("size", "dimensions", "distribution", *ALGORITHMS, "pairs", title="CPU seconds of each algorithm")
    for row in rows:
        seconds = [f"{row['seconds'][name]:.4f}" for name in ALGORITHMS]
        pairs = "answers differ" if row["pairs"] is None else str(row["pairs"])
        table.add_row(str(row["size"]), str(row["dimensions"]), row["distribution"], *seconds, pairs)
    return table


def materialised_table(rows: list[dict[str, Any]]) -> Table:
    """Both ways to materialise windows (4.3.4.3)."""
    table = Table("reach", "cells", "runs", "items of all windows", title="CPU seconds of windows on disk")
    for row in rows:
        items = "windows differ" if row["rows"] is None else str(row["rows"])
        table.add_row(f"{row['reach']:g}", *(f"{row['seconds'][way]:.3f}" for way in ("cells", "runs")), items)
    return table


def thesis_figures(told: Mapping[str, Any]) -> dict[str, str]:
    """Charts by their names."""
    rows = told["rows"]

    def curves(of: list[dict[str, Any]], over: str) -> dict[str, list[tuple[float, float]]]:
        return {name: [(row[over], row["seconds"][name]) for row in of] for name in ALGORITHMS}

    uniform = [row for row in rows if row["distribution"] == "uniform"]
    sizes = sorted((row for row in uniform if row["dimensions"] == FIXED_DIMENSIONS), key=lambda row: int(row["size"]))
    fixed = min(FIXED_SIZE, sizes[-1]["size"])
    dimensions = sorted((row for row in uniform if row["size"] == fixed), key=lambda row: int(row["dimensions"]))
    in_kernel = ("windows and grid", "windows and boxes", "grid", "boxes")

    def panels(of: list[dict[str, Any]], over: str) -> list[Panel]:
        found = curves(of, over)
        return [
            Panel("CPU seconds", found),
            Panel("in the kernel", {name: found[name] for name in in_kernel}),
        ]

    return {
        "sizes": time_chart("Items of each input", panels(sizes, "size"), unit=""),
        "dimensions": time_chart(f"Dimensions, {fixed} items", panels(dimensions, "dimensions"), unit=""),
        "delivered": time_chart(
            "Results that have come, by input that was read", [Panel("percent", told["delivered"])], unit=" %"
        ),
    }


def verdicts(figures: Figures, memory: Mapping[str, Mapping[str, float]], thesis: Any) -> list[tuple[bool, str]]:
    """Which bars hold."""
    found = []
    for task, engines in figures.items():
        own = engines["xylem"]
        for engine, told in engines.items():
            if engine == "xylem" or not isinstance(told, dict) or not isinstance(own, dict):
                continue
            if told.get("answer") != own.get("answer"):
                found.append((False, f"{ASKED[task]}: the answer of {engine} is another one"))
            ratio = told["cpu_seconds"] / own["cpu_seconds"]
            if task == "unordered":
                told_bar = f"a tenth of it in memory takes {ratio:.2f} times as long, bar {MOST_SPILLED}"
                found.append((ratio <= MOST_SPILLED, told_bar))
            elif engine == "pandas" or task not in PANDAS_ONLY:
                told_bar = f"{ASKED[task]}: {ratio:.1f} times as fast as {engine}, bar {BARS[task]:.2g}"
                found.append((ratio >= BARS[task], told_bar))
    if len(memory) == 2:
        less, more = memory.values()
        ratio = more["peak_bytes"] / less["peak_bytes"]
        found.append((ratio <= 1.1, f"ten times the photons take {ratio:.2f} times the memory, bar 1.1"))
        ratio = more["cpu_seconds"] / less["cpu_seconds"] / 10
        found.append((ratio <= 1.3, f"with ten times the photons, each takes {ratio:.2f} times the CPU, bar 1.3"))
    if isinstance(thesis, dict):
        found += _shapes(thesis["rows"])
        found.append(_is_continuous(thesis["delivered"]))
        found += _of_materialised(thesis["materialised"])
    return found


def of_spark(crowded: Mapping[str, Any]) -> list[tuple[bool, str]]:
    """How much faster two cores of a local Spark are than one process."""
    if "runs" not in crowded:
        return []
    own, spread = crowded["runs"].values()
    ratio = _least(own, "seconds") / _least(spread, "seconds")
    sizes = f"{crowded['photons']:,} photons in each file, {crowded['bytes'] / 1e6:.0f} MB in all"
    return [
        (len({run["answer"] for run in (*own, *spread)}) == 1, "Spark gives the same pairs"),
        (
            ratio >= LEAST_SPREAD,
            f"three values at once ({sizes}): {_least(own, 'seconds'):.1f} s by one process, local[2] is {ratio:.2f}"
            f" times as fast, bar {LEAST_SPREAD}",
        ),
    ]


def of_cores(crowded: Mapping[str, Any]) -> list[str]:
    """All runs by the clock and by CPU time: where the two differ, others had the cores as well."""
    told = []
    for engine, runs in crowded.get("runs", {}).items():
        each = ", ".join(f"{run['seconds']:.1f} ({run['cpu_seconds']:.1f})" for run in runs)
        told.append(f"three values at once, {engine}: seconds (CPU seconds) of each run {each}")
    return told


def _least(runs: list[dict[str, Any]], name: str) -> float:
    return min(float(run[name]) for run in runs)


def _shapes(rows: list[dict[str, Any]]) -> list[tuple[bool, str]]:
    """What the thesis observes: windows beat nested loops at every size, a grid improves on windows alone."""
    large = [row["seconds"] for row in rows if row["size"] >= min(FIXED_SIZE, rows[-1]["size"])]
    is_same = all(row["pairs"] is not None for row in rows)
    return [
        (is_same, "all algorithms of the thesis' table give the same pairs"),
        (all(one["windows"] < one["nested loops"] for one in large), "windows beat nested loops"),
        (all(one["windows and grid"] < one["windows"] for one in large), "the ε-grid order improves on windows alone"),
        (all(one["windows and boxes"] < one["windows"] for one in large), "boxes improve on windows alone"),
        _normal_takes_longer(rows),
    ]


def _normal_takes_longer(rows: list[dict[str, Any]]) -> tuple[bool, str]:
    """More items are near each other."""
    same = [row for row in rows if row["dimensions"] == FIXED_DIMENSIONS and row["size"] == rows[-1]["size"]]
    seconds = {row["distribution"]: row["seconds"]["windows"] for row in same}
    return seconds["normal"] > seconds["uniform"], "windows of a normal distribution take longer than of a uniform one"


def _is_continuous(curves: Mapping[str, list[Any]]) -> tuple[bool, str]:
    """A step is a percent of the input that brings no result."""
    stepped = len(curves["uniform, in steps"])
    return all(
        stepped < 0.8 * len(curve) for name, curve in curves.items() if "," not in name
    ), "results come evenly with every distribution, and in steps where the first attribute is rounded to the limit"


def _of_materialised(rows: list[dict[str, Any]]) -> list[tuple[bool, str]]:
    """Cells are written without sorting, but once for each range within reach."""
    least, most = rows[0]["seconds"], rows[-1]["seconds"]
    return [
        (all(row["rows"] is not None for row in rows), "cells and runs give the same windows"),
        (least["cells"] < least["runs"], "cells (grid materialisation) are faster where few ranges are within reach"),
        (most["runs"] < most["cells"], "sorted runs (standard materialisation) are faster where many are"),
    ]
