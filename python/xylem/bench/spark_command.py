"""`xylem bench spark`: one large document in one process, on Spark, and by Spark's own XML source."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from .progress import console, on_the_terminal, save, tell


def spark_speed(
    megabytes: Annotated[float, typer.Option("--size", min=1, help="Size of each document in MB.")] = 500.0,
    master: Annotated[str, typer.Option("--master", help="Spark master.")] = "local[2]",
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of runs of each task.")] = 3,
    only_xylem: Annotated[bool, typer.Option("--only-xylem", help="Do not measure Spark's own source.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same document.")] = 0,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Directory for documents and answers; by default they are deleted.")
    ] = None,
    limit: Annotated[
        float, typer.Option("--limit", min=1, metavar="SECONDS", help="Stop an engine that takes longer.")
    ] = 1800.0,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    svg_file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart to this file.")
    ] = None,
) -> None:
    """Compare Xylem in one process, Xylem on Spark, and Spark's own XML source."""
    from xylem.spark.session import require_spark

    from . import spark_report
    from .spark_run import run
    from .spark_worker import ENGINES, SPARK_XML

    require_spark()
    engines = [engine for engine in ENGINES if engine != SPARK_XML or not only_xylem]
    with tempfile.TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        figures = run(place, megabytes, master, engines, repeat, seed, limit, on_the_terminal())
    console().print(spark_report.table(figures))
    caution = spark_report.caution(figures)
    tell([] if caution is None else [caution], spark_report.verdicts(figures))
    save(json_file, lambda: spark_report.as_json(figures), svg_file, lambda: spark_report.figure(figures))
