"""Register a subscription in a network: plan it with the streams of all peers, then hand it to the subscribing peer.

`planner.py` chooses the plan. The peers themselves report peers, links and plans, and a sample of the stream determines
the number of bytes. The speaker of the network does this for all sites (`speaker.py`). Where there is none, each does
it for itself: plans made at the same time do not see each other, share less than they could, and lose nothing.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import quote

from xylem.errors import InputError, XylemError
from xylem.schema import Schema, load_schema
from xylem.syntax import parse

from .filter_stream import residual_query
from .member import SubscribedQuery
from .mobile_code import CAPABILITY, brings_code
from .network_view import NetworkView, gathered
from .peer import Peer
from .plan_document import Naming, filter_feed, nested_plan, part_plan, placed_again, switching_plan
from .planner import LEAST_GAIN, Asked, Placed, Planner
from .properties import NotShared, Properties, properties_of
from .site_names import EARLIEST, ELSEWHERE, NOW, SOURCE, checked_name
from .speaker import by_speaker
from .stored_documents import documents_read
from .stream_sites import admits, lists_of, must_admit
from .stream_statistics import Measured, StreamStatistics, statistics_of
from .subnet_plans import is_whole, restored
from .subnets import Subnet, Subnets, around, asked_directly, entries
from .widening import widened_query
from .wider_streams import widen_streams

SchemaText = tuple[str, str]
"""File name extension and text of a schema."""
SAMPLE_BYTES = 1 << 18
MOST_KNOWN = 1 << 14
"""Number of queries whose properties are kept, about 50 kB each: a new one is compared with all that run."""
_UNKNOWN_BYTES = 1000
"""Assumed bytes per second of a stream without records; half of them pass a condition."""


@dataclass(frozen=True)
class SourceInfo:
    """The description of a stream by its publisher."""

    name: str
    peer: str
    position: int
    base: int
    sample: bytes
    """A document of its latest records; empty before the first one."""
    seconds: float
    """The time in which the sample arrived."""
    schema: SchemaText | None
    entries: tuple[str, ...] = ()
    """For a stream published in another subnet: the peers that it comes over; `peer` is the first of them."""
    subnet: str = ""
    """The other subnet."""
    sites: tuple[tuple[str, ...], ...] = ()
    """Where it may go."""


def source_info(view: NetworkView, name: str, others: Subnets | None = None) -> SourceInfo:
    """The publisher's description of a stream; XYRT0053 if no site or several sites publish it."""
    others = around(view) if others is None else others
    here, there = view.publishers(name), others.publishing(name)
    found = [*here, *(each["peer"] for _, each in there)]
    if len(found) != 1:
        known = sorted({one["name"] for each in view.records.values() for one in each["sources"]} | others.sources())
        told = f"is published at {', '.join(found)}: give one of them another name" if found else "is not published"
        instead = f"; there are {', '.join(known)}" if known and not found else ""
        raise InputError("XYRT0053", f"the stream '{name}' {told}{instead}")
    path = f"/streams/{quote(name)}/sample"
    if here:
        return _source_info(name, here[0], view.ask(here[0], "GET", path))
    subnet, each = there[0]
    over = tuple(entries(view, subnet))
    made = _source_info(name, over[0], asked_directly(view, each, "GET", path))
    return replace(made, entries=over, subnet=subnet.name)


def _source_info(name: str, peer: str, told: dict[str, Any]) -> SourceInfo:
    schema = None if told["schema"] is None else (str(told["schema"][0]), str(told["schema"][1]))
    sample = b64decode(told["sample"])
    sites = tuple(map(tuple, told["sites"]))
    return SourceInfo(name, peer, told["position"], told["base"], sample, told["seconds"], schema, sites=sites)


@lru_cache(16)
def _schema(ending: str, text: str) -> Schema:
    with NamedTemporaryFile("w", suffix=ending, encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return load_schema(file.name)


class Registration:
    """The plans of one source in a network, and new ones beside them."""

    def __init__(
        self, view: NetworkView, source: SourceInfo, token: int | None = None, others: Subnets | None = None
    ) -> None:
        """`token` is the number of the speaker's lease; None if the network has no speaker."""
        self._view = view
        self.source = source
        self._token = token
        self.others = Subnets() if others is None else others
        size = len(source.sample) or _UNKNOWN_BYTES
        topology = view.topology(with_borders=True).within(lambda peer: self._may_have(peer))
        self.planner = Planner(topology, source.peer, size, source.seconds)
        self.planner.sites = source.sites
        self.planner.entries = frozenset(source.entries)
        self.planner.documents = {name: set(record["documents"]) for name, record in view.records.items()}
        plans = view.plans(source.name)
        self._live = [name for name, told in plans.items() if not told.get("is over")]
        for name, told in plans.items():
            placed = self._known(name, told)
            if placed is not None:
                self.planner.placed[name] = placed
        known = self.planner.placed
        while lost := [name for name, one in known.items() if one.uses not in {SOURCE, ELSEWHERE, *known}]:
            for name in lost:
                del known[name]

    def _may_have(self, peer: str) -> bool:
        return (peer == self.source.peer and not self.source.entries) or admits(self.source.sites, peer)

    def _known(self, name: str, told: dict[str, Any]) -> Placed | None:
        """A running plan; None if nothing of it is left, or if it crosses peers that have left."""
        try:
            properties = _properties(told["query"], self.source.schema)
        except NotShared:
            properties = None
        except XylemError:
            return None
        placed = placed_again(told, properties)
        if not is_whole(self._view, placed, self.planner.entries):
            found = None if properties is None else restored(self._view, placed, self.planner.topology.outside)
            return found if found is not None and found.peers <= self.planner.topology.peers.keys() else None
        if not placed.peers <= self.planner.topology.peers.keys():
            # Some peers may have lost the stream since the plan was made.
            return None
        if not told.get("is over"):
            return placed
        # The subscription has ended; its stream continues for others, as far as they need it.
        kept = [peer for peer in placed.filter_route if self._view.has_stream(peer, f"{name}-filter")]
        if not kept:
            return None
        left = [*(peer for peer in placed.filter_route[:1] if peer not in self._view.records), *kept]
        asked = replace(placed.asked, statistics=placed.asked.statistics.without_result(), peer=left[-1])
        return replace(placed, asked=asked, filter_route=tuple(left), transform_at=left[-1], result_route=(left[-1],))

    def asked(self, name: str, peer: str, text: str) -> Asked:
        """A query as the planner needs to know it; XYST0004 or XYRT0051 for one that cannot be subscribed.

        XYRT0062 if its stream may not go to the requester.
        """
        if not self._may_have(peer):
            must_admit(self.source.sites, peer, self.source.name)
        properties, why = _shared(text, self.source.schema)
        needed = (*documents_read(text), *((CAPABILITY,) if brings_code(text) else ()))
        return Asked(name, peer, properties, self._statistics(text, properties), why, text, needed)

    def whole_source(self, name: str, peer: str) -> Asked:
        """The source itself, as requested by another subnet."""
        size = Measured(self.planner.source_bytes, 0.0)
        return Asked(name, peer, None, StreamStatistics(size, size), "another subnet reads all of it")

    def _statistics(self, text: str, properties: Properties | None) -> StreamStatistics:
        if self.source.sample:
            try:
                return statistics_of(text, properties, self.source.sample)
            except XylemError:
                # It fails on the sample, and may fail again when it runs: the subscriber will see that.
                pass
        number = 0 if properties is None else len(properties.conditions)
        guessed = Measured(int(self.planner.source_bytes * 0.5**number), 0.0)
        return StreamStatistics(guessed, guessed)

    def start(self, told: str | int) -> int:
        """The position where a subscription begins."""
        first, last = self.source.base, self.source.position
        position = {NOW: last, EARLIEST: first}.get(str(told))
        if position is None:
            position = int(told)
            if not first <= position <= last:
                raise InputError("XYRT0053", f"the stream has positions from {first} to {last}, not {position}")
        return position

    def register(self, asked: Asked) -> list[str]:
        """Register a subscription. Others may then read its stream, or a wider one than before; return their names."""
        planner = self.planner
        kept = dict(planner.placed)
        movable = [name for name in self._live if name in kept and self._is_inside(name, kept[name])]
        planner.admit(asked, movable)
        if asked.properties is not None:
            widen_streams(planner, asked, kept, self._wide, self._stays)
        return _changed(kept, planner.placed)

    def _stays(self, name: str) -> bool:
        return name in self._live or self._view.is_read_outside(f"{name}-filter")

    def _is_inside(self, name: str, one: Placed) -> bool:
        """Whether a stream belongs to this subnet alone: one that crosses a border keeps its origin."""
        is_outside = one.uses == ELSEWHERE or one.filter_at in self.planner.topology.outside
        return not is_outside and not self._view.is_read_outside(f"{name}-filter")

    def _wide(self, one: Asked, other: Asked) -> Asked | None:
        """A stream that could answer two subscriptions, without a subscriber of its own."""
        if one.properties is None or other.properties is None or one.properties.windowed or not self.source.sample:
            return None
        text = widened_query(one.properties, other.properties)
        name = f"{one.name.removeprefix('wide-')}-{other.name}"[:80]
        if text is None or f"wide-{name}" in self.planner.placed:
            return None
        try:
            made = self.asked(f"wide-{name}", one.peer, text)
        except XylemError:
            return None
        if made.properties is None:
            return None
        return replace(made, statistics=replace(made.statistics, result=Measured(0, 0.0)))

    def naming(self, start: int) -> Naming:
        """The names of streams in a plan that begins at a position."""
        names = [self.source.name, *(f"{one}-filter" for one in self.planner.placed)]
        late = {name: f"{name}.{start}" for name in names if any(base > start for base in self._bases(name))}
        return Naming(self.source.name, late)

    def _bases(self, stream: str) -> list[int]:
        return [*self._view.bases(stream), *self.others.bases(stream)]

    def plan(self, asked: Asked, start: int) -> dict[str, Any]:
        """The plan of a placed subscription, for the requesting peer."""
        return nested_plan(self.planner, asked.name, self.naming(start), start)

    def carry_out(self, peer: Peer, at: str, plan: dict[str, Any]) -> None:
        """Send a plan to its first peer, from the site that made it."""
        if at == peer.name:
            peer.carry_out(self._numbered(plan))
        else:
            self._view.ask(at, "POST", "/plans", self._numbered(plan))

    def _numbered(self, plan: dict[str, Any]) -> dict[str, Any]:
        """A plan with the number of its lease, and its subnet."""
        return plan if self._token is None else {**plan, "token": self._token, "subnet": self._view.subnet}

    def switch(self, names: list[str]) -> None:
        """Switch the streams of subscriptions to their new origins, from the end of the source on."""
        position = self.source.position
        naming = Naming(self.source.name)
        for name in names:
            one = self.planner.placed[name]
            plan = switching_plan(self.planner, name, naming, position, self._reader(name, one.transform_at))
            self._view.ask(one.transform_at, "POST", "/plans", self._numbered(plan))
            self._view.ask(one.asked.peer, "PUT", f"/plans/{quote(name)}/about", plan["about"])

    def _reader(self, name: str, peer: str) -> str:
        """The reader of a subscription's stream where it ends: its answer, or another one if it has ended."""
        kept = self._view.stream(peer, f"{name}-filter")
        if name in self._live or kept is None or not kept["readers"]:
            return f"subscription:{name}"
        return str(kept["readers"][0])

    def reconsider(self) -> list[str]:
        """Place all subscriptions again, and return those that must switch; empty if nothing is gained."""
        planner, kept = self.planner, dict(self.planner.placed)
        before = planner.phi()
        live = [kept[name].asked for name in self._live if name in kept and kept[name].uses != ELSEWHERE]
        staying = self._staying({one.name for one in live})
        try:
            planner.placed = planner.reconsidered(live, staying)
        except InputError:
            return []
        if planner.phi() >= before * (1 - LEAST_GAIN):
            planner.placed = kept
            return []
        return _changed({one.name: kept[one.name] for one in live}, planner.placed)

    def _staying(self, moving: Collection[str]) -> list[str]:
        """The streams that other subnets read or make: they are not moved from here."""
        known = self.planner.placed
        found = [name for name, one in known.items() if name not in moving and not self._is_inside(name, one)]
        while lost := [name for name in found if known[name].uses not in {SOURCE, ELSEWHERE, *found}]:
            found = [name for name in found if name not in lost]
        return found

    def explain(self, name: str, shown: Collection[str] | None = None) -> list[str]:
        """The streams that a subscription uses or cannot use, and the peers that compute it."""
        one = self.planner.placed[name]
        lines = self.planner.explain(name, shown)
        if one.uses == SOURCE and one.fetched[0] in self.planner.entries:
            lines += self._explained_there(one, shown)
        return [*lines, f"  transformed at {one.transform_at}, result to {one.asked.peer}"]

    def _explained_there(self, one: Placed, shown: Collection[str] | None) -> list[str]:
        """The streams used by a subscription's stream in the subnet that it comes from."""
        at = one.fetched[0]
        subnet = self.others.with_peer(at)
        if subnet is None or one.asked.properties is None:
            return [f"  {self.source.name} comes over {at}, from subnet {self.source.subnet}"]
        body = {"query": one.asked.query, "source": self.source.name, "at": at, "name": one.asked.name}
        told = subnet.ask("POST", "/subnet/explanations", {**body, "shown": None if shown is None else sorted(shown)})
        return [f"  in subnet {subnet.name}: {told['told'][0]}", *(f"  {line}" for line in told["told"][1:])]

    def free_name(self, name: str) -> None:
        """XYRT0053 for a name that is taken."""
        if name in self._view.names() or name in self.planner.placed or self.others.asking_for(name) is not None:
            raise InputError("XYRT0053", f"there is a subscription '{name}' already, or a stream of it that others use")


@lru_cache(MOST_KNOWN)
def _properties(text: str, schema: SchemaText | None) -> Properties:
    """The properties of a query; NotShared if it has none."""
    return properties_of(parse(text, "query"), None if schema is None else _schema(*schema))


@lru_cache(1024)
def _shared(text: str, schema: SchemaText | None) -> tuple[Properties | None, str]:
    """The properties of the stream that a query offers to others; None with the reason if it shares only the source."""
    SubscribedQuery(text, "query")
    try:
        found = _properties(text, schema)
        if len(found.record) != 2:
            return None, "its records are not the children of the root element"
        # The query that will run must be one that can be subscribed.
        feed = filter_feed(found, found.conditions, SOURCE)
        for query in (feed.query, feed.safe_query, residual_query(found, found.conditions)):
            if query:
                SubscribedQuery(query, "query")
    except NotShared as reason:
        return None, reason.why
    except XylemError as reason:
        return None, f"its filter or what stands behind it cannot be subscribed by itself ({reason.code})"
    return found, ""


def subscribe_in_network(
    peer: Peer,
    name: str,
    text: str,
    source: str | None,
    start: str | int,
    at: str,
    shown: Collection[str] | None = None,
) -> dict[str, Any]:
    """Subscribe a query at a peer of a site's network. Repeating the same request changes nothing.

    The answer mentions only the subscriptions in `shown`.
    """
    checked_name(name)
    source = source or SubscribedQuery(text, name).source
    if source is None:
        raise InputError("XYRT0053", "the query reads the context item: say which stream that is")
    seen = None if shown is None else sorted(shown)
    body = {"name": name, "query": text, "source": source, "from": start, "at": at, "shown": seen}
    there = _elsewhere(peer, at)
    if there is not None:
        return there.ask("POST", "/subnet/registrations", body)  # type: ignore[no-any-return]
    return by_speaker(peer, "/registrations", body, lambda view, token: registered(peer, view, token, body))


def registered(peer: Peer, view: NetworkView, token: int | None, body: dict[str, Any]) -> dict[str, Any]:
    """Place a subscription, as the speaker or in a network without one."""
    name, text, source, at, shown = (body[key] for key in ("name", "query", "source", "at", "shown"))
    view.check(at)
    known = view.plans(source).get(name)
    if known is not None and not known.get("is over") and (known["query"], known["at"]) == (text, at):
        return {"name": name, "source": source, "from": known["from"], "at": at, "told": []}
    others = around(view)
    registration = Registration(view, source_info(view, source, others), token, others)
    registration.free_name(name)
    first = registration.start(body["from"])
    asked = registration.asked(name, at, text)
    switched = registration.register(asked)
    told = registration.explain(name, shown)
    registration.carry_out(peer, at, registration.plan(asked, first))
    registration.switch(switched)
    if shown is None:
        told += [f"  {other} reads {registration.planner.placed[other].uses} now" for other in switched]
    return {"name": name, "source": source, "from": first, "at": at, "told": told}


def made_part(peer: Peer, virtual: str, stream: str) -> str:
    """Add a published stream of this site to a virtual stream of the network; return where that is merged.

    The first part determines the place: the site itself, or the nearest one that computes for others.
    """
    if stream not in peer.site.catalogue.sources:
        peer.site.publication(stream)
    view = gathered(peer)
    lists = lists_of(peer.state, stream)
    topology = view.topology().within(lambda name: name == peer.name or admits(lists, name))
    found = view.publishers(virtual)
    if not found:
        ways = [topology.route(peer.name, name) for name in topology.peers if topology.can_execute(name)]
        found = [min(ways, key=lambda way: (len(way), way))[-1]] if ways else [peer.name]
    there = found[0]
    if there != peer.name:
        must_admit(lists, there, stream)
    if there == peer.name:
        peer.site.add_part(virtual, stream)
    else:
        start = peer.site.streams[stream].log.base
        plan = part_plan(topology.route(peer.name, there), stream, start, virtual, lists)
        view.ask(there, "POST", f"/parts/{quote(virtual)}", {"stream": stream, "plan": plan})
    return there


def withdrawn_part(peer: Peer, virtual: str, stream: str) -> dict[str, Any]:
    """End a stream of this site as a part of a virtual one, which takes the records that there are now."""
    if stream not in peer.site.streams:
        raise InputError("XYRT0053", f"'{peer.name}' publishes no stream '{stream}'")
    end = peer.site.streams[stream].log.end
    view = gathered(peer)
    found = view.publishers(virtual)
    if not found:
        raise InputError("XYRT0053", f"there is no virtual stream '{virtual}'")
    there = found[0]
    if there == peer.name:
        peer.site.end_part(virtual, stream, end)
    else:
        view.ask(there, "DELETE", f"/parts/{quote(virtual)}", {"stream": stream, "to": end})
    return {"at": there, "to": end}


def optimized(peer: Peer) -> dict[str, Any]:
    """Move the streams of a network to cheaper origins, without a gap in any answer."""
    return by_speaker(peer, "/optimizations", {}, reconsidered)


def reconsidered(view: NetworkView, token: int | None) -> dict[str, Any]:
    """Optimise the plans, as the speaker or in a network without one."""
    told: list[dict[str, Any]] = []
    for source in sorted({plan["source"] for record in view.records.values() for plan in record["plans"]}):
        others = around(view)
        registration = Registration(view, source_info(view, source, others), token, others)
        before = registration.planner.load().total_bytes
        switched = registration.reconsider()
        registration.switch(switched)
        sizes = {"bytes before": int(before), "bytes": int(registration.planner.load().total_bytes)}
        told.append({"source": source, "switched": switched, **sizes})
    return {"sources": told}


def unsubscribe_in_network(peer: Peer, name: str, *, forwards: bool = True) -> dict[str, Any]:
    """End a subscription of the network, wherever it was requested, at the current position of its source."""
    view = gathered(peer)
    plans = [plan for record in view.records.values() for plan in record["plans"] if plan["subscription"] == name]
    others = around(view)
    there = others.asking_for(name)
    if not plans and there is not None and forwards:
        return there.ask("POST", "/subnet/cancellations", {"name": name})  # type: ignore[no-any-return]
    if not plans:
        raise InputError("XYRT0053", f"there is no subscription '{name}'")
    (plan,) = plans
    ends = [
        one["position"] for each in view.records.values() for one in each["sources"] if one["name"] == plan["source"]
    ]
    ends += [each["position"] for _, each in others.publishing(plan["source"])]
    end = ends[0] if ends else None
    if plan["at"] == peer.name:
        peer.cancel(name, end)
    else:
        view.ask(plan["at"], "DELETE", f"/plans/{quote(name)}", {"to": end})
    return {"name": name, "source": plan["source"], "from": plan["from"], "to": end, "at": plan["at"]}


def explained_in_network(
    peer: Peer, text: str, source: str | None, at: str, shown: Collection[str] | None = None, name: str = "query"
) -> list[str]:
    """The streams that a query would use if subscribed at a peer; changes nothing.

    It mentions names and conditions only of the subscriptions in `shown`.
    """
    view = gathered(peer)
    source = source or SubscribedQuery(text, "query").source
    if source is None:
        raise InputError("XYRT0053", "the query reads the context item: say which stream that is")
    others = around(view)
    there = None if at in view.records else others.with_peer(at)
    if there is not None:
        body = {"query": text, "source": source, "at": at, "shown": None if shown is None else sorted(shown)}
        return there.ask("POST", "/subnet/explanations", body)["told"]  # type: ignore[no-any-return]
    view.check(at)
    registration = Registration(view, source_info(view, source, others), others=others)
    registration.register(registration.asked(name, at, text))
    return registration.explain(name, shown)


def _elsewhere(peer: Peer, at: str) -> Subnet | None:
    """The subnet of a peer, if it is not this site's."""
    view = gathered(peer)
    return None if at in view.records else around(view).with_peer(at)


def forwarded(peer: Peer, what: str, body: dict[str, Any]) -> dict[str, Any]:
    """Handle a request of another subnet that concerns this one."""
    match what:
        case "registrations":
            return by_speaker(peer, "/registrations", body, lambda view, token: registered(peer, view, token, body))
        case "admissions":
            from .admission import forwarded_admission

            return forwarded_admission(peer, body)
        case "cancellations":
            return unsubscribe_in_network(peer, body["name"], forwards=False)
        case "explanations":
            asked = body["query"], body["source"], body["at"], body["shown"], body.get("name", "query")
            return {"told": explained_in_network(peer, *asked)}
    raise InputError("XYRT0053", f"subnets forward no {what}")


def _changed(before: Mapping[str, Placed], after: Mapping[str, Placed]) -> list[str]:
    """The subscriptions whose streams have another origin or route than before."""
    return [name for name, one in before.items() if name in after and _way(one) != _way(after[name])]


def _way(placed: Placed) -> tuple[Any, ...]:
    # If the stream it uses is already there, a plan need not describe its route.
    return placed.uses, placed.filter_at, placed.fetched[-2:-1], placed.filter_route
