"""`xylem bench windows`: what windows cost, and what they keep."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from .progress import console, on_the_terminal

WAYS = ("Xylem", "Xylem; streamed", "Saxon", "BaseX", "loop by hand", "loop over iterparse", "pandas")
"""By default; names with a comma are told with a semicolon."""


def windows(
    items: Annotated[
        str, typer.Option("--items", help="How many items, at least; several numbers for several lengths.")
    ] = "100000",
    sizes: Annotated[str, typer.Option("--sizes", help="Sizes of windows.")] = "10,1000,100000",
    kinds: Annotated[str, typer.Option("--kinds", help="Which windows.")] = "tumbling,sliding,time,keyed,landmark",
    engines: Annotated[str, typer.Option("--engines", help="Which ways to compute them.")] = ",".join(WAYS),
    memory: Annotated[
        str, typer.Option("--memory", help="Numbers of items for which memory is measured; `none` for not at all.")
    ] = "100000,1000000",
    full: Annotated[
        bool, typer.Option("--full", help="10⁵, 10⁶ and 10⁷ items, five sizes, memory at 10⁵ and at 10⁷ items.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=1, help="For one measurement at most: 60, with --full 240.")
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="How often; the best counts.")] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there.")] = None,
    markdown_file: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write the table there, for the documentation.")
    ] = None,
    svg_file: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart there.")] = None,
) -> None:
    """Windows of every kind and size: the cost of an item, beside Saxon, a loop by hand and pandas; and memory."""
    from . import windows_report
    from .windows_engines import ENGINES
    from .windows_run import MOST_SECONDS, full_rows, rows, run
    from .windows_tasks import NAMED

    tasks = _chosen(kinds, NAMED, "--kinds")
    if full:
        memory = "100000,10000000"
    results = run(
        full_rows(tasks) if full else rows(tasks, _numbers(sizes, "--sizes"), _numbers(items, "--items")),
        _numbers(memory, "--memory") if memory not in ("", "none") else [],
        _chosen(engines, ENGINES, "--engines"),
        repeat,
        on_the_terminal(),
        seconds or (4 * MOST_SECONDS if full else MOST_SECONDS),
    )
    console().print(windows_report.table(results))
    for remark in windows_report.remarks(results):
        console().print(remark, markup=False, highlight=False)
    for cleared, what in windows_report.verdicts(results):
        console().print(f"{'holds      ' if cleared else 'FALLS SHORT'}  {what}", markup=False, highlight=False)
    if json_file is not None:
        json_file.write_text(json.dumps(windows_report.as_json(results), indent=2) + "\n", encoding="utf-8")
    if markdown_file is not None:
        markdown_file.write_text(windows_report.markdown(results), encoding="utf-8")
    if svg_file is not None:
        svg_file.write_text(windows_report.figure(results), encoding="utf-8")


def _numbers(text: str, option: str) -> list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers", param_hint=option) from None
    if not all(number > 0 for number in numbers):
        raise typer.BadParameter("numbers are positive", param_hint=option)
    return sorted(numbers)


def _chosen(text: str, known: Iterable[str], option: str) -> list[str]:
    names = {name.lower(): name for name in known}
    chosen = [part.strip().lower().replace(";", ",") for part in text.split(",")]
    if not all(name in names for name in chosen):
        raise typer.BadParameter(f"there are {', '.join(names.values())}", param_hint=option)
    return [names[name] for name in chosen]
