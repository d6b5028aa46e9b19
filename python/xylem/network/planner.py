"""Place subscriptions: choose the stream that each one uses, the peer that filters it, and its route.

A subscription is a filter followed by a transformation. The filter reads the source, or the filter stream of another
subscription that has everything it needs, at a peer that has or forwards this stream. The filter stream goes to the
peer of the transformation, and the result from there to the subscriber. The planner compares plans by

    Φ = γ Σ φ(load of a link) + (1 - γ) Σ φ(load of a peer),     φ(u) = u · e^(κ · max(0, u - θ))

where a load is a share of bandwidth or capacity: traffic and work count linearly, and overload counts exponentially.
The thesis names the factors of its cost model (2.3.2); this formula is ours. A plan that overloads a link or peer is
refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp

from xylem.errors import InputError
from xylem.syntax import ast

from .arrangement import Arrangement
from .link_loads import CountedLoad, Load, rooted
from .matching import match, served
from .plan_search import PlanSearch
from .properties import Properties
from .site_names import ELSEWHERE, SOURCE
from .stream_sites import SiteLists
from .stream_statistics import StreamStatistics
from .topology import Link, Topology

MOST_PLACES = 16
"""Number of peers with a stream that are tried: those nearest to the subscriber."""
SETTLING_TRIES = 1_000
OPTIMIZING_TRIES = 60_000
"""Number of plan changes tried when a subscription is added, and when all are placed together."""
MOST_BEGUN_ANEW = 40
"""With more subscriptions, a search starts only from the current plans."""
MOST_MOVED = 12
"""Number of other subscriptions that may change their stream when one is added."""
LEAST_GAIN = 0.01
"""Share of the cost of the plans that may change: smaller gains change nothing that runs."""
REDUCING = 0.5
"""A transformation reduces if its result has less than this share of the filter's bytes."""


@dataclass(frozen=True)
class CostModel:
    """The weights of the formula: initial guesses, which operators of the network may adjust."""

    gamma: float = 0.5
    theta: float = 0.8
    kappa: float = 10.0

    def load(self, share: float) -> float:
        return share * exp(self.kappa * max(0.0, share - self.theta))


@dataclass(frozen=True)
class Asked:
    """A subscription as the planner sees it."""

    name: str
    peer: str
    properties: Properties | None
    """None for a query that shares only the source."""
    statistics: StreamStatistics
    """Over a stretch of the stream that takes `Planner.seconds`."""
    why_not: str = ""
    """Why it shares nothing."""
    query: str = ""
    documents: tuple[str, ...] = ()
    """The documents that it reads; it can only be computed where they are."""

    @property
    def is_reducing(self) -> bool:
        """Whether the transformation makes the filtered stream much smaller (thesis, definition 2.3.1).

        If so, it runs near the source; otherwise near the subscriber, and other peers can share the filtered stream.
        """
        return self.statistics.result.bytes < REDUCING * self.statistics.filter.bytes


@dataclass(frozen=True)
class Placed:
    """The peers that compute a subscription."""

    asked: Asked
    uses: str
    """The subscription whose filter stream it reads, or SOURCE."""
    filter_at: str
    fetched: tuple[str, ...]
    """The peers over which the stream it uses is sent, from one that has it; a single peer if it is already there."""
    transform_at: str
    filter_route: tuple[str, ...]
    result_route: tuple[str, ...]
    residual: tuple[ast.Expr, ...] = ()

    @property
    def peers(self) -> set[str]:
        """All peers that it involves."""
        return {*self.fetched, *self.filter_route, *self.result_route}


class Planner:
    """The plans of one source in one network. Subscriptions are registered one after another, and removed."""

    def __init__(
        self,
        topology: Topology,
        source_peer: str,
        source_bytes: int,
        seconds: float = 1.0,
        cost: CostModel | None = None,
        *,
        shares: bool = True,
        one_uplink: bool = True,
        transform_near_source: bool = False,
    ) -> None:
        """`seconds` is the time in which the bytes of the sample arrive.

        Without `shares` every subscription reads the source itself; without `one_uplink` each receives its own copy.
        """
        self.topology = topology
        self.source_peer = source_peer
        self.source_bytes = source_bytes
        self.seconds = seconds
        self.cost = cost or CostModel()
        self.shares = shares
        self.one_uplink = one_uplink
        self.near_source = transform_near_source
        self.documents: dict[str, set[str]] = {}
        """The documents stored at peers."""
        self.entries: frozenset[str] = frozenset()
        """The peers of another subnet that its source comes over; `source_peer` is one of them."""
        self.sites: SiteLists = ()
        """The sites where its source may go."""
        self.placed: dict[str, Placed] = {}
        self.forced: dict[str, str] = {}
        """Peers of transformations that were fixed for the network as a whole."""
        self._known_load: tuple[dict[str, Placed], int, CountedLoad] | None = None
        """The plans counted, their number, and their load."""

    # --- the current state

    def available(self, stream: str) -> set[str]:
        """The peers that have a stream or forward it."""
        if stream == SOURCE:
            found = {self.source_peer, *self.entries}
            if self.one_uplink:
                for one in self.placed.values():
                    if one.uses == SOURCE:
                        found |= set(one.fetched)
            return found
        placed = self.placed[stream]
        found = set(placed.filter_route)
        for other in self.placed.values():
            if other.uses == stream:
                found |= set(other.fetched)
        return found

    def load(self) -> Load:
        """The traffic and work of all plans together; a stream crosses a link once, however many use it."""
        return self._counted().load

    def _counted(self) -> CountedLoad:
        """The load of the current plans, recounted if they have changed."""
        known = self._known_load
        if known is None or known[0] is not self.placed or known[1] != len(self.placed):
            self._known_load = known = (self.placed, len(self.placed), self.counted(self.placed))
        return known[2]

    def counted(self, placed: Mapping[str, Placed]) -> CountedLoad:
        """The load of some plans alone."""
        counted = CountedLoad(self.source_bytes, self.one_uplink)
        counted.add(self.rooted(placed).values(), placed)
        return counted

    def rooted(self, placed: Mapping[str, Placed]) -> Mapping[str, Placed]:
        """The plans, with the ways of streams that no other plan has brought to where they begin."""
        if not self.one_uplink:
            return placed
        return rooted(placed, (self.source_peer, *self.entries), self.topology)

    def phi(self, load: Load | None = None) -> float:
        """The total cost; infinite if something is overloaded."""
        found = self.load() if load is None else load
        links = sum(self._of_link(one, size) for one, size in found.bytes.items())
        return links + sum(self._of_peer(peer, work) for peer, work in found.seconds.items())

    def _of_link(self, one: Link, size: float) -> float:
        share = size / self.seconds / self.topology.links[one]
        return self.cost.gamma * self.cost.load(share) if share <= 1 else float("inf")

    def _of_peer(self, peer: str, work: float) -> float:
        share = work / self.seconds / self.topology.capacity.get(peer, 1.0)
        return (1 - self.cost.gamma) * self.cost.load(share) if share <= 1 else float("inf")

    def _added_phi(self, load: Load, added: Load) -> float:
        """The cost that a plan adds to the total."""
        found = 0.0
        for one, size in added.bytes.items():
            before = load.bytes.get(one, 0.0)
            found += self._of_link(one, before + size) - self._of_link(one, before)
        for peer, work in added.seconds.items():
            before = load.seconds.get(peer, 0.0)
            found += self._of_peer(peer, before + work) - self._of_peer(peer, before)
        return found

    # --- registration

    def register(self, asked: Asked) -> Placed:
        """Place a subscription where it costs least, without moving others; XYRT0057 if there is no room."""
        best: Placed | None = None
        least = float("inf")
        self.placed.pop(asked.name, None)
        counted = self._counted()
        for candidate in self.candidates(asked):
            added = counted.added(candidate, self.placed)
            # Among equals, the one that sends least.
            phi = self._added_phi(counted.load, added) + 1e-12 * added.total_bytes / max(1, self.source_bytes)
            if phi < least:
                best, least = candidate, phi
        if best is None and not any(True for _ in self.candidates(asked)):
            way = " – ".join(self.topology.route(self.source_peer, asked.peer))
            told = f"no peer on the way {way} computes for others"
            if asked.documents:
                told = f"no peer that computes for others has {', '.join(asked.documents)} among its documents"
            raise InputError("XYRT0057", told)
        if best is None:
            raise InputError("XYRT0057", f"'{asked.name}' would overload a link or a peer on every possible route")
        counted.add([best], self.placed)
        self.placed[asked.name] = best
        self._known_load = (self.placed, len(self.placed), counted)
        return best

    def candidates(self, asked: Asked) -> Iterator[Placed]:
        """All plans of a subscription: each stream that serves it, at each peer that has it."""
        for stream, residual in self.serving(asked):
            for peer in self.topology.nearest(asked.peer, self.available(stream), MOST_PLACES):
                yield from self._from(asked, stream, residual, peer)

    def serving(self, asked: Asked) -> Iterator[tuple[str, tuple[ast.Expr, ...]]]:
        """The streams that serve a subscription, each with the conditions left for it."""
        own = asked.properties
        yield SOURCE, () if own is None else own.conditions
        if own is None or not self.shares:
            return
        # Derived streams hold less: if a stream does not serve, those derived from it are skipped.
        of_stream: dict[str, list[str]] = {}
        for name, one in self.placed.items():
            of_stream.setdefault(one.uses, []).append(name)
        waiting = deque([*of_stream.get(SOURCE, ()), *of_stream.get(ELSEWHERE, ())])
        while waiting:
            name = waiting.popleft()
            other = self.placed[name].asked.properties
            found = None if name == asked.name or other is None else served(other, own)
            if found is not None:
                yield name, found.residual
                waiting.extend(of_stream.get(name, ()))

    def _from(self, asked: Asked, stream: str, residual: tuple[ast.Expr, ...], peer: str) -> Iterator[Placed]:
        for route in self._routes(asked, peer):
            yield from self._along(asked, stream, residual, route)

    def _routes(self, asked: Asked, peer: str) -> Iterator[list[str]]:
        """Routes from a peer to the subscriber: the shortest, or those over peers that have the stream."""
        if not asked.documents:
            yield self.topology.route(peer, asked.peer)
            return
        for there in sorted(self.topology.peers):
            if set(asked.documents) <= self.documents.get(there, set()) and self.topology.can_execute(there):
                yield [*self.topology.route(peer, there), *self.topology.route(there, asked.peer)[1:]]

    def _along(
        self, asked: Asked, stream: str, residual: tuple[ast.Expr, ...], route: list[str]
    ) -> Iterator[Placed]:
        # The nearest peer on the way that can execute filters; the stream itself goes as far as that.
        at = next((number for number, name in enumerate(route) if self.topology.can_execute(name)), None)
        if at is None:
            return
        fetched, rest = tuple(route[: at + 1]), route[at:]
        able = [place for place, name in enumerate(rest) if self._can_compute(asked, name)]
        forced = self.forced.get(asked.name)
        if forced is not None:
            # The optimiser names the peer, which may be the subscriber's own.
            able = [rest.index(forced)] if forced in rest else []
        elif self.near_source:
            able = able[:1]
        elif not asked.is_reducing:
            able = self._last_open(asked, rest, able)
        for place in able:
            there, onward = rest[place], tuple(rest[place:])
            if asked.properties is None:
                # Nothing is filtered: the source itself goes this far, and others may use it there.
                yield Placed(asked, stream, there, tuple(route[: at + place + 1]), there, (there,), onward)
            else:
                yield Placed(asked, stream, rest[0], fetched, there, tuple(rest[: place + 1]), onward, residual)

    def _last_open(self, asked: Asked, route: list[str], able: list[int]) -> list[int]:
        """The place nearest to the subscriber from which the filtered stream can go to others.

        After it there are only peers of this route: the smaller of the stream and its result goes there.
        """
        measured = asked.statistics
        if measured.result.bytes >= measured.filter.bytes:
            return able[-1:]
        for place in reversed(able):
            if self.topology.neighbours(route[place]) - set(route):
                return [place]
        return able[:1]

    def computers(self, asked: Asked) -> list[str]:
        """The peers that can compute a subscription."""
        return sorted(name for name in self.topology.peers if self._can_compute(asked, name))

    def _can_compute(self, asked: Asked, peer: str) -> bool:
        is_able = self.topology.can_execute(peer) and peer not in self.topology.outside
        return is_able and set(asked.documents) <= self.documents.get(peer, set())

    def residual(self, placed: Placed) -> tuple[ast.Expr, ...]:
        """The conditions that a subscription's filter still has to test on the stream it uses."""
        own = placed.asked.properties
        if own is None:
            return ()
        used = None if placed.uses == SOURCE else self.placed[placed.uses].asked.properties
        if used is None:
            return own.conditions
        found = served(used, own)
        assert found is not None, f"{placed.uses} does not serve {placed.asked.name}"
        return found.residual

    # --- shared streams

    def widened(self, asked: Asked, name: str, wide: Asked, *, stays: bool = True) -> dict[str, Placed] | None:
        """All plans with an additional subscription, for which an existing stream becomes wider; None if that is no
        valid plan.

        The wider stream takes the route of that of `name`. Its readers read the wider one and filter it. The old one
        `stays` if its own subscription, or another subnet, reads it; otherwise it has no readers left.
        """
        kept, one = self.placed, self.placed[name]
        used = None if one.uses == SOURCE else kept[one.uses].asked.properties
        assert wide.properties is not None
        if used is not None and served(used, wide.properties) is None:
            return None
        end = one.filter_route[-1]
        self.placed = {**kept, wide.name: replace(one, asked=wide, transform_at=end, result_route=(end,), residual=())}
        try:
            there = one.transform_at
            self.placed[name] = replace(
                one, uses=wide.name, filter_at=there, fetched=(there,), filter_route=(there,), residual=()
            )
            if not stays:
                del self.placed[name]
            readers = [other for other, placed in kept.items() if placed.uses == name]
            for other in readers:
                self.placed[other] = replace(kept[other], uses=wide.name, residual=())
            for each in (*((name,) if stays else ()), *readers):
                own = self.placed[each].asked.properties
                if own is None or served(wide.properties, own) is None:
                    return None
            self.register(asked)
            return self.placed
        except InputError:
            return None
        finally:
            self.placed = kept

    # --- the network as a whole

    def placed_so(
        self,
        asked: Asked,
        uses: str,
        fetched: tuple[str, ...],
        filter_route: tuple[str, ...],
        result_route: tuple[str, ...],
        others: dict[str, Placed],
    ) -> Placed:
        """A plan with these routes, which may use one of the others."""
        own = asked.properties
        used = others[uses].asked.properties if uses in others else None
        residual: tuple[ast.Expr, ...] = () if own is None else own.conditions
        if used is not None and own is not None:
            found = served(used, own)
            assert found is not None, f"{uses} does not serve {asked.name}"
            residual = found.residual
        return Placed(asked, uses, fetched[-1], fetched, result_route[0], filter_route, result_route, residual)

    def admit(self, asked: Asked, movable: Collection[str]) -> Placed:
        """Place a subscription, and let others read its stream, or one that it uses, if that costs less.

        Answers stay where they are computed: only streams of `movable` subscriptions change. That may make room;
        XYRT0057 if it does not.
        """
        kept, name = self.placed, asked.name
        try:
            self.register(asked)
        except InputError:
            tight = list(self.candidates(asked))
            if not tight or not movable:
                raise
            counted = self._counted()
            least = min(tight, key=lambda one: counted.added(one, self.placed).total_bytes)
            self.placed = {**kept, name: least}
            self._settle(name, movable)
            if self.phi() == float("inf"):
                self.placed = kept
                raise
            return self.placed[name]
        self._settle(name, movable)
        return self.placed[name]

    def _settle(self, name: str, movable: Collection[str]) -> None:
        """Look for cheaper plans of a subscription and of some that may share streams with it."""
        streams = [name]
        while streams[-1] in self.placed:
            streams.append(self.placed[streams[-1]].uses)
        near = [one for one in self.placed.values() if one.asked.name in movable and one.asked.properties is not None]
        # Readers of the same stream come first, and of these the ones that keep most.
        near.sort(key=lambda one: (one.uses not in streams, -one.asked.statistics.filter.bytes))
        moving = [one.asked.name for one in near[:MOST_MOVED] if one.asked.name != name]
        if moving and self.placed[name].asked.properties is not None:
            self._searched([*moving, name], {*moving, name}, SETTLING_TRIES, streams)

    def reconsidered(self, asked: list[Asked], staying: Collection[str] = ()) -> dict[str, Placed]:
        """All subscriptions placed together, with answers computed where they are.

        Streams that other subnets read, the `staying` ones, do not move.
        """
        kept = self.placed
        names = {one.name for one in asked}
        try:
            self.placed = {name: one for name, one in kept.items() if name in names or name in staying}
            self._whole(staying)
            self._searched([one.name for one in asked], names)
            return self.placed
        finally:
            self.placed = kept

    def _whole(self, staying: Collection[str]) -> None:
        """Let subscriptions read the source if their stream is no longer among the plans."""
        for name, one in list(self.placed.items()):
            if name not in staying and one.uses not in {SOURCE, *self.placed}:
                way = tuple(self.topology.route(self.source_peer, one.transform_at))
                self.placed[name] = self.placed_so(one.asked, SOURCE, way, way[-1:], one.result_route, {})

    def optimize(self) -> float:
        """Place all subscriptions together: a local search from the current plans. Returns the gain in Φ.

        Unless there are very many, it also starts from scratch: with those that keep most first, and with those that
        keep least first.
        """
        start = self.phi()
        given = sorted((one.asked for one in self.placed.values()), key=lambda one: -one.statistics.filter.bytes)
        self._searched(list(self.placed), (), least_gain=0.0)
        best = self.placed
        for order in (given, given[::-1]) if len(given) <= MOST_BEGUN_ANEW else ():
            least = self.phi()
            self.placed = {}
            try:
                for asked in order:
                    self.admit(asked, list(self.placed))
                self._searched(list(self.placed), (), least_gain=0.0)
            except InputError:
                # In this order there is no room.
                self.placed = best
            best = self.placed = self.placed if self.phi() < least else best
        return start - self.phi()

    def _searched(
        self,
        moving: list[str],
        fixed: Collection[str],
        most_tries: int = OPTIMIZING_TRIES,
        streams: list[str] | None = None,
        *,
        least_gain: float = LEAST_GAIN,
    ) -> float:
        """Search for cheaper plans of some subscriptions beside all others, and adopt them; return the gain in Φ."""
        start = self.phi()
        free = set(moving)
        # A stream with fixed readers does not move either.
        while used := free & {one.uses for name, one in self.placed.items() if name not in free}:
            free -= used
        staying = {name: one for name, one in self.placed.items() if name not in free}
        arrangement = Arrangement(self, [self.placed[name].asked for name in moving if name in free], staying)
        arrangement.begin(self.placed)
        if PlanSearch(arrangement, fixed, most_tries).run(streams) <= 0:
            return 0.0
        kept, self.placed = self.placed, arrangement.plans()
        found = self.phi()
        # What cannot change, such as the way of the source to its first peer, makes no gain smaller.
        if start - found < least_gain * (start - self.phi(self.counted(staying).load)):
            self.placed = kept
            return 0.0
        return start - found

    def remove(self, name: str) -> list[str]:
        """Remove a subscription, and place those that used its stream again; return their names."""
        if self.placed.pop(name, None) is None:
            raise InputError("XYRT0053", f"there is no subscription '{name}'")
        self.forced.pop(name, None)
        moved: list[Asked] = []
        waiting = [name]
        while waiting:
            used = waiting.pop(0)
            for one in [one for one in self.placed.values() if one.uses == used]:
                del self.placed[one.asked.name]
                moved.append(one.asked)
                waiting.append(one.asked.name)
        for asked in moved:
            self.register(asked)
        return [asked.name for asked in moved]

    # --- in words

    def explain(self, name: str, shown: Collection[str] | None = None) -> list[str]:
        """The streams that a subscription uses or does not use, and why; names only the subscriptions in `shown`."""
        one = self.placed[name]
        used = one.uses if shown is None or one.uses in shown else "the stream of another subscription"
        asked = one.asked
        if one.uses == SOURCE:
            lines = [f"{name}: reads the source at {one.filter_at}"]
        else:
            with_it = self.load().total_bytes
            alone = self._alone(asked)
            lines = [
                f"{name}: reuses {used} at {one.filter_at}"
                + (f", residual {_conditions(one.residual)}" if one.residual else "")
                + f"; saves {_rate((alone - with_it) / self.seconds)}"
            ]
        if asked.why_not:
            lines.append(f"  shares nothing: {asked.why_not}")
        hidden = 0
        for other, placed in self.placed.items():
            if other in (name, one.uses) or asked.properties is None or placed.asked.properties is None:
                continue
            if shown is not None and other not in shown:
                hidden += 1
                continue
            found = match(placed.asked.properties, asked.properties)
            told = "" if found.reuse else f": {found.why}"
            lines.append(f"  not reused: {other}{told or ': it serves as well, and costs no less'}")
        if hidden:
            lines.append(f"  not reused: the streams of {hidden:,} other subscriptions")
        return lines

    def _alone(self, asked: Asked) -> float:
        """The bytes sent if a subscription read the source itself."""
        other = _copy_of(self)
        other.placed.pop(asked.name)
        other.shares = False
        other.register(asked)
        return other.load().total_bytes


def _copy_of(planner: Planner) -> Planner:
    """A separate planner with the same plans."""
    made = Planner(
        planner.topology, planner.source_peer, planner.source_bytes, planner.seconds, planner.cost,
        shares=planner.shares, one_uplink=planner.one_uplink, transform_near_source=planner.near_source,
    )  # fmt: skip
    made.placed = dict(planner.placed)
    made.documents, made.entries = planner.documents, planner.entries
    return made


def _rate(per_second: float) -> str:
    return f"{per_second:,.1f} B/s" if abs(per_second) < 1000 else f"{per_second / 1000:,.1f} kB/s"


def _conditions(residual: tuple[ast.Expr, ...]) -> str:
    from .properties import condition_text

    return " and ".join(map(condition_text, residual))
