"""`xylem bench best-match`: best-match joins, from file to answer, beside libraries for tables."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from . import best_match_report as report
from . import photons
from .best_match_worker import SPARK
from .progress import console, on_the_terminal, save, tell
from .worker_process import Limit, best_of, figures_of

RUNS = {
    "nearest": ("xylem", "pandas", "polars", "duckdb"),
    "counted": ("xylem", "pandas", "polars", "duckdb"),
    "pareto": ("xylem", "scipy"),
    "core": ("xylem", "pandas", "polars", "duckdb"),
    "core-pareto": ("xylem", "scipy"),
    "unordered": ("xylem", "spilled"),
}
TURNS = 3
"""How often one process and Spark are measured, one after the other."""


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
    thesis: Annotated[
        bool, typer.Option("--thesis/--no-thesis", help="Also repeat the evaluation of the thesis.")
    ] = True,
    spark: Annotated[
        bool, typer.Option("--spark/--no-spark", help="Also compare one process with a local Spark on two cores.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    svg_folder: Annotated[
        Path | None, typer.Option("--svg", metavar="DIR", help="Write the charts of the thesis to this directory.")
    ] = None,
) -> None:
    """Measure best-match joins, compared with lxml and pandas, Polars, DuckDB or scipy."""
    say = on_the_terminal()
    figures: report.Figures = {}
    with tempfile.TemporaryDirectory(prefix="xylem-best-match-") as name:
        folder = Path(name)
        _write(folder, records, seed)
        for task, engines in RUNS.items():
            for engine in engines:
                say(f"{task}: {engine}")
                figures.setdefault(task, {})[engine] = best_of(
                    repeat, "best_match_worker", [task, engine, str(folder)], Limit(limit, "cpu")
                )
        crowded = _crowded(folder, records, seed, limit, say) if spark else {}
        memory = _memory(folder, large, seed, limit) if large else {}
        repeated: Any = None
        if thesis:
            say("the evaluation of the thesis")
            repeated = best_of(1, "best_match_worker", ["thesis", "xylem", str(folder)], Limit(limit, "cpu"))
    console().print(report.comparison(figures))
    if isinstance(repeated, dict):
        console().print(report.thesis_table(repeated["rows"]))
        console().print(report.materialised_table(repeated["materialised"]))
        if svg_folder is not None:
            svg_folder.mkdir(parents=True, exist_ok=True)
            for name, chart in report.thesis_figures(repeated).items():
                (svg_folder / f"best-match-{name}.svg").write_text(chart, encoding="utf-8")
    bars = [*report.verdicts(figures, memory, repeated), *report.of_spark(crowded)]
    failed = {} if "runs" in crowded else {"crowded": crowded}
    tell([*_remarks({**figures, **failed}, memory, repeated), *report.of_cores(crowded)], bars)
    cores = {} if failed else crowded
    told = {"records": records, "figures": _plain({**figures, **failed}), "crowded": cores, "memory": memory}
    save(json_file, lambda: {**told, "thesis": repeated if isinstance(repeated, dict) else str(repeated)})


def _write(folder: Path, records: int, seed: int) -> None:
    for number, name in enumerate(("first.xml", "second.xml")):
        photons.write(folder / name, records, 2 * seed + number)


def _crowded(folder: Path, records: int, seed: int, limit: float, say: Callable[[str], None]) -> dict[str, Any]:
    """A join of which finding pairs takes the most time, by one process and by Spark, in turns."""
    place = folder / "crowded"
    place.mkdir()
    size = records * 4 // 5
    _write(place, size, seed)
    found: dict[str, Any] = {engine: [] for engine in ("xylem", *SPARK)}
    for turn in range(TURNS):
        for engine, runs in found.items():
            say(f"crowded, {size:,} photons in each file: {engine}, {turn + 1} of {TURNS}")
            runs.append(figures_of("best_match_worker", ["crowded", engine, str(place)], Limit(4 * limit, "cpu")))
    bad = {engine: next((one for one in runs if not isinstance(one, dict)), None) for engine, runs in found.items()}
    if any(told is not None for told in bad.values()):
        return {engine: told for engine, told in bad.items() if told is not None}
    return {"photons": size, "bytes": sum(file.stat().st_size for file in place.iterdir()), "runs": found}


def _memory(folder: Path, records: int, seed: int, limit: float) -> dict[str, dict[str, float]]:
    """Peak memory and CPU time by the number of photons."""
    found = {}
    for size in (records, 10 * records):
        _write(folder, size, seed)
        told = best_of(1, "best_match_worker", ["counted", "xylem", str(folder)], Limit(10 * limit, "cpu"))
        if isinstance(told, dict):
            found[str(size)] = {name: told[name] for name in ("peak_bytes", "cpu_seconds")}
    return found


def _remarks(figures: report.Figures, memory: dict[str, dict[str, float]], thesis: Any) -> list[str]:
    lines = [f"{size} photons a file: {told['peak_bytes'] / 1e6:.0f} MB at most" for size, told in memory.items()]
    for engines in [*figures.values(), {} if thesis is None else {"thesis": thesis}]:
        lines += [f"{engine}: {told}" for engine, told in engines.items() if not isinstance(told, dict)]
    return lines


def _plain(figures: report.Figures) -> dict[str, Any]:
    return {
        task: {engine: told if isinstance(told, dict) else str(told) for engine, told in engines.items()}
        for task, engines in figures.items()
    }
