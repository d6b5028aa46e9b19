"""`xylem bench windows`: what windows cost, and what they keep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .option_lists import listed_names, listed_numbers
from .progress import console, on_the_terminal, save, tell

WAYS = ("Xylem", "Xylem; streamed", "Saxon", "BaseX", "loop by hand", "loop over iterparse", "pandas")
"""The default; names that contain a comma are written with a semicolon."""


def windows(
    items: Annotated[
        str, typer.Option("--items", help="Minimum number of items; several numbers for several lengths.")
    ] = "100000",
    sizes: Annotated[str, typer.Option("--sizes", help="Sizes of windows.")] = "10,1000,100000",
    kinds: Annotated[str, typer.Option("--kinds", help="Kinds of windows.")] = "tumbling,sliding,time,keyed,landmark",
    engines: Annotated[str, typer.Option("--engines", help="Engines to measure.")] = ",".join(WAYS),
    memory: Annotated[
        str,
        typer.Option(
            "--memory", help="Numbers of items for the measurement of memory; `none` for no such measurement."
        ),
    ] = "100000,1000000",
    full: Annotated[
        bool, typer.Option("--full", help="10⁵, 10⁶ and 10⁷ items, five sizes, memory at 10⁵ and at 10⁷ items.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=1, help="Maximum seconds for one measurement: by default 60, with --full 240."),
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of repetitions; the best one counts.")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    markdown_file: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write the table to this file, for the documentation."),
    ] = None,
    svg_file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart to this file.")
    ] = None,
) -> None:
    """Measure windows of every kind and size, compared with Saxon, a loop by hand and pandas."""
    from . import windows_report
    from .windows_engines import ENGINES
    from .windows_run import MOST_SECONDS, full_rows, rows, run
    from .windows_tasks import NAMED

    tasks = listed_names(kinds, NAMED, "--kinds")
    if full:
        memory = "100000,10000000"
    of_size, of_length = listed_numbers(sizes, "--sizes", int), listed_numbers(items, "--items", int)
    results = run(
        full_rows(tasks) if full else rows(tasks, of_size, of_length),
        listed_numbers(memory, "--memory", int),
        listed_names(engines, ENGINES, "--engines"),
        repeat,
        on_the_terminal(),
        seconds or (4 * MOST_SECONDS if full else MOST_SECONDS),
    )
    console().print(windows_report.table(results))
    tell(windows_report.remarks(results), windows_report.verdicts(results))
    save(json_file, lambda: windows_report.as_json(results), svg_file, lambda: windows_report.figure(results))
    if markdown_file is not None:
        markdown_file.write_text(windows_report.markdown(results), encoding="utf-8")
