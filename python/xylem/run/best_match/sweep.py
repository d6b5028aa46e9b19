"""Sweep over two sides that arrive in the order of a value, keeping only windows of them (thesis, 4.3.2: MatWin).

        first   ──────[ rows that wait ]───▶        A row of the first loop is complete when every row that the
        second  ────[──── window ────]─────▶        other side can still bring is too far from it.

For each pair that takes part, the difference of the two values lies between two bounds. Rounding keeps the order of
values; so once a difference is beyond a bound, the differences of later rows are too, and the sweep loses no pair. If
the query also asks for partners of the *second* loop's rows, rows of the first loop stay until those are complete.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf, isnan
from typing import Any

from .disorder import Progress
from .moving_window import Sweep, SweptValue, is_time
from .side_rows import SideRows

SMALL_ROWS = 1024
"""Smaller blocks are merged with their neighbours; larger ones are dropped as a whole."""
Joined = Callable[[SideRows, SideRows, int, int], Iterator[Any]]
"""The tuples of rows of the first and second loop, for a half-open range of row numbers of the first."""


class _Block:
    """Neighbouring rows of one side."""

    def __init__(self, rows: SideRows, keys: Sequence[float], numbers: Sequence[int]) -> None:
        self.rows = rows
        self.keys = keys
        self.numbers = numbers
        """The item numbers of the rows, in order of arrival."""
        known = [key for key in keys if not isnan(key)]
        self.least = min(known, default=inf)
        self.most = max(known, default=-inf)
        self.looked_over = 0
        """How often rows out of reach could have been dropped since the last check."""

    def part(self, kept: Sequence[int]) -> _Block:
        """Some of the rows."""
        return _Block(self.rows.part(kept), _picked(self.keys, kept, "d"), _picked(self.numbers, kept, "q"))


class SweptSide:
    """One side of a sweep.

    Holds:  the rows that the other side can still reach.
    """

    def __init__(
        self,
        batches: Iterable[SideRows],
        value: SweptValue,
        progress: Progress,
        timezone: int,
        mark: SweptValue | None = None,
        seen: Callable[[SideRows], None] = lambda rows: None,
        *,
        goes_on: bool = False,
    ) -> None:
        """`seen` is called with arriving rows; with `goes_on`, more rows may follow the last batch."""
        self._batches = iter(batches)
        self._seen = seen
        self._value = value
        self._timezone = timezone
        self._mark = mark
        self._goes_on = goes_on
        self.progress = progress
        self.has_all = False
        """Whether all batches have been read."""
        self.infinities: set[float] = set()
        """The infinite values seen."""
        self.blocks: list[_Block] = []

    def pull(self) -> None:
        """Read the next rows, or the end."""
        rows = next(self._batches, None)
        if rows is None:
            self.has_all = True
            if not self._goes_on:
                self.progress.end()
            return
        if not len(rows):
            return
        self._seen(rows)
        numbers: Sequence[int] = range(rows.first_item, rows.first_item + len(rows))
        keys = self._value.keys(rows, self._timezone)
        if any(map(isnan, keys)):
            self.infinities |= self._value.infinities(rows, self._timezone)
        marks = None if self._mark is None else self._mark.keys(rows, self._timezone)
        self.progress.scale = 1e6 if is_time(rows, self._value) else 1.0
        kept = self.progress.take(keys, marks, rows.rows)
        if kept is not None:
            rows, keys, numbers = rows.part(kept), _picked(keys, kept, "d"), _picked(numbers, kept, "q")
        if len(rows):
            self.blocks.append(_Block(rows, keys, numbers))

    def hold(self, rows: SideRows, numbers: Sequence[int]) -> None:
        """Take over rows that another run of the sweep held."""
        self.blocks.append(_Block(rows, self._value.keys(rows, self._timezone), numbers))

    def __len__(self) -> int:
        return sum(len(block.keys) for block in self.blocks)

    def together(self) -> SideRows:
        """All rows as one block; small neighbours of similar size are merged, so that few blocks are left to merge."""
        start, size = len(self.blocks), 0
        while start and len(self.blocks[start - 1].keys) <= max(2 * size, 1) and size < SMALL_ROWS:
            start -= 1
            size += len(self.blocks[start].keys)
        merged = self.blocks[start:]
        if len(merged) > 1:
            keys = array("d", (key for block in merged for key in block.keys))
            numbers = array("q", (number for block in merged for number in block.numbers))
            self.blocks[start:] = [_Block(SideRows.together([block.rows for block in merged]), keys, numbers)]
        return SideRows.together([block.rows for block in self.blocks])

    def forget(self, is_beyond: Callable[[float], bool]) -> None:
        """Drop rows out of reach if they make up half of a block or more."""
        self.blocks = [block for block in self.blocks if not is_beyond(block.most)]
        for place, block in enumerate(self.blocks):
            block.looked_over += 1
            if 2 * block.looked_over >= len(block.keys) and block.least < inf and is_beyond(block.least):
                block.looked_over = 0
                kept = [number for number, key in enumerate(block.keys) if not is_beyond(key)]
                if 2 * len(kept) <= len(block.keys):
                    self.blocks[place] = block.part(kept)

    def keep(self, is_kept: Callable[[int, float], bool]) -> int:
        """Drop all rows but these, given by number and value; return how many are left."""
        start = dropped = 0
        blocks = []
        for block in self.blocks:
            kept = [number for number, key in enumerate(block.keys) if is_kept(start + number, key)]
            start += len(block.keys)
            dropped += len(block.keys) - len(kept)
            if kept:
                blocks.append(block if len(kept) == len(block.keys) else block.part(kept))
        self.blocks = blocks
        return dropped


def _picked(values: Sequence[Any], places: Sequence[int], code: str) -> array[Any]:
    return array(code, (values[place] for place in places))


class Sweeping:
    """One sweep.

    Holds:  waiting rows of the first side, and rows of the second side that waiting or later rows can be paired with;
            with `keeps_first`, also rows of the first side that those can be paired with.

    Order:  the order of the first loop, then that of the second.
    End:    waiting rows are complete when both sides have ended.
    """

    def __init__(
        self, sweep: Sweep, sides: tuple[SweptSide, SweptSide], joined: Joined, *, keeps_first: bool, given: int = 0
    ) -> None:
        self._sweep = sweep
        self._first, self._second = sides
        self._joined = joined
        self._keeps_first = keeps_first
        self._given = given
        """Number of held rows of the first side whose results are already out."""
        self._ready = 0
        """Number of rows after them that are ready for results."""

    def tuples(self, least_rows: int = 1) -> Iterator[Any]:
        """The tuples of the join; the first side waits until enough rows are ready, or its input has ended."""
        first, second = self._first, self._second
        # As many as stay in the window, so that each look at the whole window pays.
        wanted = least_rows
        while not (first.has_all and second.has_all):
            self._behind().pull()
            self._sweep.check_infinities(first.infinities, second.infinities)
            self._find_ready()
            if self._ready and (self._ready >= wanted or (first.has_all and second.has_all)):
                yield from self._results()
                self._forget(is_whole=True)
                wanted = least_rows if least_rows == 1 else max(least_rows, len(second))
            else:
                self._forget(is_whole=False)

    @property
    def given(self) -> int:
        """Number of held rows of the first side whose results are already out."""
        return self._given

    # --- which side is behind

    def _behind(self) -> SweptSide:
        """The side that must advance for the first waiting row."""
        first, second = self._first, self._second
        head = next(self._keys_from(self._given + self._ready), None)
        wanted = first if head is None or self._is_past(head) else second
        other = second if wanted is first else first
        return other if wanted.has_all else wanted

    # --- which rows are ready

    def _find_ready(self) -> None:
        """Count the rows of the first side, from the first waiting one, whose partners have all arrived."""
        place = self._given + self._ready
        second_keys: list[float] | None = None
        for key in self._keys_from(place):
            if not self._is_past(key):
                return
            if self._keeps_first and not isnan(key) and not self._first.progress.has_ended:
                if second_keys is None:
                    second_keys = sorted(key for block in self._second.blocks for key in block.keys if not isnan(key))
                partner = self._last_partner(key, second_keys)
                if partner is not None and not self._sweep.is_above(self._first.progress.reached, partner):
                    return
            self._ready += 1

    def _keys_from(self, place: int) -> Iterator[float]:
        for block in self._first.blocks:
            if place < len(block.keys):
                yield from block.keys[place:] if place else block.keys
                place = 0
            else:
                place -= len(block.keys)

    def _is_past(self, key: float) -> bool:
        """Whether no further partner of a value can arrive."""
        second = self._second.progress
        return isnan(key) or second.has_ended or self._sweep.is_below(key, second.reached)

    def _last_partner(self, key: float, second_keys: Sequence[float]) -> float | None:
        if not second_keys:
            return None
        slack = self._sweep.slack(key, max(-second_keys[0], second_keys[-1]))
        place = bisect_right(second_keys, slack - self._sweep.least, key=lambda other: other - key)
        return second_keys[place - 1] if place else None

    # --- results

    def _results(self) -> Iterator[Any]:
        first, given, ready = self._first, self._given, self._ready
        self._given, self._ready = given + ready, 0
        if not self._second.blocks:
            second = None
        else:
            second = self._second.together()
        if self._keeps_first:
            if second is not None:
                yield from self._joined(first.together(), second, given, given + ready)
            return
        rows: list[SideRows] = []
        left = ready
        while left:
            block = first.blocks[0]
            size = len(block.keys)
            if size <= left:
                rows.append(block.rows)
                first.blocks.pop(0)
                left -= size
            else:
                rows.append(block.rows.part(range(left)))
                first.blocks[0] = _Block(block.rows.part(range(left, size)), block.keys[left:], block.numbers[left:])
                left = 0
        self._given = 0
        mine = SideRows.together(rows)
        yield from self._joined(mine, mine.part(()) if second is None else second, 0, len(mine))

    # --- what is out of reach

    def _forget(self, *, is_whole: bool) -> None:
        """Drop rows out of reach: after results all of them, otherwise only those found without a search."""
        sweep, first, second = self._sweep, self._first, self._second
        lowest = min(self._lowest_waiting(), first.progress.reached)
        if is_whole:
            second.forget(lambda most: self._is_beyond(lowest, most))
        elif second.blocks and self._is_beyond(lowest, second.blocks[0].most):
            second.blocks.pop(0)
        if self._keeps_first:
            least = min(min((block.least for block in second.blocks), default=inf), second.progress.reached)
            while first.blocks and self._given >= len(first.blocks[0].keys):
                if not (least == inf or sweep.is_below(first.blocks[0].most, least)):
                    break
                self._given -= len(first.blocks[0].keys)
                first.blocks.pop(0)

    def trim(self) -> None:
        """Drop every row out of reach, because the rest may be kept for long, or on disk."""
        first, second = self._first, self._second
        lowest = min(self._lowest_waiting(), first.progress.reached)
        second.keep(lambda _, key: not self._is_beyond(lowest, key))
        least = min(min((block.least for block in second.blocks), default=inf), second.progress.reached)
        given = self._given
        self._given -= first.keep(lambda number, key: number >= given or self._may_compete(key, least))

    def _may_compete(self, key: float, least: float) -> bool:
        """Whether a value of the first side may have partners that are here or still to come."""
        return not (isnan(key) or least == inf or self._sweep.is_below(key, least))

    def _lowest_waiting(self) -> float:
        """The least value of the waiting rows of the first side."""
        place, lowest = self._given, inf
        for block in self._first.blocks:
            size = len(block.keys)
            if not place:
                lowest = min(lowest, block.least)
            elif place < size:
                lowest = min(lowest, min((key for key in block.keys[place:] if not isnan(key)), default=inf))
            place = max(0, place - size)
        return lowest

    def _is_beyond(self, lowest: float, most: float) -> bool:
        return isnan(most) or most == -inf or lowest == inf or self._sweep.is_above(lowest, most)
