"""Several update streams as one: their operations in the order of their times, ties in the order of the streams.

`merged` pulls operations from the streams; operations are pushed into `Waiting`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from heapq import heapify, heappop, heapreplace
from typing import TypeVar

from xylem.source.update_stream.operations import Operation

F = TypeVar("F")


def merged(streams: Sequence[tuple[F, Iterable[Operation]]]) -> Iterator[tuple[F, Operation]]:
    """The operations of all streams, each with the key of its stream.

    An operation without a time follows its predecessor in its stream. One operation of each stream is read ahead.
    """
    if len(streams) == 1:
        (feed, operations) = streams[0]
        for operation in operations:
            yield feed, operation
        return
    waiting: list[tuple[Decimal, int, Operation, Iterator[Operation], F]] = []
    for number, (feed, operations) in enumerate(streams):
        rest = iter(operations)
        first = next(rest, None)
        if first is not None:
            waiting.append((first.time or Decimal(0), number, first, rest, feed))
    heapify(waiting)
    while waiting:
        time, number, operation, rest, feed = waiting[0]
        yield feed, operation
        following = next(rest, None)
        if following is None:
            heappop(waiting)
        else:
            later = time if following.time is None else following.time
            heapreplace(waiting, (later, number, following, rest, feed))


class Waiting:
    """Operations that wait until no other stream can deliver an earlier one.

    Holds:  operations later than the last operation of the slowest stream.
    """

    def __init__(self, streams: int) -> None:
        self.operations: list[deque[Operation]] = [deque() for _ in range(streams)]
        self.times = [Decimal(0)] * streams
        """The time of the latest operation read from each stream."""

    def next(self, *, is_end: bool = False) -> tuple[int, Operation] | None:
        """The next operation, and the number of its stream. `is_end`: no stream sends any more."""
        found: tuple[Decimal, int] | None = None
        for number, waiting in enumerate(self.operations):
            if not waiting:
                if is_end:
                    continue
                return None
            time = waiting[0].time
            head = (self.times[number] if time is None else time), number
            if found is None or head < found:
                found = head
        if found is None:
            return None
        self.times[found[1]] = max(found[0], self.times[found[1]])
        return found[1], self.operations[found[1]].popleft()
