"""A subnet as one of its sites sees it: its peers, their streams, the plans, and adjacent peers of other subnets.

No site stores a map. A site that needs one asks its neighbours, then theirs; a peer that does not answer is known from
its neighbours. These messages go directly; data goes only between neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from xylem.errors import InputError

from .network_state import MAIN
from .peer import Peer
from .peer_client import Busy, PeerClient, Unreachable
from .topology import Link, PeerKind, Topology, link

TIMEOUT_SECONDS = 30.0


@dataclass
class NetworkView:
    """The peers, links, streams and plans found in the network."""

    here: str
    records: dict[str, dict[str, Any]]
    """The report of each peer; silent peers have none."""
    ways: dict[str, PeerClient] = field(default_factory=dict)
    kinds: dict[str, PeerKind] = field(default_factory=dict)
    links: dict[Link, float] = field(default_factory=dict)
    subnet: str = MAIN
    outside: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The reports of peers in other subnets that are adjacent to this one."""
    asking: Callable[[str, str, float, str], PeerClient] = PeerClient
    """Makes a client that sends requests as this site."""

    @property
    def silent(self) -> list[str]:
        """Peers that do not answer."""
        return sorted(self.kinds.keys() - self.records.keys())

    def topology(self, *, with_borders: bool = False) -> Topology:
        """The peers that answer, and the links between them; with adjacent super-peers of other subnets."""
        peers = {name: kind for name, kind in self.kinds.items() if name in self.records}
        capacity = {name: self.records[name]["capacity"] for name in peers}
        outside: set[str] = set()
        for here, there in self.borders() if with_borders else ():
            if peers.get(here) is PeerKind.SUPER:
                outside.add(there)
                capacity[there] = self.outside[there]["capacity"]
        peers |= dict.fromkeys(outside, PeerKind.SUPER)
        links = {each: size for each, size in self.links.items() if all(name in peers for name in each)}
        links = {each: size for each, size in links.items() if not outside.issuperset(each)}
        return Topology(peers, links, capacity, frozenset(outside))

    def borders(self) -> list[tuple[str, str]]:
        """The links to super-peers of other subnets: the peer here, and the one there."""
        found = []
        for one, other in sorted(self.links):
            for here, there in ((one, other), (other, one)):
                is_super = PeerKind(self.outside.get(there, {}).get("kind", PeerKind.THIN)) is PeerKind.SUPER
                if here in self.records and is_super:
                    found.append((here, there))
        return found

    def check(self, peer: str) -> None:
        """XYRT0053 for a peer that does not answer."""
        if peer not in self.records:
            known = ", ".join(sorted(self.records))
            raise InputError("XYRT0053", f"the network has no peer '{peer}' that answers; it has {known}")

    def ask(self, peer: str, method: str, path: str, body: Any = None) -> Any:
        """Ask a peer directly."""
        self.check(peer)
        try:
            return self.ways[peer].ask(method, path, body)
        except Busy:
            raise
        except Unreachable as reason:
            raise InputError("XYRT0053", f"'{peer}' does not answer: {reason}") from reason
        finally:
            self.ways[peer].close()

    def card(self, name: str, peer: Peer) -> dict[str, Any]:
        """How to reach a peer, according to its neighbours; `peer` is the one here."""
        keys = ("url", "token", "certificate")
        if name == peer.name:
            return {"url": peer.url, "token": peer.token, "certificate": peer.certificate}
        cards = (one for record in self.records.values() for one in record["neighbours"] if one["name"] == name)
        found = next(cards)
        return {key: found[key] for key in keys}

    def voters(self) -> list[str]:
        """The super-peers of the network, including silent ones: a majority elects the speaker."""
        return sorted(name for name, kind in self.kinds.items() if kind is PeerKind.SUPER)

    def publishers(self, stream: str) -> list[str]:
        """The peers that publish a stream."""
        return [name for name, one in self.records.items() if any(each["name"] == stream for each in one["sources"])]

    def plans(self, source: str) -> dict[str, dict[str, Any]]:
        """By name: the plans of all subscriptions to a source, and of streams whose subscription has ended."""
        found: dict[str, dict[str, Any]] = {}
        for record in self.records.values():
            for stream in record["streams"]:
                plan = stream["plan"]
                # The peer that makes a stream knows its route best; those with copies know it, too.
                if plan and plan["source"] == source and (not stream["fed by"] or plan["subscription"] not in found):
                    found[plan["subscription"]] = {**plan, "is over": True}
        for record in self.records.values():
            for plan in record["plans"]:
                if plan["source"] == source:
                    found[plan["subscription"]] = plan
        return found

    def names(self) -> set[str]:
        """Names of all subscriptions in the network."""
        return {plan["subscription"] for record in self.records.values() for plan in record["plans"]}

    def has_stream(self, peer: str, stream: str) -> bool:
        return self.stream(peer, stream) is not None

    def stream(self, peer: str, stream: str) -> dict[str, Any] | None:
        """A peer's report on a stream that it keeps; None if it has no such stream, or does not answer."""
        kept = self.records.get(peer, {"streams": ()})["streams"]
        return next((one for one in kept if one["name"] == stream), None)

    def is_read_outside(self, stream: str) -> bool:
        """Whether a peer of another subnet has a stream from here."""
        readers = [one for each in self.records.values() for kept in each["streams"] if kept["name"] == stream
                   for one in kept["readers"]]  # fmt: skip
        return any(one.partition(":")[2].partition("/")[0] not in self.records
                   for one in readers if one.startswith("peer:"))  # fmt: skip

    def bases(self, stream: str) -> list[int]:
        """The first positions of the copies of a stream."""
        return [one["base"] for each in self.records.values() for one in each["streams"] if one["name"] == stream]

    def to_dict(self) -> dict[str, Any]:
        """The view for people and programs, without tokens."""
        peers = []
        for name, kind in sorted(self.kinds.items()):
            record = self.records.get(name)
            told: dict[str, Any] = {"name": name, "kind": str(kind), "answers": record is not None}
            if record is not None:
                told |= {"subnet": record["subnet"]}
                told |= {"url": record["url"], "neighbours": [one["name"] for one in record["neighbours"]]}
                told |= {"sources": [one["name"] for one in record["sources"]]}
                told |= {"streams": [{k: one[k] for k in ("name", "origin", "end")} for one in record["streams"]]}
                told |= {"subscriptions": [one["subscription"] for one in record["plans"]]}
                told |= {"alerts": record["alerts"]} if record["alerts"] else {}
            peers.append(told)
        return {"peers": peers, "links": [self._link_dict(*each) for each in sorted(self.links)]}

    def _link_dict(self, one: str, other: str) -> dict[str, Any]:
        to_one = self.records.get(one, {}).get("traffic", {}).get(other, 0)
        to_other = self.records.get(other, {}).get("traffic", {}).get(one, 0)
        bytes_sent = {f"to {one}": to_one, f"to {other}": to_other}
        return {"between": [one, other], "bandwidth": self.links[link(one, other)], "bytes": bytes_sent}


def gathered(peer: Peer, *, everywhere: bool = False) -> NetworkView:
    """The subnet around a site; with `everywhere` the whole network as if it were one subnet."""
    own = peer.record()
    view = NetworkView(peer.name, {peer.name: own}, subnet=own["subnet"], asking=peer.asking)
    view.ways[peer.name] = peer.asking(peer.url, peer.token, TIMEOUT_SECONDS, peer.certificate)
    view.kinds[peer.name] = PeerKind(own["kind"])
    seen = {peer.name}
    waiting = _news(view, own, seen)
    with ThreadPoolExecutor(8) as pool:
        while waiting:
            records = pool.map(lambda one: _record(view.ways[one["name"]]), waiting)
            asked, waiting = waiting, []
            for one, record in zip(asked, records, strict=True):
                name = one["name"]
                # A peer knows its own subnet best; for a silent one, its neighbours know the last one.
                subnet = one["subnet"] if record is None else record["subnet"]
                if not everywhere and subnet != view.subnet:
                    if record is not None:
                        view.outside[name] = record
                    continue
                view.kinds[name] = PeerKind(one["kind"])
                if record is not None:
                    view.records[name] = record
                    waiting += _news(view, record, seen)
    return view


def _news(view: NetworkView, record: dict[str, Any], seen: set[str]) -> list[dict[str, Any]]:
    """The neighbours of a peer that were not known yet."""
    found = []
    for one in record["neighbours"]:
        name = one["name"]
        view.links[link(record["name"], name)] = one["bandwidth"]
        if name not in seen:
            seen.add(name)
            view.ways[name] = view.asking(one["url"], one["token"], TIMEOUT_SECONDS, one["certificate"])
            found.append(one)
    return found


def _record(client: PeerClient) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = client.ask("GET", "/network")
        return found
    except (Unreachable, InputError):
        return None
    finally:
        client.close()
