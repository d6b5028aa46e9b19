"""E2 and E3: subscriptions of several kinds on a grid of super-peers, with their overlap varied.

Two streams of photons come in at opposite corners. Subscriptions are boxes of the sky, some with fewer paths, with
averages over windows, with a bound on these, and cones in a box (`network_draw.py`). Plans are those of the optimiser;
their bytes are those that the engine writes for each filter and each result, in one scan for all; nothing is sent.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from xylem.errors import InputError
from xylem.network.filter_stream import plain_filter_query
from xylem.network.member import Member, SubscribedQueries
from xylem.network.planner import Asked, Planner
from xylem.network.properties import properties_of
from xylem.network.record_log import RecordLog
from xylem.network.record_splitter import RecordSplitter
from xylem.network.shared_evaluator import SharedEvaluator
from xylem.network.site_names import SOURCE
from xylem.network.stream_statistics import Measured, StreamStatistics
from xylem.network.topology import Topology
from xylem.network.widening import widened_query
from xylem.network.wider_streams import widen_streams
from xylem.schema import load_schema
from xylem.syntax import parse

from .network_draw import RECORD, STREAMS, Wanted, common_share, subscriptions
from .network_least import ShortestTrees
from .network_run import DTD, SECONDS_PER_RECORD, Strategy, document, first_part

MOST_SEARCHED = 16
"""In networks of so many super-peers the least that any plan could send is looked for."""
_WIDE = "wide-"
"""How the names of wider streams begin."""


@dataclass
class GridResult:
    title: str
    subscriptions: int
    overlap: float
    raw_bytes: int
    common: float = 0.0
    """The share of a subscription's photons that another one asks for, on average."""
    strategies: list[Strategy] = field(default_factory=list)
    shared: int = 0
    """How many use the stream of another, by the last strategy."""
    least_backbone: int = 0
    """What any plan must send over the backbone; 0 where that was not computed."""
    registration_ms: list[float] = field(default_factory=list)


def grid(side: int) -> tuple[dict[str, str], list[list[str]]]:
    """Super-peers in rows and columns, each joined to those beside it, and a thin-peer for each stream."""
    name = "S{:02}{:02}".format
    peers = {name(row, column): "super" for row in range(side) for column in range(side)}
    links = [[name(r, c), name(r, c + 1)] for r in range(side) for c in range(side - 1)]
    links += [[name(r, c), name(r + 1, c)] for r in range(side - 1) for c in range(side)]
    links += [["north", name(0, 0)], ["south", name(side - 1, side - 1)]]
    return peers | dict.fromkeys(STREAMS, "thin"), links


_QUERIES = SubscribedQueries()
"""Queries that differ in constants only are compiled once."""


def written_bytes(texts: Iterable[str], data: bytes) -> tuple[list[int], float]:
    """How much each of many queries writes over a document, in one scan; and the CPU of all."""
    sizes: list[int] = []

    def failed(member: Member, error: Exception) -> None:
        raise error

    with TemporaryDirectory() as directory:
        log = RecordLog(Path(directory))
        splitter = RecordSplitter()
        records, _ = splitter.feed(data)
        log.begin(splitter.opening)
        log.append(records)
        evaluator = SharedEvaluator(log, 0, failed)
        for number, text in enumerate(texts):
            sizes.append(0)
            evaluator.join(Member(f"q{number}", _QUERIES.compiled(text, "query"), 0, _counter(sizes, number)))
        started = time.process_time()
        while evaluator.position < log.end:
            evaluator.advance(log.end)
        for name in evaluator.names():
            evaluator.leave(name)
        spent = time.process_time() - started
        log.close()
    return sizes, spent


def _counter(sizes: list[int], number: int) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        sizes[number] += len(data)

    return write


def _statistics(wanted: list[Wanted], data: bytes, scale: float = 1.0) -> dict[str, StreamStatistics]:
    filters = [plain_filter_query(one.properties) or one.text for one in wanted]
    results, of_results = written_bytes([one.text for one in wanted], data)
    left, of_filters = written_bytes(filters, data)
    times = [spent * scale / len(wanted) for spent in (of_filters, of_results)]
    return {
        one.name: StreamStatistics(Measured(int(kept * scale), times[0]), Measured(int(made * scale), times[1]))
        for one, kept, made in zip(wanted, left, results, strict=True)
    }


class _Registering:
    """The planners of both streams with one strategy."""

    def __init__(self, topology: Topology, size: int, seconds: float, sample: bytes, options: dict[str, bool]) -> None:
        self.widens = options.pop("widens", False)
        self._adapts = options.get("shares", True)
        self.planners = {name: Planner(topology, name, size, seconds, None, **options) for name in STREAMS}
        self.refused = 0
        self.times: list[float] = []
        self._sample = sample
        self._scale = size / max(1, len(sample))

    def register(self, wanted: Wanted, statistics: StreamStatistics) -> None:
        planner = self.planners[wanted.stream]
        asked = Asked(wanted.name, wanted.peer, wanted.properties, statistics)
        before = dict(planner.placed)
        started = time.process_time()
        try:
            planner.admit(asked, list(planner.placed) if self._adapts else ())
            if self.widens:
                widen_streams(planner, asked, before, self._wide, lambda name: not name.startswith(_WIDE))
        except InputError:
            self.refused += 1
        self.times.append((time.process_time() - started) * 1000)

    def _of_wide_streams(self, data: bytes) -> dict[str, StreamStatistics]:
        """What the wider streams of the plans take, over the whole stream."""
        placed = [one.asked for planner in self.planners.values() for one in planner.placed.values()]
        wide = [one for one in placed if one.name.startswith(_WIDE)]
        if not wide:
            return {}
        texts = [plain_filter_query(one.properties) or one.query for one in wide if one.properties is not None]
        sizes, spent = written_bytes(texts, data)
        return {
            one.name: StreamStatistics(Measured(size, spent / len(wide)), Measured(0, 0.0))
            for one, size in zip(wide, sizes, strict=True)
        }

    def _wide(self, one: Asked, other: Asked) -> Asked | None:
        """A stream that serves two subscriptions."""
        if one.properties is None or other.properties is None or one.properties.windowed:
            return None
        text = widened_query(one.properties, other.properties)
        if text is None:
            return None
        properties = properties_of(parse(text), load_schema(DTD))
        query = plain_filter_query(properties) or text
        (size,), spent = written_bytes([query], self._sample)
        statistics = StreamStatistics(Measured(int(size * self._scale), spent * self._scale), Measured(0, 0.0))
        name = f"{_WIDE}{one.name.removeprefix(_WIDE)}-{other.name}"
        return Asked(name, one.peer, properties, statistics, query=text)

    def strategy(self, name: str, given: dict[str, StreamStatistics], data: bytes) -> Strategy:
        whole = given | self._of_wide_streams(data)
        predicted = sum(planner.load().total_bytes for planner in self.planners.values())
        total, most, backbone = 0.0, 0.0, 0.0
        seconds: dict[str, float] = {}
        links: dict[tuple[str, str], float] = {}
        for planner in self.planners.values():
            kept = planner.placed
            # The same plans, with the bytes that the whole stream gave.
            planner.placed = {
                key: replace(one, asked=replace(one.asked, statistics=whole.get(key, one.asked.statistics)))
                for key, one in kept.items()
            }
            load = planner.load()
            planner.placed = kept
            for link, size in load.bytes.items():
                links[link] = links.get(link, 0.0) + size
            for peer, work in load.seconds.items():
                seconds[peer] = seconds.get(peer, 0.0) + work
            able = planner.topology.can_execute
            backbone += sum(size for (a, b), size in load.bytes.items() if able(a) and able(b))
        total, most = sum(links.values()), max(links.values(), default=0.0)
        cpu = (sum(seconds.values()), max(seconds.values(), default=0.0))
        return Strategy(name, int(total), int(predicted), int(most), int(backbone), self.refused, *cpu)


def least_backbone(topology: Topology, supers: list[str], wanted: list[Wanted], data: bytes) -> int:
    """What any plan must send between super-peers for subscriptions that ask for records."""
    trees = ShortestTrees(topology, supers)
    asked = [one for one in wanted if one.properties.windowed is None]
    total = 0
    for stream in STREAMS:
        (start,) = (name for pair in topology.links if stream in pair for name in pair if name != stream)
        of_stream = [one for one in asked if one.stream == stream]
        for record in RECORD.finditer(data):
            at, dec = float(record["ra"]), float(record["dec"])
            peers = {one.peer for one in of_stream if one.takes(at, dec)}
            if peers:
                kept = sum(len(value) + 2 * len(name) + 5 for name, value in _VALUE.findall(record[0]))
                total += (kept + len("<hit></hit>")) * trees.links(start, frozenset(peers))
    return total


_VALUE = re.compile(rb"<(ra|dec|en|det_time)>([^<]*)<")
"""The paths that all subscriptions for records ask for."""


OPTIONS: dict[str, dict[str, bool]] = {
    "query shipping": {"shares": False, "transform_near_source": True},
    "sharing, one after another": {},
    "sharing, streams become wider": {"widens": True},
}


def grid_run(
    side: int,
    records: int,
    seed: int,
    number: int,
    overlap: float,
    *,
    widens: bool = True,
    bandwidth: float = 125e6,
    regions: int = 1,
) -> GridResult:
    """One share of overlap: all strategies."""
    draw = random.Random(f"{seed} {overlap} {side}")
    peers, links = grid(side)
    topology = Topology.from_dict({"peers": peers, "links": [[*one, bandwidth] for one in links]})
    supers = [name for name, kind in peers.items() if kind == "super"]
    data = document(records, seed)
    sample = first_part(data, 0.25)
    wanted = subscriptions(supers, number, overlap, draw, regions)
    whole = _statistics(wanted, data)
    guessed = _statistics(wanted, sample, len(data) / len(sample))
    seconds = records * SECONDS_PER_RECORD
    kind = "E2" if side == 4 else "E3"
    result = GridResult(f"{kind}: {side * side:,} super-peers, overlap {overlap:.0%}", number, overlap, 2 * len(data))
    result.common = common_share(wanted, data)
    if len(supers) <= MOST_SEARCHED:
        result.least_backbone = least_backbone(topology, supers, wanted, data)
    shipped = sum(len(topology.route(one.stream, one.peer)) - 1 for one in wanted) * len(data)
    result.strategies.append(Strategy("data shipping", shipped, shipped))
    for name, options in OPTIONS.items():
        if options.get("widens") and not widens:
            continue
        run = _Registering(topology, len(data), seconds, sample, dict(options))
        for one in wanted:
            run.register(one, guessed[one.name])
        result.strategies.append(run.strategy(name, whole, data))
        if not options:
            result.registration_ms = run.times
        placed = [one for planner in run.planners.values() for one in planner.placed.values()]
        result.shared = sum(one.uses != SOURCE for one in placed)
    return result
