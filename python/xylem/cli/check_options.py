"""The options of `xylem check` and what its `--help` teaches."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .command_app import command_app
from .common_options import FunctionFiles, QueryText
from .failures import reported

app = command_app()


class CheckFormat(StrEnum):
    """How errors of queries are written."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


@app.command(
    epilog="""Examples:

`xylem check report.xq && echo fine`

`xylem check queries/*.xq --format github`"""
)
@reported()
def check(
    queries: Annotated[
        list[Path] | None,
        typer.Argument(metavar="QUERY.xq...", help="Files with queries; `-` is standard input.", show_default=False),
    ] = None,
    text: QueryText = None,
    functions: FunctionFiles = None,
    format: Annotated[
        CheckFormat,
        typer.Option("--format", help="Text for people, JSON for programs, annotations for GitHub, or SARIF."),
    ] = CheckFormat.TEXT,
    updates: Annotated[
        bool, typer.Option("--updates", help="Check for runs over update streams, where `/a/name#1` is a version.")
    ] = False,
) -> None:
    """Find the static errors of queries without running them: grammar, names, arities, types.

    Each query is checked up to its first error. The exit code is 1 if any has one, and 3 if a file cannot be read.
    """
    from .check_queries import check_queries
    from .function_files import load_functions

    load_functions(functions)
    check_queries(queries or (), text, format.value, over_updates=updates)
