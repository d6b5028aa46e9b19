"""`xylem bench messages`: what one query costs for each of many small messages."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from .option_lists import listed_names
from .orders import LEAST_BYTES
from .progress import console, on_the_terminal, save, tell


def messages_cost(
    messages: Annotated[int, typer.Option("--messages", min=2, help="Number of messages.")] = 100_000,
    size_bytes: Annotated[int, typer.Option("--bytes", min=LEAST_BYTES, help="Approximate size of a message.")] = 300,
    files: Annotated[
        int, typer.Option("--files", min=2, help="Number of messages that are also separate files.")
    ] = 10_000,
    queries: Annotated[str, typer.Option("--queries", help="Queries to measure.")] = "value,element,aggregate",
    engines: Annotated[str, typer.Option("--engines", help="Engines to measure; by default all.")] = "",
    spark: Annotated[bool, typer.Option("--spark/--no-spark", help="Also measure columns on Spark.")] = True,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="Maximum duration of a loop over messages, in seconds.")
    ] = 5.0,
    limit: Annotated[
        float, typer.Option("--limit", min=0.1, metavar="SECONDS", help="Stop a process that takes longer.")
    ] = 120.0,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of repetitions; the best one counts.")] = 2,
    master: Annotated[str, typer.Option("--master", help="Spark master.")] = "local[2]",
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same messages.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    svg_file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart to this file.")
    ] = None,
) -> None:
    """Measure one query over many small messages, compared with lxml and Spark's from_xml."""
    from . import messages_report
    from .messages_run import ENGINES, ON_SPARK, Plan, run
    from .messages_tasks import NAMED

    chosen = listed_names(engines, ENGINES, "--engines") if engines else list(ENGINES)
    asked = [engine for engine in chosen if spark or engine not in ON_SPARK]
    named = listed_names(queries, NAMED, "--queries")
    plan = Plan(messages, size_bytes, files, asked, named, seconds, limit, repeat, master, seed)
    with tempfile.TemporaryDirectory(prefix="xylem-messages-") as folder:
        times = run(Path(folder), plan, on_the_terminal())
    console().print(messages_report.table(times))
    tell(messages_report.remarks(times), messages_report.verdicts(times))
    save(json_file, lambda: messages_report.as_json(times), svg_file, lambda: messages_report.figure(times))
