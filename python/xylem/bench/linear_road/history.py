"""The toll history: what each vehicle paid on each of the 69 days before, and on which expressway.

    <toll-history days="69">
    <vehicle vid="3" paid="0:34 0:71 1:12 …"/>

`paid` has one word for each day, yesterday first: the expressway and the toll. A request of the stream asks for the
expressway that its day has, so it is drawn first, and written afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from .traffic import DAYS, Second

OPENING, CLOSING = f'<toll-history days="{DAYS}">\n', "</toll-history>\n"
_AT_ONCE = 4096


@dataclass
class AskedDays:
    """What the requests of a stream ask for, noted as they pass."""

    by_vehicle: dict[int, dict[int, int]] = field(default_factory=dict)
    """The expressway, by vehicle and day."""

    def noting(self, seconds: Iterable[Second]) -> Iterator[Second]:
        for second in seconds:
            for row in second.expenditures:
                _, vid, road, _, day = row.tolist()
                # Two questions for one day of one vehicle from different expressways cannot both be answered.
                row[2] = self.by_vehicle.setdefault(vid, {}).setdefault(day, road)
            yield second


def history_lines(vehicles: Iterable[int], roads: int, asked: AskedDays, seed: int) -> Iterator[str]:
    """The rows of these vehicles, a piece of text for some thousand of them."""
    random = np.random.default_rng([seed, roads, 2004])
    waiting: list[int] = []
    for vehicle in vehicles:
        waiting.append(vehicle)
        if len(waiting) == _AT_ONCE:
            yield _rows(waiting, roads, asked, random)
            waiting.clear()
    if waiting:
        yield _rows(waiting, roads, asked, random)


def _rows(vehicles: list[int], roads: int, asked: AskedDays, random: np.random.Generator) -> str:
    tolls = random.integers(10, 100, (len(vehicles), DAYS))
    ways = random.integers(0, roads, (len(vehicles), DAYS))
    for number, vehicle in enumerate(vehicles):
        for day, road in asked.by_vehicle.get(vehicle, {}).items():
            ways[number, day - 1] = road
    rows = np.stack([ways, tolls], axis=2).reshape(len(vehicles), -1)
    table = np.concatenate([np.array(vehicles)[:, None], rows], axis=1)
    line = f'<vehicle vid="%d" paid="{" ".join(["%d:%d"] * DAYS)}"/>\n'
    return (line * len(vehicles)) % tuple(table.ravel().tolist())
