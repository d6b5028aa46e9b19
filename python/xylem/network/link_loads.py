"""The load that plans put on each link and peer, and the load that one more plan would add.

A stream crosses a link once, however many plans use it. The added load depends only on the plan's own links and peers,
so the planner can compare many new plans against many existing ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .site_names import SOURCE
from .topology import Link, Topology, links_on

if TYPE_CHECKING:
    from .planner import Placed


@dataclass
class Load:
    """The bytes sent over each link and the work done at each peer during the sample."""

    bytes: dict[Link, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def send(self, one: Link, size: float) -> None:
        self.bytes[one] = self.bytes.get(one, 0.0) + size

    def work(self, peer: str, seconds: float) -> None:
        self.seconds[peer] = self.seconds.get(peer, 0.0) + seconds

    @property
    def total_bytes(self) -> float:
        return sum(self.bytes.values())


def rooted(placed: Mapping[str, Placed], source: Iterable[str], topology: Topology) -> dict[str, Placed]:
    """The plans, each with the whole way of the stream that it reads, as far as no other plan has it.

    A plan may begin where another one has brought a stream. If that one goes elsewhere, the stream still has to come.
    """
    found = dict(placed)
    by_stream: dict[str, list[str]] = {}
    for name, one in placed.items():
        by_stream.setdefault(one.uses, []).append(name)
    for stream, waiting in by_stream.items():
        there = set(placed[stream].filter_route) if stream in placed else set(source) if stream == SOURCE else None
        while there is not None and waiting:
            joined = [name for name in waiting if found[name].fetched[0] in there]
            if not joined:
                one = found[waiting[0]]
                (start,) = topology.nearest(one.fetched[0], there, 1)
                way = (*topology.route(start, one.fetched[0]), *one.fetched[1:])
                found[waiting[0]] = replace(one, fetched=way)
                continue
            for name in joined:
                there |= set(found[name].fetched)
                waiting.remove(name)
    return found


class CountedLoad:
    """The load of plans, and which streams use which links; grows with each plan."""

    def __init__(self, source_bytes: int, one_uplink: bool) -> None:
        self.load = Load()
        self._sent: set[tuple[str, Link]] = set()
        self._source_bytes = source_bytes
        self._one_uplink = one_uplink

    def add(self, placed: Iterable[Placed], others: Mapping[str, Placed]) -> None:
        """Add plans to those counted; `others` has the ones whose streams they use."""
        for one in placed:
            added = self.added(one, others)
            for link, size in added.bytes.items():
                self.load.send(link, size)
            for peer, seconds in added.seconds.items():
                self.load.work(peer, seconds)
            self._sent |= set(self._streams(one))

    def added(self, one: Placed, others: Mapping[str, Placed]) -> Load:
        """The load after adding a plan."""
        found = Load()
        uses_source = one.uses not in others
        size = self._source_bytes if uses_source else others[one.uses].asked.statistics.filter.bytes
        statistics = one.asked.statistics
        for key in self._streams(one):
            if key not in self._sent:
                found.send(key[1], statistics.filter.bytes if key[0] == one.asked.name else size)
        for link in links_on(one.result_route):
            found.send(link, statistics.result.bytes)
        # The time of a filter was measured over the source; it scales with the bytes that it reads.
        found.work(one.filter_at, statistics.filter.seconds * size / max(1, self._source_bytes))
        found.work(one.transform_at, statistics.result.seconds)
        return found

    def _streams(self, one: Placed) -> list[tuple[str, Link]]:
        """The streams that a plan needs on links, by name: the one it uses, and its own."""
        fetched = one.uses if self._one_uplink else f"{one.uses} {one.asked.name}"
        keys = [(fetched, link) for link in links_on(one.fetched)]
        return list(dict.fromkeys([*keys, *((one.asked.name, link) for link in links_on(one.filter_route))]))
