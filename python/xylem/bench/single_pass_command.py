"""`xylem bench single-pass`: queries that look as if they needed many passes, over documents of growing size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .progress import console, on_the_terminal

if TYPE_CHECKING:
    from .single_pass_tasks import PassTask


def single_pass(
    xmark_sizes: Annotated[
        str, typer.Option("--xmark-sizes", help="Megabytes of auctions; `none` for no XMark queries.")
    ] = "11,110,550",
    sizes: Annotated[
        str, typer.Option("--sizes", help="Megabytes for the applications; `none` to leave them out.")
    ] = "1,10,100",
    queries: Annotated[
        str, typer.Option("--queries", help="Which ones, as in `XMark Q1,satellite`; all if it is empty.")
    ] = "",
    engines: Annotated[str, typer.Option("--engines", help="By whom.")] = "Xylem,Saxon,BaseX",
    limit: Annotated[float, typer.Option("--limit", help="CPU seconds after which an engine is stopped.")] = 60.0,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="How often Xylem is measured; the best counts.")] = 2,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there.")] = None,
    svg_file: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart there.")] = None,
) -> None:
    """XMark queries and the applications of single-pass processing: time and memory, beside Saxon and BaseX."""
    from . import single_pass_report
    from .single_pass_run import ENGINES, run
    from .single_pass_tasks import NAMED

    of_xmark, of_applications = _numbers(xmark_sizes, "--xmark-sizes"), _numbers(sizes, "--sizes")

    def sizes_of(task: PassTask) -> list[float]:
        return of_applications if task.is_application else of_xmark

    chosen = _chosen(queries, list(NAMED), "--queries") if queries else list(NAMED)
    tasks = [NAMED[name] for name in chosen if sizes_of(NAMED[name])]
    asked = _chosen(engines, list(ENGINES), "--engines")
    results = run(tasks, sizes_of, asked, limit, repeat, on_the_terminal())
    console().print(single_pass_report.table(results))
    for remark in single_pass_report.remarks(results):
        console().print(remark, markup=False, highlight=False)
    for cleared, what in single_pass_report.verdicts(results):
        console().print(f"{'holds      ' if cleared else 'FALLS SHORT'}  {what}", markup=False, highlight=False)
    if json_file is not None:
        json_file.write_text(json.dumps(single_pass_report.as_json(results), indent=2) + "\n", encoding="utf-8")
    if svg_file is not None:
        svg_file.write_text(single_pass_report.figure(results), encoding="utf-8")


def _numbers(text: str, option: str) -> list[float]:
    if text.strip() == "none":
        return []
    try:
        numbers = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers", param_hint=option) from None
    if not all(number > 0 for number in numbers):
        raise typer.BadParameter("sizes are positive", param_hint=option)
    return sorted(numbers)


def _chosen(text: str, known: list[str], option: str) -> list[str]:
    names = {name.lower(): name for name in known}
    chosen = [part.strip().lower() for part in text.split(",")]
    if not all(name in names for name in chosen):
        raise typer.BadParameter(f"there are {', '.join(names.values())}", param_hint=option)
    return [names[name] for name in chosen]
