"""`xylem bench single-pass`: queries that look as if they needed many passes, over documents of growing size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .option_lists import listed_names, listed_numbers
from .progress import console, on_the_terminal, save, tell

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
        str, typer.Option("--queries", help="Queries to measure, such as `XMark Q1,satellite`; by default all.")
    ] = "",
    engines: Annotated[str, typer.Option("--engines", help="Engines to measure.")] = "Xylem,Saxon,BaseX",
    limit: Annotated[float, typer.Option("--limit", help="Stop an engine after this many CPU seconds.")] = 60.0,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, help="Number of measurements of Xylem; the best one counts.")
    ] = 2,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    svg_file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart to this file.")
    ] = None,
) -> None:
    """Measure XMark queries and single-pass applications, compared with Saxon and BaseX."""
    from . import single_pass_report
    from .single_pass_run import ENGINES, run
    from .single_pass_tasks import NAMED

    of_xmark = listed_numbers(xmark_sizes, "--xmark-sizes", float)
    of_applications = listed_numbers(sizes, "--sizes", float)

    def sizes_of(task: PassTask) -> list[float]:
        return of_applications if task.is_application else of_xmark

    chosen = listed_names(queries, list(NAMED), "--queries") if queries else list(NAMED)
    tasks = [NAMED[name] for name in chosen if sizes_of(NAMED[name])]
    asked = listed_names(engines, list(ENGINES), "--engines")
    results = run(tasks, sizes_of, asked, limit, repeat, on_the_terminal())
    console().print(single_pass_report.table(results))
    tell(single_pass_report.remarks(results), single_pass_report.verdicts(results))
    save(
        json_file,
        lambda: single_pass_report.as_json(results),
        svg_file,
        lambda: single_pass_report.figure(results),
    )
