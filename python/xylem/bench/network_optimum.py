"""How far plans are from the best there are: small networks, where all plans can be looked at.

Every order of the subscriptions, every stream that each could use, every peer where that is, and every peer where it
could be computed; a branch is left as soon as it costs more than the best plan that is known, since no plan takes
anything away.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass

from xylem.errors import InputError
from xylem.network.planner import Asked, Placed, Planner
from xylem.network.properties import properties_of
from xylem.network.stream_statistics import Measured, StreamStatistics
from xylem.network.topology import Topology
from xylem.syntax import parse


@dataclass
class Optimum:
    """Costs of one network."""

    incremental: float
    together: float
    best: float


def random_case(draw: random.Random, most_peers: int = 8, subscriptions: int = 4) -> tuple[Topology, list[Asked]]:
    """A connected network with the source at one end, and subscriptions for ranges of which some lie in others."""
    number = draw.randint(4, most_peers - 1)
    peers = {f"S{n}": "super" for n in range(number)} | {"P": "thin"}
    links = [["P", "S0", 100_000.0]]
    for n in range(1, number):
        links.append([f"S{draw.randrange(n)}", f"S{n}", draw.choice([20_000.0, 60_000.0])])
    if number > 3:
        links.append([f"S{number - 1}", "S1", 60_000.0])
    asked = []
    for at in range(subscriptions):
        low, high = draw.choice([0, 0, 1, 2, 3]), draw.choice([5, 6, 8, 9])
        query = f"for $p in /s/p where $p/x > {low} and $p/x < {high} return <r>{{ $p/x, $p/y }}</r>"
        kept = (high - low) * 1000
        made = int(kept * draw.choice([0.1, 0.7, 0.9, 1.1]))
        work = StreamStatistics(Measured(kept, 0.02), Measured(made, 0.01))
        asked.append(Asked(f"q{at}", f"S{draw.randrange(1, number)}", properties_of(parse(query)), work))
    return Topology.from_dict({"peers": peers, "links": links}), asked


def compared(topology: Topology, asked: list[Asked], source_bytes: int = 10_000) -> Optimum:
    """One after another, all together, and the best there is."""
    planner = Planner(topology, "P", source_bytes)
    for one in asked:
        planner.register(one)
    incremental = planner.phi()
    planner.optimize()
    together = planner.phi()
    return Optimum(incremental, together, _best(topology, asked, source_bytes, together))


def _best(topology: Topology, asked: list[Asked], source_bytes: int, known: float) -> float:
    best = known
    planner = Planner(topology, "P", source_bytes)

    def place(left: list[Asked]) -> None:
        nonlocal best
        phi = planner.phi()
        if phi >= best - 1e-12:
            return
        if not left:
            best = phi
            return
        for one in left:
            rest = [other for other in left if other is not one]
            for candidate in _all_candidates(planner, one):
                kept = planner.placed
                planner.placed = {**kept, one.name: candidate}
                place(rest)
                planner.placed = kept

    place(asked)
    return best


def _all_candidates(planner: Planner, one: Asked) -> list[Placed]:
    """Plans with the transformation at every peer."""
    found: dict[tuple[object, ...], Placed] = {}
    for peer in planner.topology.peers:
        planner.forced = {one.name: peer}
        for each in planner.candidates(one):
            found[each.uses, each.fetched, each.filter_route, each.result_route] = each
    planner.forced = {}
    return list(found.values())


def optimum_runs(cases: int, seed: int, subscriptions: int = 3) -> list[Optimum]:
    found: list[Optimum] = []
    draw = random.Random(seed)
    while len(found) < cases:
        # A network that has no room for all of them is no case.
        with suppress(InputError):
            found.append(compared(*random_case(draw, subscriptions=subscriptions)))
    return found
