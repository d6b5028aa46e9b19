"""The commands that talk to a site, and what their `--help` teaches."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .command_app import command_app
from .failures import reported
from .site_commands import DEFAULT_SITE

app = command_app()


class InputFormat(StrEnum):
    """What comes in."""

    AUTO = "auto"
    XML = "xml"
    CSV = "csv"
    JSON = "json"


class Format(StrEnum):
    """How a list is written."""

    TEXT = "text"
    JSON = "json"


SiteDirectory = Annotated[Path, typer.Option("--site", help="Directory of the site, or its address.")]
TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", help="File with your token, where you do not own the site.", show_default=False),
]
ListFormat = Annotated[Format, typer.Option("--format", help="Text for people, or JSON for programs.")]


@app.command(
    epilog="""Examples:

`xylem publish photons --input photons.xml`

`tail -f feed.xml | xylem publish photons --input -`

Each child of the root element becomes a record of the stream. Another document with the same root element appends
its records. A record that is not well formed is refused; the records before it stay in the stream.

`xylem publish trips --input trips.csv --record trip` turns lines below a line of names into
`<rows><trip><time>8</time>…</trip>…`. JSON has one value per line, or is one array. `xylem publish north --input
north.xml --virtual all` makes the stream a part of `all`, which has the records of all its parts in the order of
their arrival."""
)
@reported()
def publish(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the stream.")],
    input: Annotated[
        list[str], typer.Option("--input", "-i", metavar="FILE", help="A document, or `-` for standard input.")
    ],
    site: SiteDirectory = DEFAULT_SITE,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", help="Schema of the records: a `.dtd` or `.xsd` file.", show_default=False),
    ] = None,
    format: Annotated[
        InputFormat, typer.Option("--format", help="Format of the input; `auto` goes by the ending of its name.")
    ] = InputFormat.AUTO,
    record: Annotated[str, typer.Option("--record", help="Element name for records of CSV and JSON.")] = "row",
    virtual: Annotated[
        str | None,
        typer.Option("--virtual", metavar="V", help="Make the stream part of a virtual one.", show_default=False),
    ] = None,
    sites: Annotated[
        str | None,
        typer.Option("--sites", metavar="SITES", help="Sites that may receive the stream; `*` is any name.",
                     show_default="all"),
    ] = None,
    token_file: TokenFile = None,
) -> None:
    """Add the records of a document to a stream as they arrive."""
    from .site_commands import client
    from .site_commands import publish as run

    run(name, input, client(site, token_file), schema, format, record, virtual, sites)


@app.command(
    epilog="""Examples:

`xylem subscribe vela.xq --name vela --source photons --output -`

`xylem subscribe -q 'count(stream("photons")/photons/photon)' --name n --from earliest`

`xylem subscribe rxj.xq --name rxj --source photons --at P2 --site SP2`

The site answers a subscription from its position on until you unsubscribe, even if nobody reads the answer. Repeat
the command to continue: Xylem appends the missing part to the file. In a network of sites, Xylem computes the query
where it costs least, from an existing stream if one suffices, and prints its choice. The answer goes to the peer
that asks."""
)
@reported()
def subscribe(
    query: Annotated[
        Path | None, typer.Argument(metavar="QUERY", help="File with the query.", show_default=False)
    ] = None,
    text: Annotated[str | None, typer.Option("--query", "-q", help="The query itself.", show_default=False)] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the subscription.")] = ...,  # type: ignore[assignment]
    source: Annotated[
        str | None,
        typer.Option(
            "--source", help="Stream that the query starts from, unless the query names one.", show_default=False
        ),
    ] = None,
    start: Annotated[
        str,
        typer.Option("--from", metavar="POSITION", help="First record: `now`, `earliest`, or the number of a record."),
    ] = "now",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Write the answer to this file; `-` is standard output.", show_default=False
        ),
    ] = None,
    site: SiteDirectory = DEFAULT_SITE,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="PEER", help="Peer of the network that asks.", show_default="the site itself"),
    ] = None,
    token_file: TokenFile = None,
) -> None:
    """Subscribe a query to a stream, of the site or of its network."""
    from .site_commands import client
    from .site_commands import subscribe as run

    run(query, text, name, source, start, output, client(site, token_file), at)


@app.command(epilog="Example: `xylem unsubscribe vela`")
@reported()
def unsubscribe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the subscription.")],
    site: SiteDirectory = DEFAULT_SITE,
    token_file: TokenFile = None,
) -> None:
    """End a subscription. Its answer ends with the records that have arrived so far."""
    from .site_commands import client

    found = client(site, token_file).unsubscribe(name)
    typer.echo(f"{name}: {found['source']} from position {found['from']} to {found['to']}", err=True)


@app.command(epilog="Example: `xylem subscriptions --format json`")
@reported()
def subscriptions(
    site: SiteDirectory = DEFAULT_SITE, format: ListFormat = Format.TEXT, token_file: TokenFile = None
) -> None:
    """List the subscriptions of a site."""
    from .site_commands import client, listed

    columns = {
        "name": "NAME", "source": "SOURCE", "from": "FROM", "to": "TO", "state": "STATE",
        "at": "AT", "answer_bytes": "BYTES", "error": "ERROR",
    }  # fmt: skip
    listed(client(site, token_file).subscriptions(), columns, format is Format.JSON)


@app.command(epilog="Example: `xylem sources`")
@reported()
def sources(site: SiteDirectory = DEFAULT_SITE, format: ListFormat = Format.TEXT, token_file: TokenFile = None) -> None:
    """List the streams of a site."""
    from .site_commands import client, listed

    columns = {
        "name": "NAME", "records": "RECORDS", "bytes": "BYTES", "position": "POSITION", "evaluated": "EVALUATED",
        "subscriptions": "SUBSCRIPTIONS", "origin": "ORIGIN", "error": "ERROR",
    }  # fmt: skip
    listed(client(site, token_file).sources(), columns, format is Format.JSON)


@app.command(epilog="Example: `xylem peers --site SP2`")
@reported()
def peers(site: SiteDirectory = DEFAULT_SITE, format: ListFormat = Format.TEXT) -> None:
    """List the peers of the network that a site is part of."""
    from .site_commands import client, listed

    found = client(site).ask("GET", "/map")["peers"]
    if format is Format.TEXT:
        for one in found:
            one["state"] = "answers" if one["answers"] else "does not answer"
            one.setdefault("subnet", "")
            for key in ("neighbours", "sources", "subscriptions"):
                one[key] = ", ".join(one.get(key, ()))
            one["streams"] = ", ".join(each["name"] for each in one.get("streams", ()))
    columns = {
        "name": "NAME", "kind": "KIND", "subnet": "SUBNET", "state": "STATE", "url": "ADDRESS",
        "neighbours": "NEIGHBOURS", "sources": "PUBLISHES", "streams": "STREAMS", "subscriptions": "ASKS FOR",
    }  # fmt: skip
    listed(found, columns, format is Format.JSON)
