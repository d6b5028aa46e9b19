"""What a subscriber that reads nothing, and one whose query fails, cost the others: a stream with and without them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from xylem.network.site import Site
from xylem.network.site_limits import SiteLimits

from .network_run import document
from .shared_scan_run import boxes

UNREAD_BYTES = 1 << 16
STALLED = "/photons/photon[ra > 100]"
FAILING = "for $p in /photons/photon return <x>{ xs:integer($p/en * 0 + $p/ra) idiv xs:integer($p/dec < 0) }</x>"
ROUNDS = 5
FIRST_PIECES = 2


@dataclass
class Isolation:
    """CPU of one stream for the others alone, and beside the two."""

    subscriptions: int
    alone_ms: float
    beside_ms: float
    alone_later_ms: float
    """Without the first pieces of the stream, in which the two are found out and left."""
    beside_later_ms: float
    states: dict[str, str]
    is_same: bool
    """Whether the others have the very same answers."""


def isolation(records: int, seed: int, number: int) -> Isolation:
    """The least of several rounds for each piece of the stream, with and without in turns."""
    data = document(records, seed)
    alone: list[list[float]] = []
    beside: list[list[float]] = []
    states: dict[str, str] = {}
    answers: list[list[int]] = [[], []]
    for _ in range(ROUNDS):
        times, _, answers[0] = _run(data, number, others={})
        alone.append(times)
        times, states, answers[1] = _run(data, number, others={"stalled": STALLED, "failing": FAILING})
        beside.append(times)
    least = [[min(one) for one in zip(*each, strict=True)] for each in (alone, beside)]
    first, second = (sum(each[FIRST_PIECES:]) for each in least)
    return Isolation(number, sum(least[0]), sum(least[1]), first, second, states, answers[0] == answers[1])


def _run(data: bytes, number: int, others: dict[str, str]) -> tuple[list[float], dict[str, str], list[int]]:
    with TemporaryDirectory() as directory:
        site = Site(Path(directory), limits=SiteLimits(number + 2, UNREAD_BYTES))
        stream = site.publication("photons")
        pieces = _pieces(data)
        stream.feed(next(pieces))
        names = [f"box{at}" for at in range(number)]
        for name, text in zip(names, boxes(number), strict=True):
            site.subscribe(name, text, "photons", "earliest")
        for name, text in others.items():
            site.subscribe(name, text, "photons", "earliest")
        times: list[float] = []
        read = dict.fromkeys(names, 0)
        for piece in pieces:
            stream.feed(piece)
            started = time.process_time()
            site.work_all()
            times.append((time.process_time() - started) * 1000)
            for name in names:
                # The others read what there is.
                read[name] += len(site.answer(site.subscription(name), read[name])[0])
        states = {name: str(site.subscription(name).state) for name in others}
        site.close()
    return times, states, list(read.values())


def _pieces(data: bytes, size: int = 1 << 19) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]
