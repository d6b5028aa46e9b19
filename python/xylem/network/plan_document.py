"""Plans as documents: in JSON, and in XML in the form of the thesis (figure 2.8), with its slips corrected.

A plan names its peer, the operators to add there with the streams they read, and contains the plan of the peer that
supplies these streams. A peer keeps its part and hands the inner plan on. Carrying out a plan again is harmless: a
stream that exists is used as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from .filter_stream import filter_query, opening_of, plain_filter_query, residual_query
from .network_state import Feed
from .planner import Asked, Placed, Planner
from .properties import Properties, condition_text
from .site_names import ELSEWHERE, SOURCE
from .stored_documents import documents_read
from .stream_statistics import Measured, StreamStatistics

NAMESPACE = "urn:xylem:network:plan"
Parts = list[tuple[str, dict[str, Any]]]
"""The work for each peer."""
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"


def plan_dict(planner: Planner, name: str) -> dict[str, Any]:
    """The plan of one subscription in short."""
    one = planner.placed[name]
    return {
        "subscription": name,
        "at": one.asked.peer,
        "uses": one.uses,
        "filter": {"at": one.filter_at, "fetched over": list(one.fetched), "sent over": list(one.filter_route)},
        "transformation": {"at": one.transform_at, "sent over": list(one.result_route)},
        "residual": [condition_text(condition) for condition in one.residual],
    }


def network_dict(planner: Planner) -> dict[str, Any]:
    """All plans, with their traffic and work."""
    load = planner.load()
    return {
        "plans": [plan_dict(planner, name) for name in planner.placed],
        "links": [
            {"between": list(link), "bytes": int(size), "bytes per second": size / planner.seconds}
            for link, size in sorted(load.bytes.items())
        ],
        "peers": [
            {"peer": peer, "load": seconds / planner.seconds / planner.topology.capacity.get(peer, 1.0)}
            for peer, seconds in sorted(load.seconds.items())
        ],
        "total bytes": int(load.total_bytes),
        "cost": planner.phi(load),
    }


def kept_plan(planner: Planner, name: str, source: str) -> dict[str, Any]:
    """A plan with everything a planner later needs to know."""
    measured = planner.placed[name].asked.statistics
    sizes = {
        "filter bytes": measured.filter.bytes, "filter seconds": measured.filter.seconds,
        "result bytes": measured.result.bytes, "result seconds": measured.result.seconds,
    }  # fmt: skip
    told = {"query": planner.placed[name].asked.query, "source": source, "sites": [list(one) for one in planner.sites]}
    return {**plan_dict(planner, name), "measured": sizes, **told}


def placed_again(told: dict[str, Any], properties: Properties | None) -> Placed:
    """A placed subscription, restored from the output of `kept_plan`. Its filter knows the remaining tests."""
    sizes = told["measured"]
    statistics = StreamStatistics(
        Measured(sizes["filter bytes"], sizes["filter seconds"]),
        Measured(sizes["result bytes"], sizes["result seconds"]),
    )
    query = told["query"]
    reads = documents_read(query)
    asked = Asked(told["subscription"], told["at"], properties, statistics, query=query, documents=reads)
    way, last = told["filter"], told["transformation"]
    fetched, sent, result = (tuple(one) for one in (way["fetched over"], way["sent over"], last["sent over"]))
    return Placed(asked, told["uses"], way["at"], fetched, last["at"], sent, result)


def filter_feed(properties: Properties, residual: tuple[Any, ...], used: str) -> Feed:
    """The filter of a subscription over a stream that has made its other tests."""
    rest = replace(properties, conditions=residual)
    plain = plain_filter_query(rest, around=False) or ""
    return Feed("", used, plain, filter_query(rest, around=False), opening_of(rest))


@dataclass(frozen=True)
class Naming:
    """The names of streams at the peers of a network."""

    source: str = SOURCE
    others: Mapping[str, str] = field(default_factory=dict)
    """Streams with a different name, because the existing ones with their own name begin too late."""

    def of(self, key: str) -> str:
        """The stream that a subscription offers to others, or the source."""
        own = self.source if key == SOURCE else f"{key}-filter"
        return self.others.get(own, own)


def nested_plan(planner: Planner, name: str, naming: Naming = Naming(), start: int = 0) -> dict[str, Any]:
    """The whole plan of one subscription: the subscriber's part, with those of the other peers inside."""
    one = planner.placed[name]
    parts: Parts = []
    route = one.result_route
    for here, before in zip(reversed(route[1:]), reversed(route[:-1]), strict=True):
        parts.append((here, {"do": "receive", "peer": before}))
    own = one.asked.properties
    stream = SOURCE if own is None else name
    text = one.asked.query if own is None else residual_query(own, own.conditions)
    parts.append((one.transform_at, {"do": "query", "stream": naming.of(stream), "query": text}))
    _add_stream(planner, stream, one.transform_at, f"subscription:{name}", naming, start, parts)
    return _nested(name, {**kept_plan(planner, name, naming.source), "from": start}, parts)


def switching_plan(planner: Planner, name: str, naming: Naming, position: int, reader: str) -> dict[str, Any]:
    """The plan that moves a subscription's stream to another origin from a position on, with the streams it uses."""
    one = planner.placed[name]
    parts: Parts = []
    key = SOURCE if one.asked.properties is None else name
    _add_stream(planner, key, one.transform_at, reader, naming, position, parts)
    for _, part in parts:
        if part["do"] == "stream" and "feed" in part:
            part["switch"] = True
    return _nested(name, {**kept_plan(planner, name, naming.source), "from": position}, parts)


def stream_plan(
    planner: Planner, name: str, key: str, peer: str, reader: str, naming: Naming, start: int
) -> dict[str, Any]:
    """The plan that brings a stream to a peer, for a reader in another subnet."""
    parts: Parts = []
    _add_stream(planner, key, peer, reader, naming, start, parts)
    return _nested(name, {**kept_plan(planner, name, naming.source), "from": start}, parts)


def part_plan(route: list[str], stream: str, start: int, virtual: str, sites: list[list[str]]) -> dict[str, Any]:
    """The plan that brings a stream over a route to the peer where a virtual stream merges it with others."""
    parts: Parts = []
    reader = f"stream:{virtual}"
    for here, before in zip(reversed(route[1:]), reversed(route[:-1]), strict=True):
        told = {"do": "stream", "name": stream, "from": start, "reader": reader, "sites": sites}
        parts.append((here, {**told, "feed": Feed(before, stream).to_dict()}))
        reader = f"peer:{here}/{stream}"
    parts.append((route[0], {"do": "stream", "name": stream, "from": start, "reader": reader}))
    return _nested(virtual, {"query": "", "at": route[-1], "source": stream, "from": start}, parts)


def _nested(name: str, about: dict[str, Any], parts: Parts) -> dict[str, Any]:
    """A list of parts as nested plans."""
    plan: dict[str, Any] | None = None
    while parts:
        peer = parts[-1][0]
        added: list[dict[str, Any]] = []
        while parts and parts[-1][0] == peer:
            added.insert(0, parts.pop()[1])
        identity = f"{name}-{peer}"
        plan = {"atPeer": peer, "id": identity, "subscription": name, "about": about, "add": added, "plan": plan}
    assert plan is not None
    return plan


def _add_stream(
    planner: Planner,
    key: str,
    peer: str,
    reader: str,
    naming: Naming,
    start: int,
    parts: list[tuple[str, dict[str, Any]]],
) -> None:
    """Add the parts that bring a stream to a peer, from there up to the source."""
    stream = naming.of(key)
    told: dict[str, Any] = {"do": "stream", "name": stream, "from": start, "reader": reader}
    if planner.sites:
        told["sites"] = [list(one) for one in planner.sites]
    if peer in planner.topology.outside:
        query = planner.placed[key].asked.query if key != SOURCE else ""
        parts.append((peer, {**told, "do": "export", "stream": key, "query": query}))
        return
    if key == SOURCE and peer == planner.source_peer:
        parts.append((peer, {**told, "name": naming.source}))
        return
    before = _peer_before(planner, key, peer)
    if before is not None:
        is_published = key == SOURCE and before == planner.source_peer and not planner.entries
        feed = Feed(before, naming.source if is_published else stream).to_dict()
        plan = {} if key == SOURCE else kept_plan(planner, key, naming.source)
        parts.append((peer, {**told, "plan": plan, "feed": feed}))
        _add_stream(planner, key, before, f"peer:{peer}/{stream}", naming, start, parts)
        return
    if key == SOURCE or planner.placed[key].uses == ELSEWHERE:
        # It came from another subnet that has since been merged with this one, and is already there.
        parts.append((peer, told))
        return
    made = planner.placed[key]
    assert made.asked.properties is not None
    used = naming.of(made.uses)
    if made.uses == SOURCE and peer == planner.source_peer:
        used = naming.source
    residual_feed = filter_feed(made.asked.properties, planner.residual(made), used)
    parts.append((peer, {**told, "plan": kept_plan(planner, key, naming.source), "feed": residual_feed.to_dict()}))
    _add_stream(planner, made.uses, peer, f"stream:{stream}", naming, start, parts)


def _peer_before(planner: Planner, key: str, peer: str) -> str | None:
    """The neighbour that sends a stream to a peer; None if it is made there."""
    routes = [] if key == SOURCE else [planner.placed[key].filter_route]
    routes += [one.fetched for one in planner.placed.values() if one.uses == key]
    if key != SOURCE and planner.placed[key].filter_at == peer:
        return None
    for route in routes:
        if peer in route[1:]:
            return route[route.index(peer) - 1]
    return None


def plan_xml(plan: dict[str, Any]) -> str:
    """A plan as XML, with all inner plans."""
    return _plan_xml(plan, f' xmlns="{NAMESPACE}" xmlns:xsi="{_INSTANCE}"', True)


def _plan_xml(plan: dict[str, Any], declared: str, is_first: bool) -> str:
    name = plan["subscription"]
    added = "".join(_operator(name, part) for part in plan["add"])
    if is_first:
        added = _element("result", "display", name, None, "builtInStreamoperator") + added
    inner = "" if plan["plan"] is None else _plan_xml(plan["plan"], "", False)
    names = f"atPeer={quoteattr(plan['atPeer'])} id={quoteattr(plan['id'])}"
    return f"<plan {names}{declared}><add>{added}</add>{inner}</plan>"


def _operator(name: str, part: dict[str, Any]) -> str:
    match part["do"]:
        case "receive":
            return _element(name, "receive", f"{part['peer']}/{name}", None, "builtInStreamoperator")
        case "query":
            return _element(name, "query", part["stream"], part["query"], "queryStreamoperatorType")
    stream = part["name"]
    if part["do"] == "export":
        part = {**part, "feed": {"stream": stream, "query": part["query"]}}
    feed = Feed.from_dict(part.get("feed", {}))
    sent = ""
    kind, _, reader = part["reader"].partition(":")
    if kind == "peer":
        sent = _element(f"{stream}-to-{reader.partition('/')[0]}", "send", stream, None, "builtInStreamoperator")
    if feed.peer:
        return _element(stream, "receive", f"{feed.peer}/{feed.stream}", None, "builtInStreamoperator") + sent
    if feed.stream:
        query = feed.query or feed.safe_query
        return _element(stream, "query", feed.stream, query, "queryStreamoperatorType") + sent
    return sent


def _element(identity: str, kind: str, reads: str, source: str | None, type_name: str) -> str:
    text = "" if source is None else f"<source>{escape(source)}</source>"
    return (
        f"<streamoperator id={quoteattr(identity)} name={quoteattr(kind)} xsi:type={quoteattr(type_name)}>"
        f"<dependencies><streamreference streamref={quoteattr(reads)}/></dependencies>{text}</streamoperator>"
    )
