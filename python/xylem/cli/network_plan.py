"""The plans of a network in words, as JSON and as XML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .query_source import QuerySource

if TYPE_CHECKING:
    from xylem.network.network_file import DescribedNetwork
    from xylem.network.planner import Planner


def planned(network: DescribedNetwork, optimize: bool) -> Planner:
    made = network.planner()
    if optimize:
        made.optimize()
    return made


def text_lines(network: DescribedNetwork, optimize: bool) -> Iterator[str]:
    planner = planned(network, optimize)
    for name, one in planner.placed.items():
        yield from planner.explain(name)
        yield f"  transformed at {one.transform_at}, result to {one.asked.peer}"
    yield ""
    others = {
        "query shipping, a copy of the source each": network.planner(
            shares=False, one_uplink=False, transform_near_source=True
        ),
        "query shipping": network.planner(shares=False, transform_near_source=True),
    }
    yield f"{'bytes over all links':<44}{'in all':>16}"
    yield f"{'  data shipping':<44}{network.data_shipping_bytes:>16,}"
    for title, other in others.items():
        yield f"{'  ' + title:<44}{int(other.load().total_bytes):>16,}"
    load = planner.load()
    yield f"{'  sharing, all placed together' if optimize else '  sharing':<44}{int(load.total_bytes):>16,}"
    for (one_peer, other_peer), size in sorted(load.bytes.items()):
        yield f"    {one_peer + ' – ' + other_peer:<40}{int(size):>16,}"


def json_lines(network: DescribedNetwork, optimize: bool) -> Iterator[str]:
    import json

    from xylem.network.plan_document import network_dict

    yield json.dumps(network_dict(planned(network, optimize)), indent=2, ensure_ascii=False)


def xml_lines(network: DescribedNetwork, optimize: bool) -> Iterator[str]:
    from xylem.network.plan_document import nested_plan, plan_xml

    planner = planned(network, optimize)
    for name in planner.placed:
        yield plan_xml(nested_plan(planner, name))


def explain_in_network(source: QuerySource, place: str, stream: str | None = None) -> None:
    """What a query would use of the subscriptions of a network, and what not, and why.

    `stream` is the one that its context item stands for.
    """
    from xylem.network.network_file import asked_query, read_network

    file, at, peer = place.rpartition("@")
    if not at:
        told = "give the file of a network, or the directory of a site, and a peer: network.json@P2"
        raise typer.BadParameter(told, param_hint="--network")
    if Path(file).is_dir():
        from .site_commands import client

        body = {"query": source.text, "at": peer, "source": stream}
        for line in client(Path(file)).ask("POST", "/explain", body)["told"]:
            typer.echo(line)
        return
    if stream is not None:
        raise typer.BadParameter("the file of a network names its source", param_hint="--source")
    network = read_network(Path(file))
    if peer not in network.topology.peers:
        known = ", ".join(network.topology.peers)
        raise typer.BadParameter(f"the network has no peer '{peer}'; it has {known}", param_hint="--network")
    planner = network.planner()
    made = planner.register(asked_query("query", peer, source.text, source.name, network))
    for line in planner.explain("query"):
        typer.echo(line)
    typer.echo(f"  transformed at {made.transform_at}, result to {peer}")
