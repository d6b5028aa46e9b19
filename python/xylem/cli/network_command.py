"""`xylem network`: which queries share streams, and the sites that carry them."""

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
    help="Run queries that share streams (docs/network.md).",
)


class Format(StrEnum):
    """How an answer is written."""

    TEXT = "text"
    JSON = "json"


class Kind(StrEnum):
    """What a site does for others."""

    SUPER = "super"
    THIN = "thin"


class MapFormat(StrEnum):
    """How a map is drawn."""

    TEXT = "text"
    JSON = "json"
    DOT = "dot"
    SVG = "svg"


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

The stream of a query holds the records that satisfy its conditions, reduced to the paths that its result reads.
`residual` lists the conditions that B must still test; `widen` lists what A would have to keep in addition. A
schema lets Xylem find more: it shows which values a record has at most once."""
)
@reported()
def match(
    first: Annotated[Path, typer.Argument(metavar="A.xq", help="Query whose stream exists.")],
    second: Annotated[Path, typer.Argument(metavar="B.xq", help="Query to answer from that stream.")],
    schema: Annotated[
        Path | None,
        typer.Option("--schema", help="DTD or XML Schema of the input.", show_default=False),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="Text for people, or JSON for programs.")] = Format.TEXT,
) -> None:
    """Test whether query B can be answered from the stream of query A, and list what remains to be done."""
    from xylem.network.answer_matching import match_queries
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

`xylem network start --site SP2 --listen 127.0.0.1:7002 --background`, then `xylem network join SP3 --site SP2`

A site keeps everything in its directory and continues from there when you start it again. Other sites know it by
the name of the directory, or by `--name`. Clients need the token in its file `site.json`, which only the owner can
read. A site that other machines reach needs a certificate."""
)
@reported()
def start(
    site: SiteDirectory = DEFAULT_SITE,
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Address to listen on; port 0 chooses a free one.")
    ] = "127.0.0.1:0",
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the site in a network.", show_default="its directory")
    ] = None,
    kind: Annotated[
        Kind, typer.Option("--kind", help="`super` computes for others; `thin` publishes and displays.")
    ] = Kind.SUPER,
    capacity: Annotated[
        float, typer.Option("--capacity", min=0.0, help="Number of processors that it offers to the network.")
    ] = 1.0,
    background: Annotated[
        bool, typer.Option("--background", help="Run in the background; return as soon as the site is ready.")
    ] = False,
    most_subscriptions: Annotated[
        int, typer.Option("--most-subscriptions", min=0, help="Maximum number of subscriptions.")
    ] = 100_000,
    unread_bytes: Annotated[
        int,
        typer.Option("--unread-bytes", min=0, help="Suspend a subscription when more bytes of its answer are unread."),
    ] = 1 << 30,
    log_bytes: Annotated[
        int | None,
        typer.Option("--log-bytes", min=0, help="Bytes of each stream to keep.", show_default="all"),
    ] = None,
    log_days: Annotated[
        float | None,
        typer.Option("--log-days", min=0.0, help="Days for which to keep each stream.", show_default="for good"),
    ] = None,
    log: Annotated[
        str,
        typer.Option("--log", metavar="PLACE", help="Where to keep streams: `files`, or `kafka://HOST:PORT`."),
    ] = "files",
    catalogue: Annotated[
        str,
        typer.Option("--catalogue", metavar="PLACE", help="Where to keep the catalogue: `files`, or `postgresql://HOST/DATABASE`."),
    ] = "files",
    subnet_most: Annotated[
        int, typer.Option("--subnet-most", min=1, help="Divide a subnet with more super-peers.")
    ] = 32,
    subnet_least: Annotated[
        int, typer.Option("--subnet-least", min=0, help="Join a subnet with fewer super-peers to another.")
    ] = 8,
    most_neighbours: Annotated[
        int, typer.Option("--most-neighbours", min=1, help="Assign no newcomer to a super-peer with more neighbours.")
    ] = 64,
    certificate: Annotated[
        Path | None, typer.Option("--tls-cert", help="Certificate (PEM): encrypt all messages.", show_default=False)
    ] = None,
    key: Annotated[Path | None, typer.Option("--tls-key", help="Its private key (PEM).", show_default=False)] = None,
    authority: Annotated[
        Path | None,
        typer.Option("--tls-ca", help="Signer of all sites' certificates (PEM): admit no others.", show_default=False),
    ] = None,
) -> None:
    """Start a site: one process that holds streams and answers subscriptions."""
    if background:
        from .site_process import start_in_background

        options = ["--listen", listen, "--kind", kind, "--capacity", str(capacity)]
        options += ["--most-subscriptions", str(most_subscriptions), "--unread-bytes", str(unread_bytes)]
        options += ["--log", log, "--catalogue", catalogue]
        options += ["--subnet-most", str(subnet_most), "--subnet-least", str(subnet_least)]
        options += ["--most-neighbours", str(most_neighbours)]
        given = {"--name": name, "--tls-cert": certificate, "--tls-key": key, "--tls-ca": authority}
        for option, value in {**given, "--log-bytes": log_bytes, "--log-days": log_days}.items():
            options += [] if value is None else [option, str(value)]
        typer.echo(start_in_background(site, options), err=True)
        return
    from xylem.network.http_site import Listening, ServedSite
    from xylem.network.log_store import LogLimits
    from xylem.network.log_topic import brokers_in
    from xylem.network.site_limits import SiteLimits
    from xylem.network.subnet_limits import SubnetLimits
    from xylem.network.topology import PeerKind

    host, _, port = listen.rpartition(":")
    if not port.isdecimal() or len(port) > 5 or int(port) > 65_535:
        raise typer.BadParameter("give a host and a port: 127.0.0.1:7002", param_hint="--listen")
    host = host.strip("[]") or "127.0.0.1"
    subnets = SubnetLimits(subnet_most, subnet_least, most_neighbours)
    place = Listening(host, int(port), name or "", PeerKind(kind), capacity, certificate, key, authority, subnets)
    stored = "" if catalogue == "files" else catalogue
    kept = LogLimits(log_bytes, None if log_days is None else log_days * 86_400)
    ServedSite(site, SiteLimits(most_subscriptions, unread_bytes, kept, brokers_in(log), stored), place).run()


@app.command(
    epilog="""Example: `xylem network code cone.wasm "udf:near(xs:double, xs:double) as xs:boolean"`

Put what it prints before the query that calls the function, then subscribe it."""
)
@reported()
def code(
    module: Annotated[Path, typer.Argument(help="A WebAssembly module that imports nothing.", show_default=False)],
    signature: Annotated[str, typer.Argument(help="Name and types of the function.", show_default=False)],
) -> None:
    """Print a function as a declaration that travels with a query."""
    from xylem.errors import InputError
    from xylem.network.mobile_code import code_option

    try:
        typer.echo(code_option(module.read_bytes(), signature))
    except OSError as reason:
        raise InputError("XYIN0002", f"{module}: {reason.strerror}") from reason


@app.command(
    epilog="""Examples:

`xylem network operator smooth smooth.wasm --source photons`

`xylem network operator smooth smooth.py --signature smooth.py.sig --source photons`

The operator reads the records of the source one by one and returns records, which form a stream with the name of the
operator. A WebAssembly module
exports `memory`, `alloc` and `record`, and imports nothing. Python must be signed by somebody whom the owner of the
site lists in its file `allowed-signers`."""
)
@reported()
def operator(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the stream that it makes.")],
    code: Annotated[Path, typer.Argument(metavar="CODE", help="A `.wasm` or `.py` file.", show_default=False)],
    source: Annotated[str, typer.Option("--source", help="Stream that it reads.")],
    signature: Annotated[
        Path | None, typer.Option("--signature", help="Signature of Python code.", show_default=False)
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="PEER", help="Peer that runs it.", show_default="the nearest to the source"),
    ] = None,
    site: SiteDirectory = DEFAULT_SITE,
) -> None:
    """Let code of your own make a stream from another one."""
    from .network_sites import operator as run

    run(name, code, source, signature, at, site)


@app.command(epilog="Example: `xylem network stop`")
@reported()
def stop(site: SiteDirectory = DEFAULT_SITE) -> None:
    """Stop a site. When you start it again, it continues where it stopped."""
    from .site_process import stop as stop_process

    stop_process(site)


@app.command(
    epilog="""Examples:

`xylem network join SP3 --site SP2`

`xylem network join http://127.0.0.1:7003 --token-file SP3/token --site SP2`

`xylem network join SP3 --assign --site P5`

`xylem network join --token-file SP3/token --site P5`

The other site is given by its directory on this machine, or by its address and a file with its token. Both become
neighbours of each other: data goes between neighbours, and `network map` shows all that can be reached. With
`--assign` the speaker of the network chooses the neighbour: the super-peer that has room and the fewest neighbours for
its capacity. Without an address, a site that knows the token is looked for on this machine or its local network."""
)
@reported()
def join(
    other: Annotated[
        str | None,
        typer.Argument(metavar="[URL]", help="Address or directory of the other site.", show_default="searched for"),
    ] = None,
    site: SiteDirectory = DEFAULT_SITE,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="File with the other site's token.", show_default=False)
    ] = None,
    bandwidth: Annotated[
        float, typer.Option("--bandwidth", min=1, help="Bandwidth of the link, in bytes per second.")
    ] = 125e6,
    certificate: Annotated[
        Path | None,
        typer.Option("--tls-cert", help="Certificate of the other site, or of its issuer.", show_default=False),
    ] = None,
    assign: Annotated[
        bool, typer.Option("--assign", help="Let the network of the other site choose the neighbour.")
    ] = False,
) -> None:
    """Make another site a neighbour of this one."""
    from .network_sites import join as run

    run(other, site, token_file, bandwidth, certificate, assign=assign)


@app.command(
    epilog="""Examples:

`xylem network token alice --subscribe photons > alice.token`

`xylem network token feed --publish photons,alarms-*`

The token is printed once; the site keeps only a digest. Its holder uses it with `--site ADDRESS --token-file FILE`, or
over HTTP as `Authorization: Bearer`. A stream made from others can be read by those who may read all of these. Holders
see their own subscriptions, and learn nothing of the queries of others, unless they may operate the site."""
)
@reported()
def token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the token, to tell it from others.")],
    publish: Annotated[
        str, typer.Option("--publish", metavar="STREAMS", help="Streams to publish, with commas between them.")
    ] = "",
    subscribe: Annotated[
        str, typer.Option("--subscribe", metavar="STREAMS", help="Streams to read, with commas; `*` is any name.")
    ] = "",
    operate: Annotated[bool, typer.Option("--operate", help="Join sites, see the map, manage all.")] = False,
    site: SiteDirectory = DEFAULT_SITE,
) -> None:
    """Make a token that lets its holder use some streams of a site."""
    from .site_commands import client

    asked = {"publish": publish, "subscribe": subscribe}
    streams = {key: [one for one in told.split(",") if one] for key, told in asked.items()}
    found = client(site).ask("POST", "/tokens", {"name": name, **streams, "operate": operate})
    typer.echo(found["token"])


@app.command(epilog="Example: `xylem network tokens`")
@reported()
def tokens(
    site: SiteDirectory = DEFAULT_SITE,
    format: Annotated[Format, typer.Option("--format", help="Text for people, or JSON for programs.")] = Format.TEXT,
) -> None:
    """List the tokens of a site and what they allow."""
    from .site_commands import client, listed

    found = client(site).ask("GET", "/tokens")
    if format is Format.TEXT:
        for one in found:
            one |= {key: ", ".join(one[key]) for key in ("publish", "subscribe")}
            one["operate"] = "yes" if one["operate"] else ""
    columns = {"name": "NAME", "publish": "PUBLISHES", "subscribe": "READS", "operate": "OPERATES"}
    listed(found, columns, format is Format.JSON)


@app.command(epilog="Example: `xylem network revoke alice`")
@reported()
def revoke(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the token.")],
    site: SiteDirectory = DEFAULT_SITE,
) -> None:
    """Withdraw a token: the site refuses it from now on. Subscriptions made with it continue."""
    from urllib.parse import quote

    from .site_commands import client

    client(site).ask("DELETE", f"/tokens/{quote(name)}")
    typer.echo(f"{name}: withdrawn", err=True)


@app.command(epilog="Example: `xylem network withdraw north --virtual all --site P1`")
@reported()
def withdraw(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A stream that is published at this site.")],
    virtual: Annotated[str, typer.Option("--virtual", metavar="V", help="The virtual stream.")],
    site: SiteDirectory = DEFAULT_SITE,
) -> None:
    """End a stream as a part of a virtual one, which keeps the records that there are now."""
    from urllib.parse import quote

    from .site_commands import client

    found = client(site).ask("DELETE", f"/virtual/{quote(virtual)}", {"stream": name})
    told = f"{name}: {virtual} at {found['at']} takes its records up to {found['to']:,}, and no more"
    typer.echo(told, err=True)


@app.command(epilog="Example: `xylem network leave --site SP2`")
@reported()
def leave(site: SiteDirectory = DEFAULT_SITE) -> None:
    """Leave the network. First end the subscriptions that use streams of other sites or pass through this one."""
    from .site_commands import client

    found = client(site).ask("POST", "/leave")
    typer.echo(f"{found['name']} has left {', '.join(found['left']) or 'nobody'}", err=True)


@app.command(
    epilog="""Examples:

`xylem network map --site SP2`

`xylem network map --site SP2 --format svg > map.svg`

`xylem network map --site SP2 --format dot | dot -Tpng > map.png`

The bytes of a link are those of its records and answers, each counted once."""
)
@reported()
def map(
    site: SiteDirectory = DEFAULT_SITE,
    format: Annotated[MapFormat, typer.Option("--format", help="Text for people, JSON for programs, or a picture.")] = (
        MapFormat.TEXT
    ),
) -> None:
    """Show the network around a site: peers, links, streams, subscriptions and traffic."""
    from .network_sites import map_lines

    for line in map_lines(site, format):
        typer.echo(line)


@app.command(
    epilog="""Example: `xylem network optimize --site SP2`

Computations stay where they are. Xylem chooses the origin of their records anew, among the streams that exist now,
and replaces a stream that has become too wide or that a later one could serve. Answers continue without a gap: each
stream changes over at a position."""
)
@reported()
def optimize(site: SiteDirectory = DEFAULT_SITE) -> None:
    """Choose cheaper origins for the streams of a running network."""
    from .site_commands import client

    for found in client(site).ask("POST", "/optimize")["sources"]:
        sizes = f"{found['bytes before']:,} bytes over all links for the sample before, {found['bytes']:,} now"
        typer.echo(f"{found['source']}: {', '.join(found['switched']) or 'nothing'} changed; {sizes}", err=True)


@app.command(
    epilog="""Examples:

`xylem network plan examples/network/thesis.json`

`xylem network plan network.json --optimize --format json`

`xylem network plan rxj --site P2 --format xml`

The plan of a subscription is the one that its site carried out and handed on. A file describes peers, links, a
source with a sample of its stream, and subscriptions with their peers (`examples/network/` has one). Xylem measures
bytes over the sample; it does not estimate them."""
)
@reported()
def plan(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="NETWORK.json|NAME", help="Peers, links, a source and subscriptions; or a subscription of a site."
        ),
    ],
    optimize: Annotated[
        bool, typer.Option("--optimize", help="Place all subscriptions together instead of one after another.")
    ] = False,
    format: Annotated[
        PlanFormat, typer.Option("--format", help="Text for people, JSON for programs, or XML for peers.")
    ] = (PlanFormat.TEXT),
    site: SiteDirectory = DEFAULT_SITE,
) -> None:
    """Place subscriptions in a network: what each one reuses, which peer computes it, and what every link carries."""
    if not file.exists() and not file.suffix:
        from .network_sites import plan_lines

        for line in plan_lines(site, str(file), format):
            typer.echo(line)
        return
    from xylem.network.network_file import read_network

    from .network_plan import json_lines, text_lines, xml_lines

    told = {PlanFormat.TEXT: text_lines, PlanFormat.JSON: json_lines, PlanFormat.XML: xml_lines}[format]
    for line in told(read_network(file), optimize):
        typer.echo(line)


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
