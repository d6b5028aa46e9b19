"""The script `xylem`: its own options, and its commands, which `commands_on_demand.py` lists."""

from __future__ import annotations

from typing import Annotated

import typer

from xylem.version import VERSION

from .commands_on_demand import CommandsOnDemand
from .failures import debug as show_tracebacks

app = typer.Typer(
    name="xylem",
    cls=CommandsOnDemand,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="XQuery 3.1 over XML that is huge or never ends.",
    epilog="Start with: `xylem run -q '1 to 3'`, then `xylem run --help`.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"xylem {VERSION}")
        raise typer.Exit


@app.callback()
def _all_commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show Python tracebacks, for work on Xylem itself.")] = False,
) -> None:
    show_tracebacks(debug)
