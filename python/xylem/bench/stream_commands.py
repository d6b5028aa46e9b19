"""`xylem bench flux`, `xqpull` and `scan`: what streams keep and how fast they pass."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from .option_lists import listed_names
from .progress import console, on_the_terminal, save, tell

Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same document.")]


def flux_buffers(
    megabytes: Annotated[float, typer.Option("--size", min=0.1, help="Size of the document in MB.")] = 5.0,
    queries: Annotated[str, typer.Option("--queries", help="XMark queries to add.")] = "1-20",
    seed: Seed = 0,
    json_file: Json = None,
) -> None:
    """Measure the buffers of streamed queries, with and without a schema, compared with the thesis."""
    from . import flux_report
    from .flux_run import run
    from .query_numbers import query_numbers

    numbers = query_numbers(queries)
    with tempfile.TemporaryDirectory() as folder:
        buffers = run(Path(folder), megabytes, numbers, seed, on_the_terminal())
    console().print(flux_report.table(buffers))
    tell(flux_report.remarks(buffers))
    save(json_file, lambda: flux_report.as_json(buffers))


def xqpull_caches(
    megabytes: Annotated[float, typer.Option("--size", min=0.1, help="Size of each document in MB.")] = 5.0,
    seed: Seed = 0,
    json_file: Json = None,
) -> None:
    """Measure the buffers of the nine queries of XQPull, over XMark and a bibliography."""
    from . import xqpull_run

    with tempfile.TemporaryDirectory() as folder:
        rows = xqpull_run.run(Path(folder), megabytes, seed, on_the_terminal())
    console().print(xqpull_run.table(rows))
    save(json_file, lambda: xqpull_run.as_json(rows))


def scan_speed(
    sizes: Annotated[
        str, typer.Option("--sizes", help="Sizes in MB; Xylem alone reads the second and later ones.")
    ] = "100",
    engines: Annotated[str, typer.Option("--engines", help="Engines to measure.")] = "expat,lxml,Saxon,pygixml,Xylem",
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of repetitions; the best one counts.")] = 3,
    seed: Seed = 0,
    json_file: Json = None,
    svg_file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart to this file.")
    ] = None,
) -> None:
    """Measure scans of a whole document: a bare parse, loops by hand, trees in memory, and Xylem."""
    from xylem.source.kernel import kernel_build

    from . import scan_report
    from .scan_engines import ENGINES
    from .scan_run import run

    megabytes, names = _sizes(sizes), listed_names(engines, ENGINES, "--engines")
    scanner = "the kernel" if kernel_build() is not None else "the one in Python: the kernel is not built here"
    with tempfile.TemporaryDirectory() as folder:
        results = run(Path(folder), megabytes, names, repeat, seed, on_the_terminal())
    console().print(scan_report.table(results))
    tell(scan_report.remarks(results, scanner), scan_report.verdicts(results))
    save(json_file, lambda: scan_report.as_json(results, scanner), svg_file, lambda: scan_report.figure(results))


def _sizes(text: str) -> list[float]:
    """In the order in which they are given: the first is the one that all engines read."""
    try:
        sizes = [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of sizes", param_hint="--sizes") from None
    if not all(size > 0 for size in sizes):
        raise typer.BadParameter("a size is a positive number", param_hint="--sizes")
    return sizes
