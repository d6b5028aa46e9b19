"""`xylem bench soak`: windows over a stream on Spark for minutes, at the highest rate that is sustained."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from .progress import on_the_terminal, save, tell


def soak_test(
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.2, help="Duration after the first batch, in minutes.")
    ] = 10.0,
    master: Annotated[str, typer.Option("--master", metavar="URL", help="Spark master.")] = "local[2]",
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    svg_file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Plot the figures in this file.")
    ] = None,
) -> None:
    """Run windows on Spark for minutes, and check that neither state nor memory grows."""
    from .soak_report import SoakReport
    from .soak_run import soak

    with TemporaryDirectory(prefix="xylem-soak-") as folder:
        report = SoakReport(soak(Path(folder), minutes, master, on_the_terminal()))
    tell(report.lines(), report.verdicts())
    save(json_file, report.as_json, svg_file, report.figure)
