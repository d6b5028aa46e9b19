"""Several update streams as one: their operations in the order of their times, ties in the order of the streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from heapq import heapify, heappop, heapreplace
from typing import TypeVar

from xylem.source.update_stream.operations import Operation

F = TypeVar("F")


def merged(streams: Sequence[tuple[F, Iterable[Operation]]]) -> Iterator[tuple[F, Operation]]:
    """The operations of all streams, each with what its stream goes by.

    What has no time of its own comes right after what stands before it in its stream. One operation of each stream is
    read ahead.
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
