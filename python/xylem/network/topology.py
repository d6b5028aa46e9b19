"""Peers and the links between them: the abilities of each peer, and the routes.

Data goes from neighbour to neighbour, along a route with the fewest hops (thesis 2.2.1). A thin-peer publishes and
displays; a super-peer also executes queries.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any

from xylem.errors import InputError


class PeerKind(StrEnum):
    """The abilities of a peer."""

    THIN = "thin"
    SUPER = "super"


Link = tuple[str, str]
"""The names of two neighbours, in alphabetical order."""


def link(one: str, other: str) -> Link:
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True)
class Topology:
    """A network of peers."""

    peers: Mapping[str, PeerKind]
    links: Mapping[Link, float]
    """The links with their bandwidths, in bytes per second."""
    capacity: Mapping[str, float] = field(default_factory=dict)
    """Capacity of peers, in seconds of computing per second; 1 by default."""
    outside: frozenset[str] = frozenset()
    """Adjacent peers of other subnets: routes begin there, but do not lead through them."""
    _neighbours: dict[str, list[str]] = field(default_factory=dict, compare=False, repr=False)
    _trees: dict[str, dict[str, str]] = field(default_factory=dict, compare=False, repr=False)
    """By start of requested routes: for each peer, its predecessor on the way."""

    def __post_init__(self) -> None:
        for name in self.peers:
            self._neighbours[name] = []
        for one, other in sorted(self.links):
            for name in (one, other):
                if name not in self.peers:
                    raise InputError("XYRT0056", f"a link leads to '{name}', which is not a peer")
            self._neighbours[one].append(other)
            self._neighbours[other].append(one)

    def can_execute(self, peer: str) -> bool:
        return self.peers[peer] is PeerKind.SUPER

    def neighbours(self, peer: str) -> set[str]:
        return set(self._neighbours[peer])

    def route(self, start: str, end: str) -> list[str]:
        """The peers on the way, both ends included: as few as possible, the first by name among equals."""
        before = self._trees.get(start)
        if before is None:
            before = self._trees[start] = {start: start}
            waiting = deque([start])
            while waiting:
                here = waiting.popleft()
                if here in self.outside and here != start:
                    continue
                for near in self._neighbours[here]:
                    if near not in before:
                        before[near] = here
                        waiting.append(near)
        if end not in before:
            raise InputError("XYRT0056", f"no connection leads from '{start}' to '{end}'")
        way = [end]
        while way[-1] != start:
            way.append(before[way[-1]])
        return way[::-1]

    def within(self, may: Callable[[str], bool]) -> Topology:
        """The subnetwork of some of the peers."""
        peers = {name: kind for name, kind in self.peers.items() if may(name)}
        if len(peers) == len(self.peers):
            return self
        links = {each: size for each, size in self.links.items() if peers.keys() >= set(each)}
        return Topology(peers, links, self.capacity, self.outside & peers.keys())

    def nearest(self, peer: str, others: Iterable[str], number: int) -> list[str]:
        """Those of some peers that are nearest to one, sorted by name."""
        found = sorted(others)
        if len(found) <= number:
            return found
        return sorted(sorted(found, key=lambda other: len(self.route(peer, other)))[:number])

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Topology:
        """{"peers": {"P0": "thin", "SP0": "super"}, "links": [["P0", "SP0"], …]}; a link may end with a bandwidth."""
        try:
            peers = {name: PeerKind(kind) for name, kind in told["peers"].items()}
            links = {link(each[0], each[1]): float(each[2]) if len(each) > 2 else 125e6 for each in told["links"]}
            return cls(peers, links, {name: float(value) for name, value in told.get("capacity", {}).items()})
        except (KeyError, ValueError, TypeError, AttributeError, IndexError) as reason:
            raise InputError("XYRT0056", f"peers and links are not understood: {reason}") from reason


def links_on(route: Iterable[str]) -> list[Link]:
    """The connections between the peers of a route."""
    return [link(one, other) for one, other in pairwise(route)]
