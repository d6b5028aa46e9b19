"""The least that any plan could send over the backbone: each record by a shortest tree to all peers that want it.

No plan sends less, whatever it shares, since every record that a subscription returns must reach its peer. Results of
windows are left out, and each record counts with the fewest paths that anybody asks for: the bound is below what can
be had.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from xylem.network.topology import Topology

MOST_EXACT = 9
"""Trees to more peers than this are not searched for: one link for each peer is the least."""


class ShortestTrees:
    """Trees of least links from one peer to several (Dreyfus and Wagner), for small networks."""

    def __init__(self, topology: Topology, peers: list[str]) -> None:
        self._peers = peers
        self._bit = {name: 1 << number for number, name in enumerate(peers)}
        self._far = [[len(topology.route(one, other)) - 1 for other in peers] for one in peers]
        self._known = lru_cache(None)(self._lengths)

    def links(self, start: str, ends: Iterable[str]) -> int:
        """How many links a tree has at least."""
        mask = 0
        for name in ends:
            mask |= self._bit[name]
        mask &= ~self._bit[start]
        if not mask:
            return 0
        number = mask.bit_count()
        return number if number > MOST_EXACT else self._known(mask)[self._peers.index(start)]

    def _lengths(self, mask: int) -> tuple[int, ...]:
        """For each peer, the links of a tree from it to all in a set."""
        far, everyone = self._far, range(len(self._peers))
        if mask & (mask - 1) == 0:
            end = mask.bit_length() - 1
            return tuple(far[one][end] for one in everyone)
        joined = [1 << 30] * len(self._peers)
        part = (mask - 1) & mask
        while part >= mask ^ part:
            one, other = self._known(part), self._known(mask ^ part)
            joined = [min(known, a + b) for known, a, b in zip(joined, one, other, strict=True)]
            part = (part - 1) & mask
        return tuple(min(joined[middle] + far[middle][start] for middle in everyone) for start in everyone)
