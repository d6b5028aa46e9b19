"""Settings that all commands share: the look of their help, and no completion of their own."""

from __future__ import annotations

import typer


def command_app(name: str | None = None, help: str | None = None) -> typer.Typer:
    """Commands without completion of their own: the script `xylem` completes them."""
    return typer.Typer(
        name=name,
        help=help,
        no_args_is_help=help is not None,
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
