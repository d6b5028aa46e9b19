"""`--project DIR`: list a run that was started on the command line in the console of a project."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from .common_options import OUTPUT

Project = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="DIR",
        help="List this run, with its figures, in the console of a project: `xylem console --project DIR`.",
        rich_help_panel=OUTPUT,
    ),
]


@contextmanager
def listed(
    project: Path | None, queries: Sequence[Path], inputs: Sequence[str], runner: str, metrics: Path | None
) -> Iterator[Path | None]:
    """List the command while it runs and when it has ended; gives the file for its figures."""
    if project is None:
        yield metrics
        return
    if not project.is_dir():
        raise typer.BadParameter(f"{project} is not a directory", param_hint="--project")
    from xylem.console.noted_end import listed_in
    from xylem.console.registry import Asked

    names = ", ".join(map(str, queries)) or "-q"
    asked = Asked(names, ", ".join(inputs), runner=runner, command=shlex.join(["xylem", *sys.argv[1:]]))
    with listed_in(project, asked, metrics) as figures:
        yield figures
