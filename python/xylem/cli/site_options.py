"""The commands that talk to a site, and what their `--help` teaches."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .failures import reported
from .site_commands import DEFAULT_SITE

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(StrEnum):
    """How a list is written."""

    TEXT = "text"
    JSON = "json"


SiteDirectory = Annotated[Path, typer.Option("--site", help="Directory of the site.")]
ListFormat = Annotated[Format, typer.Option("--format", help="For people, or for programs.")]


@app.command(
    epilog="""Examples:

`xylem publish photons --input photons.xml`

`tail -f feed.xml | xylem publish photons --input -`

Each child of the root element becomes a record of the stream. Another document with the same root element appends its
records. A record that is not well formed is refused; the records before it stay in the stream."""
)
@reported()
def publish(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the stream.")],
    input: Annotated[
        list[str], typer.Option("--input", "-i", metavar="FILE", help="A document, or `-` for standard input.")
    ],
    site: SiteDirectory = DEFAULT_SITE,
) -> None:
    """Add the records of a document to a stream as they arrive."""
    from .site_commands import publish as run

    run(name, input, site)


@app.command(
    epilog="""Examples:

`xylem subscribe vela.xq --name vela --source photons --output -`

`xylem subscribe -q 'count(stream("photons")/photons/photon)' --name n --from earliest`

The site answers a subscription from its position on until you unsubscribe, whether or not somebody reads the answer.
The same command, given again, continues the answer: the file gets what it does not have yet."""
)
@reported()
def subscribe(
    query: Annotated[Path | None, typer.Argument(metavar="QUERY", help="The query.", show_default=False)] = None,
    text: Annotated[str | None, typer.Option("--query", "-q", help="The query itself.", show_default=False)] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the subscription.")] = ...,  # type: ignore[assignment]
    source: Annotated[
        str | None,
        typer.Option(
            "--source", help="Stream that the query starts from, unless the query names one.", show_default=False
        ),
    ] = None,
    start: Annotated[
        str, typer.Option("--from", metavar="POSITION", help="`now`, `earliest`, or the number of a record.")
    ] = "now",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Write the answer to this file; `-` is standard output.", show_default=False
        ),
    ] = None,
    site: SiteDirectory = DEFAULT_SITE,
) -> None:
    """Subscribe a query to a stream."""
    from .site_commands import subscribe as run

    run(query, text, name, source, start, output, site)


@app.command(epilog="Example: `xylem unsubscribe vela`")
@reported()
def unsubscribe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The subscription.")],
    site: SiteDirectory = DEFAULT_SITE,
) -> None:
    """Give a subscription up: what has come before is answered, then the answer ends."""
    from .site_commands import client

    found = client(site).unsubscribe(name)
    typer.echo(f"{name}: {found['source']} from position {found['from']} to {found['to']}", err=True)


@app.command(epilog="Example: `xylem subscriptions --format json`")
@reported()
def subscriptions(site: SiteDirectory = DEFAULT_SITE, format: ListFormat = Format.TEXT) -> None:
    """List the subscriptions of a site."""
    from .site_commands import client, listed

    columns = {
        "name": "NAME", "source": "SOURCE", "from": "FROM", "to": "TO", "state": "STATE",
        "answer_bytes": "BYTES", "error": "ERROR",
    }  # fmt: skip
    listed(client(site).subscriptions(), columns, format is Format.JSON)


@app.command(epilog="Example: `xylem sources`")
@reported()
def sources(site: SiteDirectory = DEFAULT_SITE, format: ListFormat = Format.TEXT) -> None:
    """List the streams of a site."""
    from .site_commands import client, listed

    columns = {
        "name": "NAME", "records": "RECORDS", "bytes": "BYTES", "evaluated": "EVALUATED",
        "subscriptions": "SUBSCRIPTIONS",
    }  # fmt: skip
    listed(client(site).sources(), columns, format is Format.JSON)
