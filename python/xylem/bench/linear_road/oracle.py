"""The answers of Linear Road, by a plain program straight from its rules: what a system's answers are held against.

One pass over tuples in the order of time. It is written for being read, and shares nothing with the engine. Over a file
it is the peer of the throughput, too: what someone writes with lxml and dictionaries.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from pathlib import Path

Place = tuple[int, int, int]
"""Expressway, direction, segment."""
Spot = tuple[int, int, int, int]
"""Expressway, direction, lane, position."""
Tuple = Mapping[str, int]

REPORT, BALANCE, EXPENDITURE, TRAVEL = 0, 2, 3, 4
ENTRY, EXIT = 0, 4
MINUTES_AVERAGED = 5
SEGMENTS_AHEAD = 4
STOPPED_AFTER = 4
JOURNEY_GAP_SECONDS = 60
_FREE, _SPEED = 50, 40


def minute_of(second: int) -> int:
    return second // 60 + 1


@dataclass
class Car:
    spot: Spot
    place: Place
    time: int
    same_spot: int = 1
    notified_toll: int = 0
    is_on_road: bool = True


@dataclass
class Accident:
    spot: Spot
    detected: int
    cleared: int | None = None

    def is_in_force(self, minute: int) -> bool:
        return self.detected + 1 <= minute and (self.cleared is None or minute <= self.cleared)


@dataclass
class Account:
    """The times at which something was charged, and the balances from then on."""

    times: list[int] = field(default_factory=list)
    balances: list[int] = field(default_factory=list)

    def charge(self, time: int, amount: int) -> None:
        self.times.append(time)
        self.balances.append((self.balances[-1] if self.balances else 0) + amount)

    def as_of(self, time: int) -> int:
        number = bisect_right(self.times, time)
        return self.balances[number - 1] if number else 0


@dataclass
class Expected:
    """What must be answered."""

    tolls: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """(LAV, toll) by vehicle and time."""
    accidents: set[tuple[int, int, int, int, int]] = field(default_factory=set)
    """(time, expressway, segment, direction, vehicle)"""
    balances: dict[int, tuple[int, int]] = field(default_factory=dict)
    """(time, vehicle) by question."""
    expenditures: dict[int, tuple[int, int]] = field(default_factory=dict)
    """(time, toll) by question."""
    accounts: dict[int, Account] = field(default_factory=dict)
    accidents_detected: int = 0
    tuples: int = 0

    def balance(self, vehicle: int, time: int) -> int:
        account = self.accounts.get(vehicle)
        return 0 if account is None else account.as_of(time)


class Oracle:
    """The state of the road, tuple after tuple."""

    def __init__(self, paid: Mapping[int, str], *, pooled: bool = False) -> None:
        """`paid` has the words of the toll history by vehicle; `pooled` averages reports instead of vehicles."""
        self.expected = Expected()
        self._paid = paid
        self._pooled = pooled
        self._minute = 0
        self._cars: dict[int, Car] = {}
        self._speeds: dict[int, dict[Place, dict[int, list[int]]]] = {}
        """(sum of speeds, number of reports) by minute, place and vehicle."""
        self._averages: dict[int, dict[Place, Fraction]] = {}
        self._velocities: dict[Place, int] = {}
        """LAV of this minute, where it was asked for."""
        self._stopped: dict[Spot, set[int]] = {}
        self._at_spot: dict[Spot, Accident] = {}
        self._accidents: dict[Place, list[Accident]] = {}

    def take(self, tuple_: Tuple) -> None:
        kind, time = tuple_["type"], tuple_["time"]
        self.expected.tuples += 1
        if minute_of(time) != self._minute:
            self._next_minute(minute_of(time))
        if kind == REPORT:
            self._report(tuple_)
        elif kind == BALANCE:
            self.expected.balances[tuple_["qid"]] = (time, tuple_["vid"])
        elif kind == EXPENDITURE:
            road, _, toll = self._paid[tuple_["vid"]].split(" ")[tuple_["day"] - 1].partition(":")
            if int(road) != tuple_["xway"]:
                raise ValueError(f"the history has expressway {road} for {dict(tuple_)}")
            self.expected.expenditures[tuple_["qid"]] = (time, int(toll))

    # --- statistics

    def _next_minute(self, minute: int) -> None:
        self._minute = minute
        self._velocities.clear()
        for old in [known for known in self._speeds if known < minute - MINUTES_AVERAGED]:
            del self._speeds[old]
            self._averages.pop(old, None)
        for place, accidents in list(self._accidents.items()):
            self._accidents[place] = [one for one in accidents if one.cleared is None or minute <= one.cleared]

    def _count(self, minute: int, place: Place) -> int:
        return len(self._speeds.get(minute, {}).get(place, ()))

    def _velocity(self, place: Place) -> int:
        known = self._velocities.get(place)
        if known is None:
            minutes = range(self._minute - MINUTES_AVERAGED, self._minute)
            averages = self._pooled_speeds(minutes, place) if self._pooled else self._speeds_by_minute(minutes, place)
            known = floor(sum(averages) / len(averages) + Fraction(1, 2)) if averages else 0
            self._velocities[place] = known
        return known

    def _speeds_by_minute(self, minutes: Iterable[int], place: Place) -> list[Fraction]:
        found = []
        for minute in minutes:
            vehicles = self._speeds.get(minute, {}).get(place)
            if vehicles:
                averages = self._averages.setdefault(minute, {})
                if place not in averages:
                    averages[place] = _mean_of_means(vehicles.values())
                found.append(averages[place])
        return found

    def _pooled_speeds(self, minutes: Iterable[int], place: Place) -> list[Fraction]:
        rows = [row for m in minutes for row in self._speeds.get(m, {}).get(place, {}).values()]
        return [Fraction(sum(row[0] for row in rows), sum(row[1] for row in rows))] if rows else []

    # --- vehicles

    def _report(self, report: Tuple) -> None:
        vehicle, time, lane = report["vid"], report["time"], report["lane"]
        place = (report["xway"], report["dir"], report["seg"])
        spot = (report["xway"], report["dir"], lane, report["pos"])
        car = self._cars.get(vehicle)
        starts = car is None or (lane == ENTRY and time - car.time > JOURNEY_GAP_SECONDS)
        if (car is None and lane == EXIT) or (car is not None and not car.is_on_road and not starts):
            return
        speeds = self._speeds.setdefault(self._minute, {}).setdefault(place, {})
        sums = speeds.setdefault(vehicle, [0, 0])
        sums[0] += report["spd"]
        sums[1] += 1
        if car is not None and (starts or car.spot != spot):
            self._moves(vehicle, car.spot, time)
        if starts or car is None:
            self._cars[vehicle] = car = Car(spot, place, time)
            is_new_place = True
        else:
            is_new_place = car.place != place
            if is_new_place and car.notified_toll:
                self.expected.accounts.setdefault(vehicle, Account()).charge(time, car.notified_toll)
            car.same_spot = car.same_spot + 1 if car.spot == spot else 1
            car.spot, car.place, car.time = spot, place, time
        if car.same_spot >= STOPPED_AFTER:
            self._stops(vehicle, spot, place, time)
        if lane == EXIT:
            car.is_on_road, car.notified_toll = False, 0
        elif is_new_place:
            car.notified_toll = self._notify(vehicle, time, place)

    def _notify(self, vehicle: int, time: int, place: Place) -> int:
        velocity, ahead = self._velocity(place), self._accident_ahead(place)
        count = self._count(self._minute - 1, place)
        toll = 0 if ahead is not None or velocity >= _SPEED or count <= _FREE else 2 * (count - _FREE) ** 2
        self.expected.tolls[vehicle, time] = (velocity, toll)
        if ahead is not None:
            self.expected.accidents.add((time, place[0], ahead, place[1], vehicle))
        return toll

    # --- accidents

    def _stops(self, vehicle: int, spot: Spot, place: Place, time: int) -> None:
        if spot[2] in (ENTRY, EXIT):
            return
        stopped = self._stopped.setdefault(spot, set())
        stopped.add(vehicle)
        if len(stopped) >= 2 and spot not in self._at_spot:
            self._at_spot[spot] = accident = Accident(spot, minute_of(time))
            self._accidents.setdefault(place, []).append(accident)
            self.expected.accidents_detected += 1

    def _moves(self, vehicle: int, spot: Spot, time: int) -> None:
        stopped = self._stopped.get(spot, set())
        if vehicle not in stopped:
            return
        accident = self._at_spot.pop(spot, None)
        if accident is None:
            stopped.discard(vehicle)
        else:
            # Whoever is left there does not make an accident again.
            accident.cleared = minute_of(time)
            stopped.clear()
        if not stopped:
            del self._stopped[spot]

    def _accident_ahead(self, place: Place) -> int | None:
        road, direction, segment = place
        step = 1 if direction == 0 else -1
        for ahead in range(segment, segment + step * (SEGMENTS_AHEAD + 1), step):
            if any(one.is_in_force(self._minute) for one in self._accidents.get((road, direction, ahead), ())):
                return ahead
        return None


def _mean_of_means(rows: Iterable[list[int]]) -> Fraction:
    """The mean over vehicles of the mean speed of each, exactly."""
    sums: dict[int, int] = {}
    vehicles = 0
    for total, reports in rows:
        sums[reports] = sums.get(reports, 0) + total
        vehicles += 1
    return sum((Fraction(total, reports) for reports, total in sums.items()), Fraction(0)) / vehicles


def tuples_of(path: Path) -> Iterator[dict[str, int]]:
    """The tuples of an XML document, by lxml, one at a time."""
    from lxml import etree

    for _, element in etree.iterparse(str(path), tag="tuple"):
        yield {name: int(value) for name, value in element.items()}
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def paid_in(path: Path) -> dict[int, str]:
    """The words of a toll history by vehicle."""
    from lxml import etree

    paid = {}
    for _, element in etree.iterparse(str(path), tag="vehicle"):
        paid[int(element.get("vid"))] = element.get("paid")
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    return paid


def expected_of(path: Path, history: Path, *, pooled: bool = False) -> Expected:
    """What must be answered to the tuples of a file."""
    oracle = Oracle(paid_in(history), pooled=pooled)
    for tuple_ in tuples_of(path):
        oracle.take(tuple_)
    return oracle.expected
