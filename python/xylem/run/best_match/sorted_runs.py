"""Columns of numbers as sorted runs in the file of spilled pages: *standard materialisation* of the thesis (4.3.4.3).

        runs    [ 1 4 9 ] [ 2 3 8 ] [ 5 6 7 ]        A window moves up over the merged runs: the rest of the old
        window            [ 4 5 6 ]─▶                one stays in memory, and the next pages of the runs add to it.

Rows that arrive in order extend the run before them and are not sorted.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from math import inf
from typing import Any

from xylem.source.kernel import number_column
from xylem.values.paged_tree import TreePages

from .bucket_file import LEAST_BYTES, columns_of

PAGES = 16
"""Number of runs: one page of each run is in memory while they are merged."""
Interval = tuple[float, float]
"""From one value to another, both included."""


class SortedRuns:
    """Rows of columns, added in any order and read by ascending intervals.

    Holds:  the rows of a run until it is written; then a page of each run, and the rows of one interval.
    """

    def __init__(
        self, pages: TreePages, intervals: Sequence[Interval], codes: str, key: int, memory_bytes: int
    ) -> None:
        """`codes` are `array` type codes, one for each column; `key` is the index of the column to sort by."""
        self._pages = pages
        self._intervals = intervals
        self._codes = codes
        self._key = key
        self._most = max(LEAST_BYTES, memory_bytes)
        self._coming = [bytearray() for _ in codes]
        self._last = -inf
        """The greatest value of the last run."""
        self._runs: list[deque[list[tuple[int, int]]]] = []
        """The places of the columns of each page, in order, for each run."""
        self._at_hand: list[list[array[Any]]] = []
        """The rows of the next page of each run that are above the window."""
        self._window = columns_of(codes, [b""] * len(codes))
        self._next = 0

    def append(self, columns: Sequence[bytes]) -> None:
        """Add rows, given as the bytes of each column."""
        for held, column in zip(self._coming, columns, strict=True):
            held += column
        if sum(map(len, self._coming)) >= self._most:
            self._write()

    def taken(self, interval: int) -> list[array[Any]]:
        """The rows of an interval, which must not precede the interval taken last."""
        assert interval >= self._next, "a window moves up"
        self._next = interval
        self._write()
        low, high = self._intervals[interval]
        gone = bisect_left(self._window[self._key], low)
        for column in self._window:
            del column[:gone]
        self._at_hand += ([array(code) for code in self._codes] for _ in self._runs[len(self._at_hand) :])
        came = columns_of(self._codes, [b""] * len(self._codes))
        for number in range(len(self._runs)):
            self._take_up_to(number, low, high, came)
        self._add(came)
        return self._window

    def __len__(self) -> int:
        """The number of intervals."""
        return len(self._intervals)

    # --- runs

    def _write(self) -> None:
        """Sort the rows collected so far, and write them as pages of a run."""
        if not self._coming[self._key]:
            return
        keys = number_column()
        keys.extend(bytes(self._coming[self._key]))
        last = keys.ascends(self._last)
        rows = columns_of(self._codes, self._coming)
        if last is None or not self._runs:
            self._runs.append(deque())
        if last is None and keys.ascends(-inf) is None:
            order = memoryview(keys.in_order()).cast("I")
            rows = [array(column.typecode, map(column.__getitem__, order)) for column in rows]
        self._last = rows[self._key][-1]
        size = max(LEAST_BYTES // (8 * len(rows)), len(rows[0]) // PAGES, 1)
        for start in range(0, len(rows[0]), size):
            self._runs[-1].append([self._pages.put(column[start : start + size].tobytes()) for column in rows])
        for held in self._coming:
            held.clear()

    # --- the window

    def _take_up_to(self, number: int, low: float, high: float, came: list[array[Any]]) -> None:
        """Move the rows of a run up to the end of the interval into the window; drop the rows below it."""
        while True:
            rows = self._at_hand[number]
            keys = rows[self._key]
            start, end = bisect_left(keys, low), bisect_right(keys, high)
            for column, values in zip(came, rows, strict=True):
                column.extend(values[start:end])
                del values[:end]
            if keys or not self._runs[number]:
                return
            places = self._runs[number].popleft()
            self._at_hand[number] = columns_of(self._codes, [self._pages.get(place) for place in places])
            for place in places:
                self._pages.give_back(place)

    def _add(self, came: list[array[Any]]) -> None:
        """Merge rows into the window; they are all above its remaining rows."""
        order = sorted(range(len(came[self._key])), key=came[self._key].__getitem__)
        for held, column in zip(self._window, came, strict=True):
            held.extend(map(column.__getitem__, order))
