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
    messages: Annotated[int, typer.Option("--messages", min=2, help="How many messages.")] = 100_000,
    size_bytes: Annotated[int, typer.Option("--bytes", min=LEAST_BYTES, help="The size of a message, about.")] = 300,
    files: Annotated[
        int, typer.Option("--files", min=2, help="How many of the messages stand in files of their own, too.")
    ] = 10_000,
    queries: Annotated[str, typer.Option("--queries", help="What is asked.")] = "value,element,aggregate",
    engines: Annotated[str, typer.Option("--engines", help="Which ways; all if it is empty.")] = "",
    spark: Annotated[bool, typer.Option("--spark/--no-spark", help="Measure columns of Spark's, too.")] = True,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="How long a loop over messages goes on at most.")
    ] = 5.0,
    limit: Annotated[
        float, typer.Option("--limit", min=0.1, metavar="SECONDS", help="A process that takes longer is stopped.")
    ] = 120.0,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="How often; the best counts.")] = 2,
    master: Annotated[str, typer.Option("--master", help="The Spark to run on.")] = "local[2]",
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same messages.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there.")] = None,
    svg_file: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart there.")] = None,
) -> None:
    """One query over many small messages: microseconds for each, in every way, beside lxml and Spark's from_xml."""
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
