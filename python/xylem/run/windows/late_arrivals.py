"""Event time over several tasks: each task orders its own items by one common clock.

How late an item is depends on all items before it, in any task. So every task receives, with a batch, the latest time
before each range of it; within a range, items carry the latest time before them. The tasks release what a single task
with all items would release, in the same order: by time, then by arrival.
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from xylem.functions.event_order import Late

Order = bytes
_OFFSET = 1 << 127


class TimedItem(NamedTuple):
    """An item as it arrived."""

    time: int
    order: Order
    """Its place in the stream."""
    before: int | None
    """The latest time before it in its range."""
    data: bytes


class LateItem(NamedTuple):
    """An item that came too late."""

    data: bytes
    behind: int
    """How far it was behind the latest time."""


class Clock(NamedTuple):
    """The event time of a batch."""

    before: Mapping[int, int | None]
    """By range, the latest time of all earlier items."""
    latest: int | None
    """The latest time of all items so far."""


def time_order(time: int, order: Order) -> Order:
    """Bytes that compare like time, then arrival."""
    return (time + _OFFSET).to_bytes(16) + order


@dataclass
class WaitingItems:
    """The waiting items of one place.

    Holds:  those within the bound of the latest time.
    """

    waiting: list[tuple[int, Order, bytes]] = field(default_factory=list)
    size: int = 0

    def __len__(self) -> int:
        return len(self.waiting)

    def take(
        self, items: Iterable[tuple[int, TimedItem]], clock: Clock, bound: int, policy: Late
    ) -> list[LateItem]:
        """Add items with their range numbers, in any order; return those that are late."""
        late = []
        for number, item in items:
            latest = _latest(clock.before.get(number), item.before)
            if latest is not None and item.time < latest - bound:
                late.append(LateItem(item.data, latest - item.time))
                if policy is Late.STOP:
                    break
                continue
            heapq.heappush(self.waiting, (item.time, item.order, item.data))
            self.size += len(item.data) + len(item.order)
        return late

    def released(self, watermark: int | None) -> Iterator[tuple[Order, bytes]]:
        """The items up to the watermark, or all of them, in order."""
        while self.waiting and (watermark is None or self.waiting[0][0] <= watermark):
            time, order, data = heapq.heappop(self.waiting)
            self.size -= len(data) + len(order)
            yield time_order(time, order), data


def clock(latest: int | None, ranges: Mapping[int, int]) -> Clock:
    """The clock of a batch, from the latest time before it and the latest time of each of its ranges."""
    before: dict[int, int | None] = {}
    for number in sorted(ranges):
        before[number] = latest
        latest = _latest(latest, ranges[number])
    return Clock(before, latest)


def _latest(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def stream_order(batch: int, number: int, ordinal: int) -> Order:
    """The place of an item in a stream."""
    return struct.pack(">QQQ", batch, number, ordinal)
