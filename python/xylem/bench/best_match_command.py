"""`xylem bench best-match`: joins of what fits best, from file to answer, beside libraries for tables."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from . import photons
from .progress import console, on_the_terminal, save, tell
from .worker_process import Limit, best_of

RUNS = {
    "nearest": ("xylem", "pandas", "polars", "duckdb"),
    "counted": ("xylem", "pandas", "polars", "duckdb"),
    "pareto": ("xylem", "scipy"),
    "core": ("xylem", "pandas", "polars", "duckdb"),
}
_ASKED = {
    "nearest": "nearest in time, within 0.5 s",
    "counted": "how many of them",
    "pareto": "ra and dec, within 0.1",
    "core": "nearest, columns alone",
}
_BARS = {"nearest": 5.0, "counted": 10.0, "pareto": 5.0, "core": 0.5}
"""How many times faster than a peer Xylem must be; a core may take twice the time."""


def best_match(
    records: Annotated[int, typer.Option("--records", min=2, help="Number of photons in each of two files.")] = 100_000,
    large: Annotated[
        int,
        typer.Option(
            "--large",
            min=0,
            help="Number of photons for the measurement of memory, repeated with ten times as many; 0 for none.",
        ),
    ] = 0,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of repetitions; the best one counts.")] = 2,
    limit: Annotated[
        float, typer.Option("--limit", min=1, metavar="SECONDS", help="Stop a process that takes longer.")
    ] = 300.0,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same photons.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Measure best-match joins, compared with lxml and pandas, Polars, DuckDB or scipy."""
    say = on_the_terminal()
    figures: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="xylem-best-match-") as name:
        folder = Path(name)
        _write(folder, records, seed)
        for task, engines in RUNS.items():
            for engine in engines:
                say(f"{task}: {engine}")
                figures.setdefault(task, {})[engine] = best_of(
                    repeat, "best_match_worker", [task, engine, str(folder)], Limit(limit, "cpu")
                )
        memory = _memory(folder, large, seed, limit) if large else {}
    console().print(_table(figures))
    tell(_remarks(figures, memory), _verdicts(figures, memory))
    save(json_file, lambda: {"records": records, "figures": _plain(figures), "memory": memory})


def _write(folder: Path, records: int, seed: int) -> None:
    for number, name in enumerate(("first.xml", "second.xml")):
        photons.write(folder / name, records, 2 * seed + number)


def _memory(folder: Path, records: int, seed: int, limit: float) -> dict[str, int]:
    """Peak memory by the number of photons."""
    found = {}
    for size in (records, 10 * records):
        _write(folder, size, seed)
        told = best_of(1, "best_match_worker", ["nearest", "xylem", str(folder)], Limit(10 * limit, "cpu"))
        if isinstance(told, dict):
            found[str(size)] = int(told["peak_bytes"])
    return found


def _table(figures: dict[str, dict[str, Any]]) -> Table:
    table = Table("what is asked", "by", "CPU s", "times as fast", "peak MB", "answer")
    for task, engines in figures.items():
        own = engines["xylem"]
        for engine, told in engines.items():
            if not isinstance(told, dict):
                table.add_row(_ASKED[task], engine, "-", "-", "-", str(told))
                continue
            ratio = told["cpu_seconds"] / own["cpu_seconds"] if isinstance(own, dict) else float("nan")
            peak = f"{told['peak_bytes'] / 1e6:.0f}"
            table.add_row(
                _ASKED[task], engine, f"{told['cpu_seconds']:.3f}", f"{ratio:.1f}", peak, told.get("answer", "")
            )
    return table


def _remarks(figures: dict[str, dict[str, Any]], memory: dict[str, int]) -> list[str]:
    lines = [f"{size} photons a file: {peak / 1e6:.0f} MB at most" for size, peak in memory.items()]
    for engines in figures.values():
        lines += [f"{engine}: {told}" for engine, told in engines.items() if not isinstance(told, dict)]
    return lines


def _verdicts(figures: dict[str, dict[str, Any]], memory: dict[str, int]) -> list[tuple[bool, str]]:
    found = []
    for task, engines in figures.items():
        own = engines["xylem"]
        for engine, told in engines.items():
            if engine == "xylem" or not isinstance(told, dict) or not isinstance(own, dict):
                continue
            if told.get("answer") != own.get("answer"):
                found.append((False, f"{_ASKED[task]}: the answer of {engine} is another one"))
            ratio = told["cpu_seconds"] / own["cpu_seconds"]
            told_bar = f"{_ASKED[task]}: {ratio:.1f} times as fast as {engine}, bar {_BARS[task]}"
            found.append((ratio >= _BARS[task], told_bar))
    if len(memory) == 2:
        less, more = memory.values()
        found.append((more <= 1.1 * less, f"ten times the photons take {more / less:.2f} times the memory, bar 1.1"))
    return found


def _plain(figures: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        task: {engine: told if isinstance(told, dict) else str(told) for engine, told in engines.items()}
        for task, engines in figures.items()
    }
