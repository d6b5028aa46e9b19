"""The commands that people or editors talk to: the shell, the console in a browser, the language server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .command_app import command_app
from .failures import reported

app = command_app()


@app.command(epilog="Example: `xylem shell -i dump.xml.bz2`")
@reported()
def shell(
    place: Annotated[
        str | None, typer.Option("-i", "--input", metavar="DOC.xml", help="The document that queries start from.")
    ] = None,
) -> None:
    """Try queries one after another, with history, completion and `:explain`."""
    from xylem.interactive.shell import run_shell

    run_shell(place)


@app.command(epilog="Example: `xylem console`, then open the address that it prints.")
@reported()
def console(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65_535, help="Port to listen on.")] = 8480,
    token: Annotated[
        str | None, typer.Option("--token", help="Require this token; needed beyond this machine.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="TLS certificate, needed beyond this machine.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Key of the TLS certificate.")] = None,
    project: Annotated[
        Path,
        typer.Option(
            "--project", metavar="DIR", help="Directory with the queries and inputs of runs.", show_default="."
        ),
    ] = Path(),
) -> None:
    """Try queries in a browser and watch runs.

    The playground underlines errors and says what each line does. Runs show their result as it changes, their figures,
    their plan and their dead letters.
    """
    from .console_command import run_console

    run_console(host, port, token, certificate, key, project)


@app.command("language-server")
@reported()
def language_server() -> None:
    """Serve an editor: errors, hints and completion by the Language Server Protocol on standard input and output."""
    from xylem.interactive.language_server import serve

    serve()
