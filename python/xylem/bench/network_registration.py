"""What one more subscription costs in a network that has many: from its text to its place in the plans.

Those that are there are boxes of one stream, read from the source. New ones are boxes, too, each of a shape that the
queries before it have, as in a network that has run for a while. CPU time of the site that plans, without messages.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from xylem.network.planner import Asked, Placed, Planner
from xylem.network.properties import properties_of
from xylem.network.site_names import SOURCE
from xylem.network.stream_statistics import Measured, StreamStatistics, statistics_of
from xylem.network.topology import Topology
from xylem.schema import load_schema
from xylem.syntax import parse

from .network_draw import Wanted, subscriptions
from .network_grid import grid
from .network_run import DTD, SECONDS_PER_RECORD, document, first_part

MOST_BYTES = 1 << 18
"""Bytes of the sample that statistics are measured over, as at a site."""


@dataclass
class RegistrationCost:
    """CPU milliseconds of single registrations."""

    registered: int
    matching: list[float]
    """The streams that serve the new one, among all."""
    placing: list[float]
    """Its plan, with the streams that others would read elsewhere."""
    measuring: list[float]
    """Its properties, and its bytes and CPU over a sample."""

    @property
    def all_told(self) -> list[float]:
        return [sum(each) for each in zip(self.placing, self.measuring, strict=True)]


def registration_cost(registered: int, seed: int, tries: int = 100) -> RegistrationCost:
    """Registrations in a network with so many subscriptions on a grid of 16 super-peers."""
    peers, links = grid(4)
    planner = Planner(Topology.from_dict({"peers": peers, "links": links}), "north", 10**7, 1000 * SECONDS_PER_RECORD)
    supers = [name for name, kind in peers.items() if kind == "super"]
    drawn = subscriptions(supers, 2 * (registered + tries), 0.8, random.Random(seed), 20)
    of_stream = [one for one in drawn if one.stream == "north"]
    sample = first_part(document(2000, seed), 1.0)[:MOST_BYTES]
    sample = sample[: sample.rfind(b"</photon>")] + b"</photon></photons>"
    for one in of_stream[:registered]:
        planner.placed[one.name] = _from_source(planner, _guessed(one))
    found = RegistrationCost(registered, [], [], [])
    for one in of_stream[registered:]:
        _measure(planner, one, sample, found)
    return found


def _measure(planner: Planner, one: Wanted, sample: bytes, found: RegistrationCost) -> None:
    times = _Stopwatch()
    properties = properties_of(parse(one.text), load_schema(DTD))
    statistics = statistics_of(one.text, properties, sample)
    found.measuring.append(times.lap())
    asked = Asked(one.name, one.peer, properties, statistics)
    for _ in planner.serving(asked):
        pass
    found.matching.append(times.lap())
    kept = dict(planner.placed)
    times.lap()
    planner.admit(asked, list(kept))
    found.placing.append(times.lap())
    planner.placed = kept


class _Stopwatch:
    def __init__(self) -> None:
        self._before = time.process_time()

    def lap(self) -> float:
        """Milliseconds of CPU since the one before."""
        before, self._before = self._before, time.process_time()
        return (self._before - before) * 1000


def _guessed(one: Wanted) -> Asked:
    """As large as its box."""
    size = int(one.box[2] * one.box[3] * 1000)
    work = StreamStatistics(Measured(size, 1e-6), Measured(size if one.properties.windowed is None else 100, 1e-6))
    return Asked(one.name, one.peer, one.properties, work)


def _from_source(planner: Planner, asked: Asked) -> Placed:
    route = tuple(planner.topology.route("north", asked.peer))
    return planner.placed_so(asked, SOURCE, route[:2], route[1:], route[-1:], {})
