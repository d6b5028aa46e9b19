"""Sliding windows of a fixed number of items, one starting at each item: a dedicated loop for the commonest case.

    for sliding window $w in E start at $i when true() end at $j when $j - $i eq 9 …

An item always ends the window that started `distance` items before it. Windows come in the order of their first items,
which is also that of their last ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from xylem.values.saved_state import saved

from .aggregates import Aggregates
from .cursor import CURSOR_FIELDS, Window
from .feed import PAUSE
from .sliding import SlidingCursor


@saved(
    "counted-sliding",
    1,
    fields=(*CURSOR_FIELDS, "_open", "_over", "_unindexed_over", "_last"),
    parts=("aggregates", "index", "buffer"),
)
class CountedSlidingCursor(SlidingCursor):
    """Like `SlidingCursor`, for an end at position start + `distance`; pushed items take the usual path.

    Holds:  the last `distance` items if windows or their starts are read; else only the values of aggregates.
    """

    def __init__(self, *arguments: Any, distance: int, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._distance = distance
        self._held = 0

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        if self._looks_ahead or (self._longest is not None and self._longest <= self._distance):
            return super().over(items)
        return self._counted(items)

    def _counted(self, items: Iterable[Any]) -> Iterator[Window]:
        distance, aggregates = self._distance, self.aggregates
        start_current, _, start_previous, _ = self.needs.start
        end_current, _, end_previous, _ = self.needs.end
        keeps_items = self.buffer is not None
        keeps = keeps_items or start_current or start_previous
        # The items of the open windows, and the one before the first of them.
        kept: deque[Any] = deque()
        before: Any = None
        previous: Any = None
        prior: Any = None
        results: tuple[Any, ...] = ()
        position = total = 0
        # Integers are added on entry and subtracted on exit, since integer sums are always exact.
        summed: deque[int] | None = deque() if aggregates is not None and aggregates.is_sum_of_items else None
        for item in items:
            if item is PAUSE:
                self._held = len(kept)
                yield PAUSE
                continue
            position += 1
            if keeps:
                kept.append(item)
            start = position - distance
            if summed is not None and type(item) is int:
                summed.append(item)
                total += item
                if start > 0:
                    results = (total,)
                    total -= summed.popleft()
            elif aggregates is not None:
                if summed is not None:
                    _take_over(aggregates, summed, position)
                    summed = None
                aggregates.add(item, position)
                if start > 0:
                    results = aggregates.results(start, None)
                    aggregates.forget(start + 1)
            if start > 0:
                first = kept.popleft() if keeps else None
                yield (
                    [first, *kept] if keeps_items else [],
                    first if start_current else None,
                    start,
                    before if start_previous else None,
                    None,
                    item if end_current else None,
                    position,
                    previous if end_previous else None,
                    None,
                    *results,
                )
                before = first
            prior, previous = previous, item
        self._held = 0
        if self._force or not position:
            return
        ending = (previous if end_current else None, position, prior if end_previous else None, None)
        left = min(distance, position)
        if aggregates is not None and summed is not None:
            _take_over(aggregates, summed, position + 1)
        for start in range(position - left + 1, position + 1):
            window = list(kept) if keeps_items else []
            first = kept.popleft() if keeps else None
            if aggregates is not None:
                results = aggregates.results(start, None)
            yield (
                window,
                first if start_current else None,
                start,
                before if start_previous else None,
                None,
                *ending,
                *results,
            )
            before = first

    def held_count(self) -> int:
        return self._held or super().held_count()


def _take_over(aggregates: Aggregates, values: deque[int], following: int) -> None:
    """Pass the values before the item at this position to the aggregates."""
    first = following - len(values)
    aggregates.clear(first)
    for position, value in enumerate(values, first):
        aggregates.add(value, position)
