"""`xylem bench xmark --stream`: the twenty queries from file to answer, over documents of growing size.

Each measurement is a process of its own, on one core, and is stopped when it has taken its CPU time; who was stopped is
not asked the same of a larger document. What counts are ratios within a run: machines differ, and this one may be busy.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import xmark
from .flux_run import BYTES_OF_SCALE_1
from .worker_process import Figures, Limit, Stopped, best_of
from .xmark_by_hand import BY_HAND as LOOPS
from .xmark_stream_worker import BY_HAND, ON_SPARK, STREAMED

REPEATED_SECONDS = 5.0
"""What has taken so much CPU time is not repeated."""
LEAST_APART = 2.0
"""Growth is computed between sizes at least this far apart: between closer ones it would be enlarged noise."""
SPREAD = (11, 12)
"""The queries that are asked of Spark, too: joins by inequality, whose time is in evaluation."""


@dataclass(frozen=True)
class Taken:
    """One query by one engine over one document: the best of the repetitions."""

    cpu_seconds: float
    wall_seconds: float
    peak_rss_bytes: int
    answer: str
    parse_cpu_seconds: float | None = None
    """How much of the time goes into the tree; None where there is none."""


@dataclass
class QueryAtSize:
    """One query over a document of one size. Who has no figures was stopped, was not asked, or has a reason."""

    number: int
    megabytes: float
    taken: dict[str, Taken] = field(default_factory=dict)
    stopped: dict[str, float] = field(default_factory=dict)
    """The seconds after which an engine was stopped."""
    skipped: list[str] = field(default_factory=list)
    """Engines that were stopped over a smaller document."""
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def agree(self) -> bool:
        """Whether all who answered gave the same answer."""
        return len({taken.answer for taken in self.taken.values()}) < 2

    def ratio(self, peer: str) -> tuple[float, float] | None:
        """How many times as long as a peer the stream takes, at least and at most; None where nobody knows."""
        ours, theirs = self._seconds(STREAMED), self._seconds(peer)
        if ours is None or theirs is None or math.inf == ours[1] == theirs[1]:
            return None
        return ours[0] / theirs[1], ours[1] / theirs[0]

    def _seconds(self, engine: str) -> tuple[float, float] | None:
        """CPU time, at least and at most: of who was stopped, only one of them is known."""
        if engine in self.taken:
            return (max(self.taken[engine].cpu_seconds, 1e-6),) * 2
        return (self.stopped[engine], math.inf) if engine in self.stopped else None

    def per_decade(self, smaller: QueryAtSize) -> tuple[float, bool] | None:
        """How many times as long ten times the input takes, by the growth from a smaller document.

        Whether it is more than that, since the stream was stopped, comes with it.
        """
        before, now = smaller._seconds(STREAMED), self._seconds(STREAMED)
        if before is None or now is None or before[1] == math.inf:
            return None
        if self.megabytes < LEAST_APART * smaller.megabytes:
            return None
        exponent = math.log(now[0] / before[0]) / math.log(self.megabytes / smaller.megabytes)
        return 10.0**exponent, now[1] == math.inf


@dataclass
class StreamTimes:
    """A whole run."""

    limit_seconds: float
    others: float
    """How many processes of others wanted a core when the run began (the load average)."""
    rows: list[QueryAtSize] = field(default_factory=list)
    """By size, then by query."""

    def of_query(self, number: int) -> list[QueryAtSize]:
        """The sizes of one query, smallest first."""
        return [row for row in self.rows if row.number == number]

    def with_smaller(self) -> Iterator[tuple[QueryAtSize, QueryAtSize | None]]:
        """By query, then by size: each row with that of the next smaller document."""
        for number in dict.fromkeys(row.number for row in self.rows):
            rows = self.of_query(number)
            yield from zip(rows, [None, *rows], strict=False)


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    sizes: Sequence[float]
    """In megabytes, smallest first."""
    numbers: Sequence[int]
    engines: Sequence[str]
    master: str | None = None
    """The Spark on which some queries run, too."""
    repetitions: int = 3
    limit_seconds: float = 120.0
    seed: int = 0


def run(folder: Path, plan: Plan, progress: Callable[[str], None] = lambda step: None) -> StreamTimes:
    """Every query by every engine over documents of every size."""
    times = StreamTimes(plan.limit_seconds, os.getloadavg()[0])
    for megabytes in plan.sizes:
        progress(f"{megabytes:g} MB of auctions")
        document = folder / "auction.xml"
        size = xmark.write(document, megabytes * 1_000_000 / BYTES_OF_SCALE_1, plan.seed)
        for number in plan.numbers:
            row = QueryAtSize(number, size / 1_000_000)
            for engine in _asked(number, plan):
                progress(f"Q{number}, {megabytes:g} MB, {engine}")
                if any(engine in earlier.stopped or engine in earlier.skipped for earlier in times.of_query(number)):
                    row.skipped.append(engine)
                else:
                    _enter(row, engine, _measured(engine, number, document, plan))
            times.rows.append(row)
        document.unlink()
    return times


def _asked(number: int, plan: Plan) -> list[str]:
    by_some = {BY_HAND: tuple(LOOPS)}
    asked = [engine for engine in plan.engines if number in by_some.get(engine, (number,))]
    return [*asked, ON_SPARK] if plan.master is not None and number in SPREAD else asked


def _measured(engine: str, number: int, document: Path, plan: Plan) -> Figures | Stopped | str:
    master = [plan.master] if engine == ON_SPARK and plan.master is not None else []
    return best_of(
        1 if master else plan.repetitions,
        "xmark_stream_worker",
        [engine, str(number), str(document), *master],
        # Of one process what it works; Spark is several, which have to be waited for.
        Limit(plan.limit_seconds, "elapsed" if master else "cpu"),
        REPEATED_SECONDS,
    )


def _enter(row: QueryAtSize, engine: str, found: Figures | Stopped | str) -> None:
    if isinstance(found, Stopped):
        row.stopped[engine] = found.seconds
    elif isinstance(found, str):
        row.reasons[engine] = found
    else:
        row.taken[engine] = Taken(
            found["cpu_seconds"],
            found["seconds"],
            found["peak_rss_bytes"],
            found["answer"],
            found.get("parse_cpu_seconds"),
        )
