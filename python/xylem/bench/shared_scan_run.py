"""What subscriptions of one stream cost together: boxes of the sky that divide the Vela region among them.

However many there are, all photons of the region are written once, so that only the number of subscriptions differs.
The subscriptions have begun before the time is taken, as those of a stream that runs have; the time of registration,
from text to member, is told apart.
"""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from xylem.network.member import Member, SubscribedQueries
from xylem.network.record_log import RecordLog
from xylem.network.record_splitter import RecordSplitter
from xylem.network.shared_evaluator import SharedEvaluator

from .network_run import VELA, document

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class SharedScan:
    """The cost of some subscriptions over one stream."""

    subscriptions: int
    scan_ms: float
    """CPU to answer all of them."""
    ratio: float
    """The time of Vela alone, beside it."""
    registration_p50_ms: float
    registration_p99_ms: float
    kilobytes_each: float
    """Memory that a subscription takes while nothing comes."""


def boxes(number: int) -> Iterator[str]:
    """Queries for boxes that divide the Vela region."""
    columns = next(size for size in range(math.isqrt(number), 0, -1) if number % size == 0)
    rows = number // columns
    for column in range(columns):
        for row in range(rows):
            left, right = (120 + 18 * (column + by) / columns for by in (0, 1))
            low, high = (-49 + 9 * (row + by) / rows for by in (0, 1))
            above = ">=" if column else ">"
            over = ">=" if row else ">"
            yield (
                f"<photons>{{ for $p in /photons/photon where $p/ra {above} {left!r} and $p/ra < {right!r} "
                f"and $p/dec {over} {low!r} and $p/dec < {high!r} "
                "return <vela>{ $p/ra, $p/dec, $p/phc, $p/en, $p/det_time }</vela> }</photons>"
            )


def shared_scans(records: int, seed: int, numbers: list[int]) -> list[SharedScan]:
    """The cost for some numbers of subscriptions, each beside Vela alone in the same minute."""
    with TemporaryDirectory() as directory:
        log = RecordLog(Path(directory))
        splitter = RecordSplitter()
        data, _ = splitter.feed(document(records, seed))
        log.begin(splitter.opening)
        for first in range(0, len(data), 2000):
            log.append(data[first : first + 2000])
        del data
        found = [_measured(log, number) for number in numbers]
        log.close()
    return found


def _measured(log: RecordLog, number: int) -> SharedScan:
    queries = SubscribedQueries()
    written: list[int] = []
    evaluator = _evaluator(log)
    gc.collect()
    before = _resident_bytes()
    times = []
    for at, text in enumerate(boxes(number)):
        started = time.process_time()
        evaluator.join(Member(f"box{at}", queries.compiled(text, "box"), 0, lambda data: written.append(len(data))))
        times.append((time.process_time() - started) * 1000)
    evaluator.advance(1)
    gc.collect()
    held = (_resident_bytes() - before) / number / 1000
    spent = _scanned_ms(evaluator, log)
    alone = _evaluator(log)
    alone.join(Member("vela", queries.compiled(VELA, "vela"), 0, lambda data: written.append(len(data))))
    alone.advance(1)
    ratio = _scanned_ms(alone, log) / spent
    times.sort()
    middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    return SharedScan(number, spent, ratio, middle, late, held)


def _evaluator(log: RecordLog) -> SharedEvaluator:
    def failed(member: Member, error: Exception) -> None:
        raise error

    return SharedEvaluator(log, 0, failed)


def _scanned_ms(evaluator: SharedEvaluator, log: RecordLog) -> float:
    started = time.process_time()
    while evaluator.position < log.end:
        evaluator.advance(log.end)
    return (time.process_time() - started) * 1000


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
