"""`xylem bench xmark`: the twenty queries of XMark over a document in memory, or streamed over growing ones."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from .option_lists import listed_names, listed_numbers
from .progress import console, on_the_terminal, save, tell
from .query_numbers import query_numbers

SIZES, ALL_SIZES = "11,58", "11,116,585"
ONLY_STREAMED = {"sizes": "--sizes", "full": "--full", "engines": "--engines", "limit": "--limit", "target": "--on"}
ONLY_IN_MEMORY = {"scale": "--scale", "document": "--document", "budget": "--budget"}
"""Options by parameter: each belongs to one of the two measurements."""


def xmark_times(
    context: typer.Context,
    scale: Annotated[float, typer.Option("--scale", help="Size of the document; 1 is about 116 MB.")] = 0.1,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same document.")] = 0,
    document: Annotated[
        Path | None, typer.Option("--document", exists=True, dir_okay=False, help="Use this document.")
    ] = None,
    queries: Annotated[str, typer.Option("--queries", help="Queries to run, such as `1-7,13`.")] = "1-20",
    repeat: Annotated[
        int | None, typer.Option("--repeat", min=1, help="Number of measurements: by default 5, with --stream 3.")
    ] = None,
    budget: Annotated[float, typer.Option("--budget", help="Seconds after which a query is not repeated.")] = 10.0,
    only_xylem: Annotated[bool, typer.Option("--only-xylem", help="Measure no peers.")] = False,
    stream: Annotated[
        bool, typer.Option("--stream", help="Stream from file to answer, in a new process for each measurement.")
    ] = False,
    sizes: Annotated[str, typer.Option("--sizes", help="With --stream: sizes of the documents in MB.")] = SIZES,
    full: Annotated[bool, typer.Option("--full", help="With --stream: documents of 11, 116 and 585 MB.")] = False,
    engines: Annotated[
        str, typer.Option("--engines", help="With --stream: engines to measure.")
    ] = "streamed,tree,Saxon,by hand",
    limit: Annotated[
        float,
        typer.Option("--limit", min=0.1, metavar="SECONDS", help="With --stream: stop a query that takes longer."),
    ] = 120.0,
    target: Annotated[
        str | None, typer.Option("--on", metavar="spark", help="With --stream: also run Q11 and Q12 on Spark.")
    ] = None,
    master: Annotated[str, typer.Option("--master", help="Spark master.")] = "local[2]",
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="File for the figures.")] = None,
    svg_file: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="File for a bar chart.")] = None,
) -> None:
    """Run the twenty XMark queries with Xylem and the installed peers: over one document in memory, or
    with --stream from file to answer, over documents of growing size."""
    _refuse(context, ONLY_IN_MEMORY if stream else ONLY_STREAMED, stream)
    numbers = query_numbers(queries)
    if not stream:
        _in_memory(document, scale, seed, numbers, repeat or 5, budget, only_xylem, json_file, svg_file)
        return
    from . import xmark_stream_report
    from .xmark_stream_run import Plan, run
    from .xmark_stream_worker import ENGINES, STREAMED, TREE

    if target not in (None, "spark"):
        raise typer.BadParameter("queries run on spark, or in one process", param_hint="--on")
    megabytes = listed_numbers(ALL_SIZES if full else sizes, "--sizes", float)
    by = [STREAMED, TREE] if only_xylem else listed_names(engines, ENGINES, "--engines")
    plan = Plan(megabytes, numbers, by, None if target is None else master, repeat or 3, limit, seed)
    with tempfile.TemporaryDirectory(prefix="xylem-xmark-") as folder:
        times = run(Path(folder), plan, on_the_terminal())
    for table in xmark_stream_report.tables(times):
        console().print(table)
    tell(xmark_stream_report.remarks(times), xmark_stream_report.verdicts(times))
    save(json_file, lambda: xmark_stream_report.as_json(times), svg_file, lambda: xmark_stream_report.figure(times))


def _refuse(context: typer.Context, others: dict[str, str], stream: bool) -> None:
    """Options of the other measurement would be read by nobody."""
    for parameter, option in others.items():
        source = context.get_parameter_source(parameter)
        if source is not None and source.name == "COMMANDLINE":
            what = "is for a document in memory, not for --stream" if stream else "needs --stream"
            raise typer.BadParameter(what, param_hint=option)


def _in_memory(
    document: Path | None,
    scale: float,
    seed: int,
    numbers: list[int],
    repeat: int,
    budget: float,
    only_xylem: bool,
    json_file: Path | None,
    svg_file: Path | None,
) -> None:
    from . import xmark, xmark_report
    from .peers import Xylem, installed_peers
    from .xmark_run import Effort, run

    peers = [Xylem()] if only_xylem else installed_peers()
    with tempfile.TemporaryDirectory() as folder:
        if document is None:
            document = Path(folder) / "auction.xml"
            xmark.write(document, scale, seed)
        times = run(document, numbers, peers, Effort(repeat, budget), on_the_terminal())
    console().print(xmark_report.table(times))
    tell(xmark_report.remarks(times))
    save(json_file, lambda: xmark_report.as_json(times), svg_file, lambda: xmark_report.figure(times))
