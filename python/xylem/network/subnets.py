"""The other subnets of a network: what they publish and subscribe, and the way to them (thesis 2.2.2).

A subnet is known by the summary of one of its border peers. A search asks the adjacent subnets, then those next to
them. Only such summaries go between subnets; each plans for itself.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from xylem.errors import InputError

from .network_view import TIMEOUT_SECONDS, NetworkView, gathered
from .peer import Peer
from .peer_client import PeerClient, Unreachable
from .topology import PeerKind


def summary(peer: Peer) -> dict[str, Any]:
    """The facts about a site's subnet that others may know."""
    view = gathered(peer)
    way = partial(view.card, peer=peer)
    bases: dict[str, int] = {}
    for record in view.records.values():
        for one in record["streams"]:
            bases[one["name"]] = max(one["base"], bases.get(one["name"], 0))
    return {
        "subnet": view.subnet,
        "peers": {name: str(kind) for name, kind in view.kinds.items()},
        "sources": [
            {**one, "peer": name, **way(name)} for name, record in view.records.items() for one in record["sources"]
        ],
        "names": sorted(view.names()),
        "bases": bases,
        "borders": [{"peer": name, **way(name)} for name in view.outside],
    }


@dataclass(frozen=True)
class Subnet:
    """Another subnet, as described by one of its peers."""

    told: dict[str, Any]
    contact: PeerClient
    """Sends requests to the peer that described it."""
    first: frozenset[str]
    """The adjacent peers of the subnet through which the way leads; its own peers if it is adjacent itself."""

    @property
    def name(self) -> str:
        return str(self.told["subnet"])

    @property
    def size(self) -> int:
        """The number of its super-peers."""
        return sum(kind == PeerKind.SUPER for kind in self.told["peers"].values())

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request; XYRT0053 if the describing peer no longer answers."""
        try:
            return self.contact.ask(method, path, body)
        except Unreachable as reason:
            raise InputError("XYRT0053", f"subnet '{self.name}' does not answer: {reason}") from reason
        finally:
            self.contact.close()


@dataclass
class Subnets:
    """All subnets that can be reached from one, nearest first."""

    found: list[Subnet] = field(default_factory=list)

    def with_peer(self, peer: str) -> Subnet | None:
        return next((one for one in self.found if peer in one.told["peers"]), None)

    def asking_for(self, name: str) -> Subnet | None:
        """The subnet where a subscription was placed."""
        return next((one for one in self.found if name in one.told["names"]), None)

    def publishing(self, stream: str) -> list[tuple[Subnet, dict[str, Any]]]:
        return [(one, each) for one in self.found for each in one.told["sources"] if each["name"] == stream]

    def bases(self, stream: str) -> list[int]:
        return [one.told["bases"][stream] for one in self.found if stream in one.told["bases"]]

    def sources(self) -> set[str]:
        return {each["name"] for one in self.found for each in one.told["sources"]}


def around(view: NetworkView) -> Subnets:
    """The other subnets. Those whose border does not answer are currently absent."""
    made = Subnets()
    seen = set(view.records) | set(view.kinds)
    waiting: deque[tuple[str, PeerClient, frozenset[str] | None]] = deque(
        (name, view.ways[name], None) for name in sorted(view.outside)
    )
    while waiting:
        name, client, first = waiting.popleft()
        if name in seen:
            continue
        seen.add(name)
        try:
            told = client.ask("GET", "/subnet")
        except (Unreachable, InputError):
            continue
        finally:
            client.close()
        peers = frozenset(told["peers"])
        seen |= peers
        made.found.append(Subnet(told, client, first or peers))
        for one in told["borders"]:
            further = view.asking(one["url"], one["token"], TIMEOUT_SECONDS, one["certificate"])
            waiting.append((one["peer"], further, first or peers))
    return made


def asked_directly(view: NetworkView, card: dict[str, Any], method: str, path: str) -> Any:
    """Send a request to a peer of another subnet, whose address was reported; XYRT0053 if it does not answer."""
    client = view.asking(card["url"], card["token"], TIMEOUT_SECONDS, card["certificate"])
    try:
        return client.ask(method, path)
    except Unreachable as reason:
        raise InputError("XYRT0053", f"'{card['peer']}' does not answer: {reason}") from reason
    finally:
        client.close()


def entries(view: NetworkView, subnet: Subnet) -> list[str]:
    """The adjacent super-peers over which streams of another subnet come; XYRT0053 if there are none."""
    found = sorted({there for here, there in view.borders() if there in subnet.first and _is_super(view, here)})
    if not found:
        raise InputError("XYRT0053", f"no super-peer here is a neighbour of one on the way to subnet '{subnet.name}'")
    return found


def _is_super(view: NetworkView, peer: str) -> bool:
    return view.kinds.get(peer) is PeerKind.SUPER
