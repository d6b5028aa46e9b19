"""`xylem network`: which queries share what, and the streams that carry it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .failures import reported
from .site_commands import DEFAULT_SITE
from .site_options import SiteDirectory

if TYPE_CHECKING:
    from xylem.network.matching import Match
    from xylem.syntax import ast

app = typer.Typer(
    name="network",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Queries that share streams (docs/network.md).",
)


class Format(StrEnum):
    """How an answer is written."""

    TEXT = "text"
    JSON = "json"


class PlanFormat(StrEnum):
    """How plans are written."""

    TEXT = "text"
    JSON = "json"
    XML = "xml"


@app.callback()
def _all_commands() -> None:
    """A single command would take the place of the group."""


@app.command(
    epilog="""Examples:

`xylem network match vela.xq rxj.xq`

`xylem network match vela.xq rxj.xq --schema photons.dtd --format json`

The stream of a query is what its filter leaves: the records where its conditions hold, with the paths that its
result reads. `residual` is what the second query still has to test, `widen` what the first would have to keep in
addition. With a schema more is found: values that a record has once at most are told apart from those that may come
again."""
)
@reported()
def match(
    first: Annotated[Path, typer.Argument(metavar="A.xq", help="The query whose stream there is.")],
    second: Annotated[Path, typer.Argument(metavar="B.xq", help="The query to be answered from it.")],
    schema: Annotated[
        Path | None,
        typer.Option("--schema", help="What the input follows: a `.dtd` or `.xsd` file.", show_default=False),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="For people, or for programs.")] = Format.TEXT,
) -> None:
    """Tell whether B can be answered from the stream that A leaves, and what is left to do."""
    from xylem.network.matching import match_queries
    from xylem.schema import load_schema

    found = match_queries(_parsed(first), _parsed(second), None if schema is None else load_schema(schema))
    if format is Format.JSON:
        import json

        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        typer.echo("\n".join(_lines(found)))


@app.command(
    epilog="""Examples:

`xylem network start --background`, then `xylem publish photons --input photons.xml`, then
`xylem subscribe vela.xq --name vela --source photons --from earliest --output -`

A site keeps everything in its directory: started again, it goes on where it was. It listens on this machine alone, and
who asks needs the token in its file `site.json`, which only its owner can read."""
)
@reported()
def start(
    site: SiteDirectory = DEFAULT_SITE,
    port: Annotated[int, typer.Option("--port", help="0 takes one that is free.")] = 0,
    background: Annotated[
        bool, typer.Option("--background", help="Come back as soon as the site answers; it goes on by itself.")
    ] = False,
    most_subscriptions: Annotated[
        int, typer.Option("--most-subscriptions", min=0, help="So many are answered at once; more are refused.")
    ] = 100_000,
    unread_bytes: Annotated[
        int,
        typer.Option("--unread-bytes", min=0, help="An answer with more that nobody has read is suspended."),
    ] = 1 << 30,
) -> None:
    """Start a site: streams, subscriptions and their answers, in one process."""
    if background:
        from .site_process import start_in_background

        limits = ["--most-subscriptions", str(most_subscriptions), "--unread-bytes", str(unread_bytes)]
        typer.echo(start_in_background(site, port, limits), err=True)
        return
    from xylem.network.http_site import serve
    from xylem.network.site_limits import SiteLimits

    serve(site, port, SiteLimits(most_subscriptions, unread_bytes))


@app.command(epilog="Example: `xylem network stop`")
@reported()
def stop(site: SiteDirectory = DEFAULT_SITE) -> None:
    """Stop a site; started again, it goes on where it was."""
    from .site_process import stop as stop_process

    stop_process(site)


@app.command(
    epilog="""Examples:

`xylem network plan examples/network/thesis.json`

`xylem network plan network.json --optimize --format json`

The file names peers, links, a source with a sample of its stream, and subscriptions with their peers
(`examples/network/` has one). Bytes are those of the engine over the sample, not guesses."""
)
@reported()
def plan(
    file: Annotated[Path, typer.Argument(metavar="NETWORK.json", help="Peers, links, a source and subscriptions.")],
    optimize: Annotated[
        bool, typer.Option("--optimize", help="Place all subscriptions together, and not one after another.")
    ] = False,
    format: Annotated[PlanFormat, typer.Option("--format", help="For people, for programs, or for peers.")] = (
        PlanFormat.TEXT
    ),
) -> None:
    """Place subscriptions in a network: what each reuses, where it is computed, and what every link carries."""
    from xylem.network.network_file import read_network

    from .network_plan import json_lines, text_lines, xml_lines

    told = {PlanFormat.TEXT: text_lines, PlanFormat.JSON: json_lines, PlanFormat.XML: xml_lines}[format]
    for line in told(read_network(file), optimize):
        typer.echo(line)


@app.command(
    epilog="""Example:

`xylem network relay --from sp3 --subscription vela-filter --to sp2 --stream vela`

Each record arrives once: a relay that begins again leaves out what the stream has."""
)
@reported()
def relay(
    upstream: Annotated[Path, typer.Option("--from", help="The directory of the site to read from.")],
    subscription: Annotated[str, typer.Option("--subscription", help="Whose answer is carried.")],
    downstream: Annotated[Path, typer.Option("--to", help="The directory of the site to publish at.")],
    stream: Annotated[str, typer.Option("--stream", help="The stream that it becomes there.")],
) -> None:
    """Publish the answer of a subscription at one site as a stream of another."""
    from xylem.network.relay import Relay

    from .site_commands import client

    made = Relay(client(upstream), subscription, client(downstream), stream)
    records = made.run()
    typer.echo(f"{records:,} records added, {made.bytes:,} bytes read", err=True)


def _parsed(path: Path) -> ast.Module:
    from xylem.syntax import parse

    from .query_source import query_source

    source = query_source(path, None)
    return parse(source.text, source.name)


def _lines(found: Match) -> list[str]:
    told = found.to_dict()
    lines = [f"reuse:    {'yes' if found.reuse else 'no'}", f"why:      {found.why}"]
    if found.residual:
        lines.append(f"residual: {' and '.join(told['residual'])}")
    if found.widen is not None:
        if found.widen.where:
            lines.append(f"widen:    where {found.widen.where}")
        if found.widen.paths:
            lines.append(f"{'          ' if found.widen.where else 'widen:    '}paths {', '.join(found.widen.paths)}")
    return lines
