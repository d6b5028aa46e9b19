"""The traffic of Linear Road: vehicles that enter, speed up, jam, collide and leave, one step for each second.

All expressways are simulated together, as columns with a row for each vehicle on the road, so that a step costs a few
array operations however many there are. A step gives the reports and requests of its second.

    >>> from xylem.bench.linear_road.traffic import Traffic
    >>> traffic = Traffic(expressways=1, seconds=60, seed=1)
    >>> sum(len(second.reports) for second in traffic.seconds()) > 500
    True
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]

FEET_PER_MILE = 5280
SEGMENTS = 100
REPORT_SECONDS = 30
ARRIVALS_PER_SECOND = 12.0
ACCIDENT_SECONDS = 1200
"""One accident for each expressway in so many seconds."""
DETECTED_WITHIN = 4 * REPORT_SECONDS
"""So long after two vehicles stopped, both have reported their place four times."""
_UNTIL_DETECTED = DETECTED_WITHIN + REPORT_SECONDS
DAYS = 69

REPORT_FIELDS = ("time", "vid", "spd", "xway", "lane", "dir", "seg", "pos")
BALANCE_FIELDS = ("time", "vid", "qid")
EXPENDITURE_FIELDS = ("time", "vid", "xway", "qid", "day")
TRAVEL_FIELDS = ("time", "vid", "xway", "qid", "sinit", "send", "dow", "tod")

_STATE = ("vid", "xway", "dir", "pos", "speed", "lane", "entry", "first", "exit", "stopped", "mood")


@dataclass(frozen=True)
class Second:
    """What is said in one second: rows of the fields above."""

    time: int
    reports: Column
    balances: Column
    expenditures: Column
    travels: Column


class Traffic:
    """One run of the simulation; the same arguments give the same traffic."""

    def __init__(self, expressways: float, seconds: int, seed: int = 0, *, noise: bool = False) -> None:
        self.expressways = expressways
        self.roads = int(np.ceil(expressways))
        self.accidents_planted = 0
        self.vehicles = 0
        self._end = seconds
        self._noise = noise
        self._random = np.random.default_rng([seed, int(expressways * 2), 20040])
        self._cars: dict[str, Column] = {name: np.empty(0, _kind(name)) for name in _STATE}
        self._returning: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """(vehicle, expressway it left), by the second in which it comes back."""
        self._noisy: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        self._questions = 0
        self._collisions = sorted(
            (int(self._random.integers(slot, _last_start(slot, seconds))), road)
            for road in range(self.roads)
            for slot in range(0, seconds, ACCIDENT_SECONDS)
        )
        self._jammed: list[tuple[int, int]] = []
        """(directed segment, second in which it is cleared)"""

    def seconds(self) -> Iterator[Second]:
        for time in range(self._end):
            if time:
                self._drive(time)
            self._enter(time)
            self._collide(time)
            yield self._say(time)

    # --- vehicles come

    def _enter(self, time: int) -> None:
        random, roads = self._random, self.roads
        arrived = int(random.poisson(ARRIVALS_PER_SECOND * self.expressways))
        halves = int(self.expressways * 2)
        half = random.integers(0, halves, arrived)
        vid = np.arange(self.vehicles, self.vehicles + arrived)
        self.vehicles += arrived
        back = self._returning.pop(time, ())
        if back:
            left = np.array([road for _, road in back])
            # Elsewhere, if there is another expressway: any half of one of them.
            road = (left + random.integers(1, roads, len(back))) % roads if roads > 1 else left
            side = random.integers(0, 2, len(back))
            half = np.concatenate([half, np.minimum(road * 2 + side, halves - 1)])
            vid = np.concatenate([vid, np.array([vehicle for vehicle, _ in back])])
        if not len(vid):
            return
        length = np.maximum(random.exponential(30.0, len(vid)), 2.0)
        centre = random.normal(50.0, 20.0, len(vid))
        start = np.clip(centre - length / 2, 0.0, 99.0)
        end = np.clip(centre + length / 2, 0.0, 99.0)
        is_west = half % 2 == 1
        first, last = np.where(is_west, end, start), np.where(is_west, start, end)
        goes = np.abs(last - first) >= 2.0
        self._add(
            {
                "vid": vid,
                "xway": half // 2,
                "dir": half % 2,
                "pos": first * FEET_PER_MILE,
                "speed": np.full(len(vid), 10.0),
                "lane": np.zeros(len(vid)),
                "entry": np.full(len(vid), time),
                "first": np.floor(first),
                "exit": np.floor(last),
                "stopped": np.zeros(len(vid)),
                "mood": random.random(len(vid)) * 10.0 - 5.0,
            },
            goes,
        )
        if self._noise and random.random() < 0.05:
            self.vehicles += 1
            place = int(random.integers(0, 528_000))
            self._noisy[time].append((self.vehicles - 1, 10, 0, 4, 0, place // FEET_PER_MILE, place))

    def _add(self, more: dict[str, Column], chosen: Column) -> None:
        self._cars = {
            name: np.concatenate([self._cars[name], more[name][chosen].astype(_kind(name))]) for name in _STATE
        }

    # --- vehicles move

    def _drive(self, time: int) -> None:
        cars = self._cars
        if not len(cars["vid"]):
            return
        position, speed, is_west = cars["pos"], cars["speed"], cars["dir"] == 1
        segment = (position * (1.0 / FEET_PER_MILE)).astype(np.int32)
        place = (cars["xway"] * 2 + cars["dir"]) * SEGMENTS + segment
        crowd = np.bincount(place, minlength=self.roads * 2 * SEGMENTS)
        flow = np.maximum(70.0 * 72.0 / np.maximum(72, crowd), 8.0)
        self._jammed = [(where, until) for where, until in self._jammed if until > time]
        for where, _ in self._jammed:
            flow[where] /= 2
        target = flow[place]
        target[cars["lane"] == 0] = np.minimum(target[cars["lane"] == 0], 40.0)
        # How much faster or slower than others someone drives is drawn with each report: drawn each second, it would
        # slow everyone down, since a vehicle brakes at once and gains speed slowly.
        target += cars["mood"]
        np.minimum(target, speed + 5.0, out=speed)
        np.clip(speed, 1.0, 100.0, out=speed)
        speed[cars["stopped"] > time] = 0.0
        position += np.where(is_west, -speed, speed) * (FEET_PER_MILE / 3600.0)
        # Whoever is at the far end of the exit segment waits there for the next report.
        low, high = cars["exit"] * FEET_PER_MILE, (cars["exit"] + 1) * FEET_PER_MILE - 1
        np.copyto(position, np.where(is_west, np.maximum(position, low), np.minimum(position, high)))

    def _collide(self, time: int) -> None:
        """The accidents that are due; one that finds no two vehicles is tried again in the next second."""
        if self._collisions and self._collisions[0][0] <= time:
            waiting = [(due, road) for due, road in self._collisions if due > time or not self._crashed(time, road)]
            self._collisions = waiting

    def _crashed(self, time: int, road: int) -> bool:
        """Two vehicles of one segment are put on one spot; False where there are none yet."""
        if time + _UNTIL_DETECTED >= self._end:
            # Nobody would ever hear of it.
            return True
        cars = self._cars
        segment = (cars["pos"] / FEET_PER_MILE).astype(np.int32)
        free = (cars["xway"] == road) & (segment != cars["first"]) & (segment != cars["exit"]) & (cars["stopped"] == 0)
        free &= (cars["lane"] >= 1) & (cars["lane"] <= 3)
        (rows,) = np.nonzero(free)
        if len(rows) < 2:
            return False
        place = cars["dir"][rows] * SEGMENTS + segment[rows]
        values, counts = np.unique(place, return_counts=True)
        busy = values[counts >= 2]
        busy = busy[~np.isin(busy + road * 2 * SEGMENTS, [where for where, _ in self._jammed])]
        if not len(busy):
            return False
        chosen = rows[place == self._random.choice(busy)][:2]
        until = time + DETECTED_WITHIN + int(self._random.integers(600, 1201))
        for name, value in (("pos", np.floor(cars["pos"][chosen[0]])), ("lane", cars["lane"][chosen[0]]), ("speed", 0)):
            cars[name][chosen] = value
        cars["stopped"][chosen] = until
        self._jammed.append((int(place[rows == chosen[0]][0]) + road * 2 * SEGMENTS, until))
        self.accidents_planted += 1
        return True

    # --- vehicles report

    def _say(self, time: int) -> Second:
        cars, random = self._cars, self._random
        (rows,) = np.nonzero((time - cars["entry"]) % REPORT_SECONDS == 0)
        position = cars["pos"][rows].astype(np.int64)
        segment = position // FEET_PER_MILE
        lane, speed = cars["lane"][rows], np.rint(cars["speed"][rows])
        leaves = segment == cars["exit"][rows]
        is_moving = cars["stopped"][rows] <= time
        changes = is_moving & (segment != cars["first"][rows]) & ((lane == 0) | (random.random(len(rows)) < 0.1))
        lane = np.where(changes, random.integers(1, 4, len(rows)), lane)
        cars["lane"][rows] = lane
        cars["mood"][rows] = random.random(len(rows), np.float32) * 10.0 - 5.0
        lane, speed = np.where(leaves, 4, lane), np.where(leaves, 10, speed)
        columns = (cars["vid"][rows], speed, cars["xway"][rows], lane, cars["dir"][rows], segment, position)
        reports = np.stack([np.full(len(rows), time), *columns], axis=1).astype(np.int64)
        extra = self._noisy.pop(time, ())
        if extra:
            reports = np.concatenate([reports, np.array([(time, *row) for row in extra], np.int64)])
        balances, expenditures, travels = self._requests(time, reports[: len(rows)])
        gone = rows[leaves]
        if len(gone):
            self._leave(time, gone, reports[: len(rows)][leaves])
        return Second(time, reports, balances, expenditures, travels)

    def _requests(self, time: int, reports: Column) -> tuple[Column, Column, Column]:
        random = self._random
        asking = reports[random.random(len(reports)) < 0.01]
        count = len(asking)
        numbers = np.arange(self._questions, self._questions + count)
        self._questions += count
        kind = random.random(count)
        vid, road = asking[:, 1], asking[:, 3]
        day = random.integers(1, DAYS + 1, count)
        at = np.full(count, time)
        start, end = random.integers(0, SEGMENTS, count), random.integers(0, SEGMENTS, count)
        weekday, minute = random.integers(1, 8, count), random.integers(1, 1441, count)
        balances = np.stack([at, vid, numbers], axis=1)[kind < 0.5]
        expenditures = np.stack([at, vid, road, numbers, day], axis=1)[(kind >= 0.5) & (kind < 0.6)]
        travels = np.stack([at, vid, road, numbers, start, end, weekday, minute], axis=1)[kind >= 0.6]
        return balances, expenditures, travels

    def _leave(self, time: int, gone: Column, reports: Column) -> None:
        cars, random = self._cars, self._random
        for row, report in zip(gone.tolist(), reports.tolist(), strict=True):
            if random.random() < 0.1:
                back = time + int(random.integers(61, 1062))
                self._returning[back].append((int(cars["vid"][row]), int(cars["xway"][row])))
            elif self._noise and random.random() < 0.05:
                self._noisy[time + REPORT_SECONDS].append(tuple(report[1:]))
        stays = np.ones(len(cars["vid"]), bool)
        stays[gone] = False
        self._cars = {name: column[stays] for name, column in cars.items()}


def _last_start(slot: int, seconds: int) -> int:
    """Accidents begin early enough to be detected before the end, if there is time for it at all."""
    return max(slot + 1, min(slot + ACCIDENT_SECONDS, seconds - _UNTIL_DETECTED))


def _kind(name: str) -> npt.DTypeLike:
    return {"vid": np.int64, "pos": np.float64, "speed": np.float32, "mood": np.float32}.get(name, np.int32)
