"""Cases of Linear Road that can be worked out by hand, for the oracle and for the queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Row = dict[str, int]


def report(time: int, vid: int, seg: int, *, spd: int = 30, lane: int = 1, dir: int = 0, pos: int = -1) -> Row:
    place = seg * 5280 + 100 if pos < 0 else pos
    return {
        "type": 0, "time": time, "vid": vid, "spd": spd, "xway": 0, "lane": lane, "dir": dir, "seg": seg, "pos": place,
    }


def balance(time: int, vid: int, qid: int) -> Row:
    return {"type": 2, "time": time, "vid": vid, "qid": qid}


def crowd(cars: int, seg: int, *, spd: int = 20, minutes: range = range(5), dir: int = 0) -> Iterator[Row]:
    """Cars that report twice in each of some minutes from one segment, each from a spot of its own."""
    for minute in minutes:
        for half in (0, 30):
            for car in range(cars):
                # They creep on, so that nobody is stopped.
                step = minute * 2 + half // 30
                yield report(minute * 60 + half, 1000 + car, seg, spd=spd, dir=dir, pos=seg * 5280 + car * 50 + step)


@dataclass
class Case:
    name: str
    rows: list[Row]
    tolls: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """Some of the (LAV, toll) by vehicle and time."""
    silent: set[tuple[int, int]] = field(default_factory=set)
    """Reports that must not be answered."""
    accidents: set[tuple[int, int, int]] | None = None
    """All (vehicle, time, segment of the accident)."""
    balances: dict[int, int] = field(default_factory=dict)
    """By question, as of the time it was asked."""


def _stop(vid: int, times: range, seg: int, dir: int, lane: int = 2) -> list[Row]:
    return [report(time, vid, seg, spd=0, lane=lane, dir=dir, pos=seg * 5280 + 777) for time in times]


def _accident(dir: int) -> Case:
    """Two cars stop in segment 50 from second 10 and 20 on: the later one has reported four times in second 110."""
    sign = 1 if dir == 0 else -1
    rows = _stop(1, range(10, 200, 30), 50, dir) + _stop(2, range(20, 200, 30), 50, dir)
    rows += [report(115, 10, 50 - 4 * sign, lane=0, dir=dir)]
    rows += [report(125, 20 + back, 50 - back * sign, lane=0, dir=dir) for back in range(6)]
    rows += [report(126, 30, 50 + sign, lane=0, dir=dir)]
    # One of them moves on in second 200, in minute 4.
    rows += [report(200, 1, 50, spd=10, lane=2, dir=dir, pos=50 * 5280 + 900)]
    rows += [report(230, 41, 50, lane=0, dir=dir), report(241, 42, 50, lane=0, dir=dir)]
    told = {(20 + back, 125, 50) for back in range(5)} | {(41, 230, 50)}
    return Case(f"accident, direction {dir}", sorted(rows, key=lambda row: row["time"]), accidents=told)


def cases() -> list[Case]:
    many = {cars: list(crowd(cars, 10)) for cars in (50, 51)}
    fast = list(crowd(51, 10, spd=40))
    enters = report(310, 7, 10, lane=0)
    goes_on = [*many[51], enters, report(340, 7, 11), balance(341, 7, 1), balance(401, 7, 2)]
    exits = [*many[51], enters, report(340, 7, 10, lane=4), balance(341, 7, 1)]
    elsewhere = [*many[51], enters, report(340, 7, 11, lane=4), balance(341, 7, 1), balance(405, 7, 2)]
    comes_back = [*goes_on[:-2], report(370, 7, 12, lane=4), report(440, 7, 30, lane=0), balance(441, 7, 1)]
    lane_change = [report(30 * n, 1, 5, spd=0, lane=1 if n < 3 else 2, pos=27_000) for n in range(6)]
    lane_change += [report(30 * n + 5, 2, 5, spd=0, lane=1 if n < 3 else 2, pos=27_000) for n in range(6)]
    after_exit = [report(400, 7, 10), report(430, 7, 11), balance(431, 7, 9)]
    return [
        Case("one car in one segment", [report(n * 30, 1, 5, pos=27_000 + n) for n in range(10)], {(1, 0): (0, 0)},
             {(1, n * 30) for n in range(1, 10)}),
        Case("51 cars at 20 mph", [*many[51], enters], {(7, 310): (20, 2)}),
        Case("50 cars at 20 mph", [*many[50], enters], {(7, 310): (20, 0)}),
        Case("51 cars at 40 mph", [*fast, enters], {(7, 310): (40, 0)}),
        Case("charged in the next segment", goes_on, {(7, 310): (20, 2)}, balances={1: 2, 2: 2}),
        Case("not charged where it leaves", exits, balances={1: 0}),
        Case("charged by the exit ramp of the next", elsewhere, silent={(7, 340)}, balances={1: 2, 2: 2}),
        _accident(0),
        _accident(1),
        Case("a lane change is a move", sorted(lane_change, key=lambda row: row["time"]), accidents=set()),
        Case("a journey after another", comes_back, {(7, 440): (0, 0)}, silent={(7, 370)}, balances={1: 2}),
        Case("reports after the exit", [*exits, *after_exit], silent={(7, 340), (7, 400), (7, 430)},
             balances={1: 0, 9: 0}),
        Case("first seen in the exit lane", [report(0, 1, 5, lane=4), report(30, 1, 6, lane=4)],
             silent={(1, 0), (1, 30)}),
    ]  # fmt: skip
