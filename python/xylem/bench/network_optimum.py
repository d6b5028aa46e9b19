"""How far plans are from the best there are, on small networks where these can be found (`network_exact.py`)."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from itertools import count

from xylem.errors import InputError
from xylem.network.planner import Asked, Planner
from xylem.network.properties import properties_of
from xylem.network.stream_statistics import Measured, StreamStatistics
from xylem.network.topology import Topology
from xylem.syntax import parse

from .network_exact import ExactPlans

SOLVER_EFFORT = 60.0
MOST_SUBSCRIPTIONS = 12


@dataclass
class Optimum:
    """Costs of one network."""

    incremental: float
    """Infinite where a subscription was refused, though there is a plan with room for all."""
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


def placed(topology: Topology, asked: list[Asked], source_bytes: int = 10_000) -> tuple[float, float]:
    """What plans cost that are made one after another, and then all together."""
    planner = Planner(topology, "P", source_bytes)
    for one in asked:
        planner.admit(one, list(planner.placed))
    incremental = planner.phi()
    planner.optimize()
    return incremental, planner.phi()


def optimum_runs(cases: int, seed: int) -> list[Optimum]:
    """Random networks with 3 to 12 subscriptions; one that has no room for all of them is no case."""
    found: list[Optimum] = []
    for number in count():
        if len(found) == cases:
            return found
        one = optimum_run(number, seed)
        if one is not None:
            found.append(one)
    raise AssertionError("numbers never end")


def optimum_run(number: int, seed: int) -> Optimum | None:
    """One of the random networks; None if it has no room for all of its subscriptions."""
    draw = random.Random(f"{seed} {number}")
    topology, asked = random_case(draw, subscriptions=draw.randint(3, MOST_SUBSCRIPTIONS))
    best = ExactPlans(topology, "P", 10_000, asked).least(SOLVER_EFFORT)
    if best is None:
        return None
    with suppress(InputError):
        return Optimum(*placed(topology, asked), best)
    return Optimum(float("inf"), float("inf"), best)
