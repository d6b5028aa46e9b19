"""The links that a stream takes from the peers that have it to all peers that read it: a tree of low cost.

The tree grows by the reader that is nearest to it (Takahashi and Matsuyama), so it costs less than twice the best tree.
The price of links is a parameter: the transfer time of a byte, so two fast links may be nearer than a slow one; or the
same for all, which minimises hops.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush

from .topology import Link, Topology, link

Peers = frozenset[str]


class StreamTrees:
    """The trees of one topology by one price of its links, each computed once."""

    def __init__(self, topology: Topology, price: Mapping[Link, float]) -> None:
        self._outside = topology.outside
        # A little for each hop: among routes of equal cost, the shortest.
        hop = max(price.values(), default=1.0) * 1e-6
        self._near: dict[str, list[tuple[str, float]]] = {name: [] for name in topology.peers}
        for one, other in sorted(topology.links):
            cost = price[one, other] + hop
            self._near[one].append((other, cost))
            self._near[other].append((one, cost))
        self._trees: dict[tuple[Peers, Peers], dict[str, str] | None] = {}
        self._links: dict[tuple[Peers, Peers], tuple[Link, ...] | None] = {}

    def links(self, roots: Peers, ends: Peers) -> tuple[Link, ...] | None:
        """The links of the tree; None if a reader cannot be reached."""
        key = roots, ends
        if key not in self._links:
            found = self._tree(roots, ends)
            made = None if found is None else tuple(link(one, other) for one, other in found.items() if one != other)
            self._links[key] = made
        return self._links[key]

    def way(self, roots: Peers, ends: Peers, end: str) -> tuple[str, ...]:
        """The peers between the root of a tree and one of its ends, both included."""
        before = self._tree(roots, ends)
        assert before is not None
        found = [end]
        while before[found[-1]] != found[-1]:
            found.append(before[found[-1]])
        return tuple(reversed(found))

    def _tree(self, roots: Peers, ends: Peers) -> dict[str, str] | None:
        """By peer, its predecessor on the way from a root."""
        key = roots, ends
        if key not in self._trees:
            before: dict[str, str] | None = {root: root for root in sorted(roots)}
            left = set(ends) - roots
            while left and before is not None:
                way = self._nearest(before, left)
                before = None if way is None else before | way
                left -= way.keys() if way is not None else set()
            self._trees[key] = before
        return self._trees[key]

    def _nearest(self, known: Mapping[str, str], ends: set[str]) -> dict[str, str] | None:
        """The way from some peers to the nearest of others: by peer, its predecessor."""
        before: dict[str, str] = {}
        waiting: list[tuple[float, str, str]] = [(0.0, name, name) for name in known]
        waiting.sort()
        while waiting:
            far, here, come = heappop(waiting)
            if here in before:
                continue
            before[here] = come
            if here in ends:
                found = {}
                while here not in known:
                    found[here] = before[here]
                    here = before[here]
                return found
            if here in self._outside and here not in known:
                continue
            for near, cost in self._near[here]:
                if near not in before:
                    heappush(waiting, (far + cost, near, here))
        return None
