"""`xylem bench everyday`: what one operation more costs, beside a loop over lxml and beside the tree."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .progress import console, on_the_terminal, save, tell

if TYPE_CHECKING:
    from rich.table import Table

    from .scan_run import Measured

BYTES_PER_PHOTON = 188
BY_HAND = 3.0
"""How many times faster than a loop over lxml a query should be."""
OVER_TREE = 1.2
"""How many times as long as over the tree it may take, streamed."""

Found = Mapping[str, Mapping[str, "Measured"]]
"""By task and engine."""


def everyday_cost(
    size: Annotated[float, typer.Option("--size", min=0.1, help="Size of the photons in MB.")] = 20.0,
    tasks: Annotated[str, typer.Option("--tasks", help="Names of tasks; by default all.")] = "",
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of repetitions; the best one counts.")] = 3,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same document.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Measure everyday queries over one file: streamed, over the tree, and as loops over lxml."""
    from . import photons
    from .everyday_tasks import BY_NAME
    from .everyday_worker import ENGINES
    from .option_lists import listed_names
    from .scan_run import Measured
    from .worker_process import best_of

    names = listed_names(tasks, BY_NAME, "--tasks") if tasks else list(BY_NAME)
    show = on_the_terminal()
    found: dict[str, dict[str, Measured]] = {}
    reasons: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "photons.xml"
        items = int(size * 1_000_000 / BYTES_PER_PHOTON)
        photons.write(document, items, seed)
        for name in names:
            found[name] = {}
            for engine in ENGINES:
                show(f"{name} by {engine}")
                made = best_of(repeat, "everyday_worker", [engine, name, str(document)])
                if isinstance(made, dict):
                    found[name][engine] = Measured(made["cpu_seconds"], made["peak_rss_bytes"], made["answer"])
                else:
                    reasons[f"{name} by {engine}"] = str(made)
    console().print(_table(found, items))
    tell((f"{what}: {why}" for what, why in reasons.items()), verdicts(found))
    save(json_file, lambda: _as_json(found, items))


def _table(found: Found, items: int) -> Table:
    from rich.table import Table

    made = Table(title=f"{items:,} photons: µs of CPU for each, from file to answer; peak memory in MB")
    made.add_column("task")
    engines = list(dict.fromkeys(engine for figures in found.values() for engine in figures))
    for engine in engines:
        made.add_column(engine, justify="right")
    made.add_column("lxml / Xylem", justify="right")
    made.add_column("Xylem / tree", justify="right")
    for name, figures in found.items():
        cells = [_cell(figures.get(engine), items) for engine in engines]
        made.add_row(name, *cells, _ratio(figures, "lxml", "Xylem"), _ratio(figures, "Xylem", "tree"))
    return made


def _cell(figures: Measured | None, items: int) -> str:
    if figures is None:
        return "–"
    return f"{figures.cpu_seconds / items * 1e6:.2f} µs, {figures.peak_rss_bytes / 1e6:.0f} MB"


def _ratio(figures: Mapping[str, Measured], one: str, other: str) -> str:
    found = ratio(figures, one, other)
    return "–" if found is None else f"{found:.2f}×"


def ratio(figures: Mapping[str, Measured], one: str, other: str) -> float | None:
    """How many times as long one engine takes as another."""
    if one not in figures or other not in figures:
        return None
    return figures[one].cpu_seconds / max(figures[other].cpu_seconds, 1e-9)


def verdicts(found: Found) -> Iterator[tuple[bool, str]]:
    """The project's bars, and whether all answers agree."""
    from .everyday_tasks import BY_NAME

    for name, figures in found.items():
        if len({one.answer for one in figures.values()}) > 1:
            yield False, f"{name}: the answers differ"
        if (by_hand := ratio(figures, "lxml", "Xylem")) is not None:
            yield by_hand >= BY_HAND, f"{name}: {by_hand:.1f}× as fast as a loop over lxml; the bar is {BY_HAND:g}×"
        if (over_tree := ratio(figures, "Xylem", "tree")) is not None:
            yield over_tree <= OVER_TREE, f"{name}: {over_tree:.2f}× the time over the tree; the bar is {OVER_TREE:g}×"
        task = BY_NAME[name]
        if task.plain and "Xylem" in figures and "Xylem" in found.get(task.plain, {}):
            times = figures["Xylem"].cpu_seconds / max(found[task.plain]["Xylem"].cpu_seconds, 1e-9)
            bar = f"the bar is {task.most_times:g}×"
            yield times <= task.most_times, f"{name}: {times:.2f}× the time of {task.plain}; {bar}"


def _as_json(found: Found, items: int) -> dict[str, Any]:
    return {
        "items": items,
        "tasks": {
            name: {
                engine: {"cpu_seconds": one.cpu_seconds, "peak_rss_bytes": one.peak_rss_bytes, "answer": one.answer}
                for engine, one in figures.items()
            }
            for name, figures in found.items()
        },
        "bars": [{"holds": holds, "what": what} for holds, what in verdicts(found)],
    }
