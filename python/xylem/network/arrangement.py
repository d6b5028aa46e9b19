"""Plans as three choices for each subscription: the stream it reads, the peer that filters, and the peer that computes.

The routes follow from these: a stream takes a tree of links to all peers that read it (`stream_trees.py`). So a change
of one choice yields whole plans again: derived streams come from its new place. The cost of a change depends only on
the streams involved, however many plans there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING

from .matching import served
from .site_names import SOURCE
from .stream_trees import Peers, StreamTrees
from .topology import Link

if TYPE_CHECKING:
    from .planner import Asked, Placed, Planner

_OVERLOAD = 10.0
"""Cost of an overload of 1: a search may pass through such plans, but does not stay there."""


@dataclass(frozen=True)
class Choice:
    """The plan of one subscription in short."""

    uses: str
    filter_at: str
    transform_at: str
    by: int = 0
    """The prices that determine the routes of its stream (`Arrangement.trees`)."""
    result_by: int = 0


class Arrangement:
    """The choices of subscriptions that may move, beside plans that stay, and their total cost."""

    def __init__(self, planner: Planner, moving: Iterable[Asked], staying: Mapping[str, Placed]) -> None:
        self._planner = planner
        self.asked = {one.name: one for one in moving}
        self._staying = dict(staying)
        topology = planner.topology
        self.trees = [
            StreamTrees(topology, {one: 1 / speed for one, speed in topology.links.items()}),
            StreamTrees(topology, dict.fromkeys(topology.links, 1.0)),
        ]
        """By transfer time per byte, and by hops; others may be added."""
        self.able = sorted(name for name in topology.peers if topology.can_execute(name))
        self.choices: dict[str, Choice] = {}
        self.source_by = 0
        self.total = 0.0
        """The total cost."""
        self._gamma, self._theta = planner.cost.gamma, planner.cost.theta
        self._room_of_links = {one: speed * planner.seconds for one, speed in topology.links.items()}
        self._room_of_peers = {name: topology.capacity.get(name, 1.0) * planner.seconds for name in topology.peers}
        self._ends: dict[str, Counter[str]] = {}
        """By stream: the peers that read it, with counts."""
        self._taken: dict[str, tuple[Link, ...]] = {}
        self._bytes: dict[Link, float] = {}
        self._seconds: dict[str, float] = {}
        self._roots: dict[str, Peers] = {SOURCE: frozenset({planner.source_peer, *planner.entries})}
        self._size: dict[str, float] = {SOURCE: planner.source_bytes}
        self._size |= {name: one.statistics.filter.bytes for name, one in self.asked.items()}
        self._count_staying()
        self.origins = {name: self._origins(name) for name in self.asked}
        """By subscription: the streams that can serve it."""
        self.computers = {name: planner.computers(one) for name, one in self.asked.items()}

    def _count_staying(self) -> None:
        counted, staying = self._planner.counted(self._staying), self._planner.rooted(self._staying)
        for one, size in counted.load.bytes.items():
            self._send(one, size)
        for peer, seconds in counted.load.seconds.items():
            self._work(peer, seconds)
        for name, placed in staying.items():
            self._size[name] = placed.asked.statistics.filter.bytes
            self._roots[name] = self._roots.get(name, frozenset()) | set(placed.filter_route)
            self._roots[placed.uses] = self._roots.get(placed.uses, frozenset()) | set(placed.fetched)

    def _origins(self, name: str) -> list[str]:
        own = self.asked[name].properties
        if own is None or not self._planner.shares:
            return [SOURCE]
        others = {key: one.asked.properties for key, one in self._staying.items()}
        others |= {key: one.properties for key, one in self.asked.items() if key != name}
        return [SOURCE, *(key for key, each in others.items() if each is not None and served(each, own) is not None)]

    # --- choices

    def begin(self, placed: Mapping[str, Placed]) -> None:
        """The choices made in existing plans."""
        waiting = list(self.asked)
        while waiting:
            name = waiting.pop(0)
            one = placed[name]
            if one.uses in self.asked and one.uses not in self.choices:
                waiting.append(name)
            else:
                self.change(name, Choice(one.uses, one.filter_at, one.transform_at))

    def comes_from(self, stream: str, name: str) -> bool:
        """Whether a stream is derived from that of a subscription, directly or indirectly."""
        while stream in self.choices:
            if stream == name:
                return True
            stream = self.choices[stream].uses
        return False

    def change(self, name: str, new: Choice) -> None:
        """Change the choice of a subscription; users of its stream stay with it."""
        old = self.choices.get(name)
        if old == new:
            return
        is_filtered = self.asked[name].properties is not None
        concerned = dict.fromkeys((name, new.uses, *(() if old is None else (old.uses,))))
        for stream in concerned:
            self._put_away(stream)
        if old is not None:
            self._count(name, old, -1, is_filtered)
        self.choices[name] = new
        self._count(name, new, 1, is_filtered)
        for stream in concerned:
            self._set_out(stream)

    def change_source_ways(self, by: int) -> None:
        """Change the prices that determine the routes of the source."""
        self._put_away(SOURCE)
        self.source_by = by
        self._set_out(SOURCE)

    def add_prices(self) -> None:
        """Add trees priced by the marginal cost of a byte on each link at the present load."""
        cost = self._planner.cost
        price = {}
        for one, speed in self._planner.topology.links.items():
            share = self._bytes.get(one, 0.0) / self._planner.seconds / speed
            over = exp(cost.kappa * max(0.0, share - cost.theta))
            price[one] = over * (1 + (share * cost.kappa if share > cost.theta else 0.0)) / speed
        self.trees.append(StreamTrees(self._planner.topology, price))

    # --- costs

    def _count(self, name: str, choice: Choice, sign: int, is_filtered: bool) -> None:
        asked = self.asked[name]
        measured = asked.statistics
        if is_filtered:
            self._ends.setdefault(name, Counter())[choice.transform_at] += sign
        self._ends.setdefault(choice.uses, Counter())[choice.filter_at] += sign
        links = self.trees[choice.result_by].links(frozenset((choice.transform_at,)), frozenset((asked.peer,)))
        if links is None:
            self.total += sign * _OVERLOAD
        for one in links or ():
            self._send(one, sign * measured.result.bytes)
        share = self._size[choice.uses] / max(1, self._planner.source_bytes)
        self._work(choice.filter_at, sign * measured.filter.seconds * share)
        self._work(choice.transform_at, sign * measured.result.seconds)

    def _put_away(self, stream: str) -> None:
        for one in self._taken.pop(stream, ()):
            self._send(one, -self._size[stream])

    def _set_out(self, stream: str) -> None:
        ends = self.ends(stream)
        if not ends:
            return
        links = self._trees_of(stream).links(self._roots_of(stream), ends)
        # An unreachable peer counts as overloaded, like a link that does not exist.
        self._taken[stream] = links if links is not None else (("", ""),)
        for one in self._taken[stream]:
            self._send(one, self._size[stream])

    def ends(self, stream: str) -> Peers:
        return frozenset(peer for peer, number in self._ends.get(stream, {}).items() if number)

    def _roots_of(self, stream: str) -> Peers:
        choice = self.choices.get(stream)
        return self._roots[stream] if choice is None else frozenset((choice.filter_at,))

    def _trees_of(self, stream: str) -> StreamTrees:
        choice = self.choices.get(stream)
        return self.trees[self.source_by if choice is None else choice.by]

    def _send(self, one: Link, size: float) -> None:
        before = self._bytes.get(one, 0.0)
        self._bytes[one] = before + size
        if one == ("", ""):
            self.total += _OVERLOAD if size > 0 else -_OVERLOAD
            return
        room = self._room_of_links[one]
        self.total += self._gamma * (self._cost((before + size) / room) - self._cost(before / room))

    def _work(self, peer: str, seconds: float) -> None:
        before = self._seconds.get(peer, 0.0)
        self._seconds[peer] = before + seconds
        room = self._room_of_peers[peer]
        self.total += (1 - self._gamma) * (self._cost((before + seconds) / room) - self._cost(before / room))

    def _cost(self, share: float) -> float:
        if share <= self._theta:
            return share  # The usual case.
        # Not the exponential of an overload: its sums would round away everything else.
        return self._planner.cost.load(min(share, 1.0)) + (_OVERLOAD * share if share > 1 else 0.0)

    # --- plans

    def plans(self) -> dict[str, Placed]:
        """The plans for the choices, each after those whose streams it uses, following those that stay."""
        found = dict(self._staying)
        for name in self.choices:
            self._place(name, found)
        return found

    def _place(self, name: str, found: dict[str, Placed]) -> None:
        if name in found:
            return
        choice, asked = self.choices[name], self.asked[name]
        if choice.uses in self.choices:
            self._place(choice.uses, found)
        there = choice.transform_at
        fetched = self._way(choice.uses, choice.filter_at)
        route = (there,) if asked.properties is None else self._way(name, there)
        result = self.trees[choice.result_by].way(frozenset((there,)), frozenset((asked.peer,)), asked.peer)
        found[name] = self._planner.placed_so(asked, choice.uses, fetched, route, result, found)

    def _way(self, stream: str, end: str) -> tuple[str, ...]:
        return self._trees_of(stream).way(self._roots_of(stream), self.ends(stream), end)
