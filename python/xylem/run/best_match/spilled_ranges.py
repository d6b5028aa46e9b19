"""Join two unordered sides whose numbers do not fit into memory, range by range, in a file.

        one    ──[── range ──]──[── range ──]──        Each item of the joined side has one range of the value that
        other  ─[─── reach ───]                        windows move along; the others go to all ranges within reach.

A range fits into memory, and within one the kernel finds the pairs. They are found by range and sorted into tuple order
by such ranges, too. Items at one value stay together, so a range is as large as these. The side of the partners is
materialised in one of the two ways of the thesis (4.3.4.3):

- *cells*: each range has a list of pages, and rows are appended to those of all ranges within their reach (grid
  materialisation). Nothing is sorted.
- *runs*: rows are written as sorted runs; the window of each range is the rest of the previous window, merged with the
  next rows of the runs (standard materialisation). No row is written twice, however many ranges it reaches.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import Any

from xylem.source.kernel import number_column
from xylem.values.paged_tree import TreePages

from .best_pairs import Place
from .bucket_file import BucketFile
from .join_spec import JoinSpec
from .moving_window import Sweep
from .node_rows import NodeRows
from .numeric_join import IrregularLeaf, NumericJoin
from .side_rows import Column, SideRows, numbers_of
from .sorted_runs import SortedRuns

ITEM_BYTES = 64
"""Memory per item while the kernel looks for its partners."""
SAMPLES = 1 << 14
"""Number of sampled values that determine the bounds of ranges."""
LEAST_ITEMS = 64
"""Smallest number of items in a range."""
MOST_COPIES = 16.0
"""If a row reaches more ranges than this on average, sorting is cheaper than copying."""
_SIDES = "left", "right"
_ROUNDED = 1e-12
"""Far more than a dozen roundings of xs:double add up to."""


def are_too_many(left: SideRows, right: SideRows, pages: TreePages) -> bool:
    """Whether the numbers of two sides take more memory than trees may."""
    return (len(left) + len(right)) * ITEM_BYTES > 4 * pages.memory_bytes


Reach = tuple[float, float]
"""Partners of a value lie between value + first number and value + second number."""


class SpilledRanges:
    """A join by ranges.

    Holds:  the numbers of one range of both sides, and the unwritten rows of each bucket.
    """

    def __init__(self, spec: JoinSpec, numeric: NumericJoin, sweep: Sweep, pages: TreePages) -> None:
        """`numeric` is the join of a sample of rows of both sides; the other rows are like these."""
        self._spec = spec
        self._numeric = numeric
        self._sweep = sweep
        self._pages = pages
        self._sides = numeric.sides
        self._leaves = {side: list(numeric.used[side]) for side in _SIDES}

    @staticmethod
    def of(
        spec: JoinSpec, left: SideRows, right: SideRows, numeric_of: Any, sweep: Sweep | None, pages: TreePages
    ) -> SpilledRanges | None:
        """The join of two sides; None if it is not pure arithmetic over bounded differences."""
        if sweep is None or not isinstance(left.rows, NodeRows) or not isinstance(right.rows, NodeRows):
            return None
        first = [side.like(NodeRows(side.rows.parts[:1])) for side in (left, right)]  # type: ignore[attr-defined]
        try:
            numeric = numeric_of(*first, "both")
        except IrregularLeaf:
            return None
        if not numeric.is_whole or numeric.keys:
            return None
        made = SpilledRanges(spec, numeric, sweep, pages)
        if any(leaf not in numeric.used[side] for side, leaf in made._swept().items()):
            return None
        return made if made._store({"left": left, "right": right}) else None

    def pairs(self) -> Iterator[Place]:
        """All pairs, in tuple order."""
        kinds = {"full": ("left", "right")}.get(self._spec.kind, (self._spec.kind,))
        first = 0 if self._spec.left_is_first else 1
        found = _PairFile(self._pages, self._items[first], first)
        for kind in kinds:
            for pairs in self._by_range("right" if kind == "right" else "left", kind):
                found.add(*pairs)
        return found.in_order()

    # --- columns

    def _store(self, sides: dict[str, SideRows]) -> bool:
        """Write the columns of both sides to the file, part by part; False if some rows are not like the first."""
        self._items = [len(sides[side]) for side in _SIDES]
        memory = self._pages.memory_bytes // 4
        self._stored = {
            side: BucketFile(self._pages, 1, "d" * len(self._leaves[side]), memory) for side in _SIDES
        }
        self._samples: dict[str, array[float]] = {side: array("d") for side in _SIDES}
        for side, rows in sides.items():
            swept = self._swept_column(side)
            step = max(1, len(rows) // SAMPLES)
            for part in rows.rows.parts:  # type: ignore[attr-defined]
                batch = rows.like(NodeRows((part,)))
                if not self._numeric.fits(side, batch):
                    return False
                columns = [batch.column(leaf, self._numeric.timezone) for leaf in self._leaves[side]]
                data = [numbers_of(column).tobytes() for column in columns if isinstance(column, Column)]
                self._stored[side].append(0, data)
                keys = array("d")
                keys.frombytes(data[swept])
                self._samples[side].extend(key for key in keys[::step] if abs(key) < float("inf"))
        return True

    def _swept_column(self, side: str) -> int:
        """The index of the column that windows move along."""
        return self._leaves[side].index(self._swept()[side])

    def _swept(self) -> dict[str, int]:
        """The leaf of each side that windows move along."""
        first, second = self._sweep.first.leaf, self._sweep.second.leaf
        return dict(zip(_SIDES, (first, second) if self._spec.left_is_first else (second, first), strict=True))

    # --- ranges

    def _by_range(self, own: str, kind: str) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
        """The pairs of each range of the values of one side."""
        other = "right" if own == "left" else "left"
        bounds = self._bounds(own)
        sweep = self._sweep
        # The value of the first loop minus that of the second lies between the bounds of the sweep.
        is_first = (own == "left") == self._spec.left_is_first
        reach = (sweep.least, sweep.most) if is_first else (-sweep.most, -sweep.least)
        files = {own: self._cells(own, bounds, (0.0, 0.0)), other: self._materialised(other, bounds, reach)}
        kept: dict[str, list[array[float]]] = {}
        for bucket in range(len(bounds) + 1):
            rows = {side: files[side].taken(bucket) for side in _SIDES}
            if not all(len(rows[side][0]) for side in _SIDES):
                continue
            pairs = self._joined(rows, kind)
            if kind == "inner":
                _keep(kept, rows, pairs)
            else:
                yield pairs
        if kept:
            # The best pairs of a range compete with the best of other ranges.
            yield self._joined(kept, kind)

    def _bounds(self, own: str) -> list[float]:
        sample = sorted(self._samples[own])
        most = max(LEAST_ITEMS, self._pages.memory_bytes // ITEM_BYTES)
        ranges = -(-sum(self._items) // most)
        chosen = (sample[len(sample) * number // ranges] for number in range(1, ranges)) if sample else ()
        return sorted(set(chosen))

    # --- materialised

    def _materialised(self, side: str, bounds: Sequence[float], reach: Reach) -> BucketFile | SortedRuns:
        """The rows of a side that may hold the partners of each range."""
        way = self._cells if self._copies(side, bounds, reach) <= MOST_COPIES else self._runs
        return way(side, bounds, reach)

    def _copies(self, side: str, bounds: Sequence[float], reach: Reach) -> float:
        """Number of ranges that a row of a side reaches, averaged over a sample."""
        sample = number_column()
        sample.extend(self._samples[side].tobytes())
        found = sum(len(places) // 4 for _, places in sample.ranges(bounds, *reach))
        return found / max(len(sample), 1)

    def _cells(self, side: str, bounds: Sequence[float], reach: Reach) -> BucketFile:
        """The rows of a side by range."""
        made = BucketFile(self._pages, len(bounds) + 1, self._codes(side), self._pages.memory_bytes // 4)
        for bucket, columns in self._rows(side, bounds, reach):
            made.append(bucket, columns)
        return made

    def _runs(self, side: str, bounds: Sequence[float], reach: Reach) -> SortedRuns:
        """The rows of a side, sorted by the value that defines the ranges."""
        windows = [window_bounds(low, high, reach) for low, high in pairwise((-inf, *bounds, inf))]
        key = 1 + self._swept_column(side)
        made = SortedRuns(self._pages, windows, self._codes(side), key, self._pages.memory_bytes // 4)
        for _, columns in self._rows(side, (), (0.0, 0.0)):
            made.append(columns)
        return made

    def _codes(self, side: str) -> str:
        """Type codes of a row: its number and its columns."""
        return "I" + "d" * len(self._leaves[side])

    def _rows(self, side: str, bounds: Sequence[float], reach: Reach) -> Iterator[tuple[int, list[bytes]]]:
        """Rows with the number of a range that they reach, in chunks."""
        swept, start = self._swept_column(side), 0
        for chunk in self._stored[side].chunks(0):
            columns = [number_column() for _ in chunk]
            for column, values in zip(columns, chunk, strict=True):
                column.extend(values.tobytes())
            for bucket, rows in columns[swept].ranges(bounds, *reach):
                numbers = array("I", (start + row for row in memoryview(rows).cast("I")))
                yield bucket, [numbers.tobytes(), *(column.picked(rows) for column in columns)]
            start += len(columns[swept])

    def _joined(self, rows: dict[str, list[array[float]]], kind: str) -> tuple[Sequence[int], Sequence[int]]:
        """The pairs of some rows: the numbers of their items."""
        sides = [self._side(side, columns) for side, columns in ((side, rows[side][1:]) for side in _SIDES)]
        numeric = self._numeric.again(*sides)
        assert numeric is not None, "all rows were found to be alike"
        lefts, rights = numeric.pairs(kind, self._spec.best)
        numbers: list[Any] = [rows[side][0] for side in _SIDES]
        return [numbers[0][one] for one in lefts], [numbers[1][one] for one in rights]

    def _side(self, side: str, columns: Sequence[array[float]]) -> SideRows:
        """Rows of which only the columns exist."""
        like = self._sides[side]
        kinds = {leaf: like.column(leaf, self._numeric.timezone) for leaf in self._leaves[side]}
        made = {
            leaf: column._replace(numbers=numbers)
            for (leaf, column), numbers in zip(kinds.items(), columns, strict=True)
            if isinstance(column, Column)
        }
        return like.with_columns(range(len(columns[0])), made)


def window_bounds(low: float, high: float, reach: Reach) -> tuple[float, float]:
    """The values whose partners lie between two values."""

    def moved(value: float, by: float, sign: int) -> float:
        slack = (abs(value) + 2 * (abs(reach[0]) + abs(reach[1]))) * _ROUNDED
        return value - by + sign * slack if abs(value) < inf else value

    return moved(low, reach[1], -1), moved(high, reach[0], 1)


def _keep(kept: dict[str, list[array[float]]], rows: dict[str, list[array[float]]], pairs: Any) -> None:
    """Record the rows of some pairs, each once."""
    for place, side in enumerate(_SIDES):
        own = rows[side]
        held = kept.setdefault(side, [array(column.typecode) for column in own])
        known, wanted = set(held[0]), set(pairs[place])
        for row, number in enumerate(own[0]):
            if number in wanted and number not in known:
                for column, values in zip(held, own, strict=True):
                    column.append(values[row])


class _PairFile:
    """Pairs that come in any order, for reading in tuple order.

    Holds:  the pairs of some items of the first loop, and the unwritten pairs of the others.
    """

    def __init__(self, pages: TreePages, items: int, first: int) -> None:
        """`items` counts those of the first loop; `first` is its side: 0 means left."""
        self._first = first
        # Sorting pairs takes more memory than their columns, and an item may have several.
        most = max(LEAST_ITEMS, pages.memory_bytes // (4 * ITEM_BYTES))
        self._width = min(max(items, 1), most)
        self._file = BucketFile(pages, -(-max(items, 1) // self._width), "II", pages.memory_bytes // 4)

    def add(self, lefts: Sequence[int], rights: Sequence[int]) -> None:
        """Add some pairs."""
        parts: dict[int, tuple[array[int], array[int]]] = {}
        for pair in zip(lefts, rights, strict=True):
            bucket = pair[self._first] // self._width
            if bucket not in parts:
                parts[bucket] = array("I"), array("I")
            for column, number in zip(parts[bucket], pair, strict=True):
                column.append(number)
        for bucket, columns in parts.items():
            self._file.append(bucket, [column.tobytes() for column in columns])

    def in_order(self) -> Iterator[Place]:
        first = self._first
        for bucket in range(len(self._file)):
            lefts, rights = self._file.taken(bucket)
            outer, inner = (lefts, rights) if first == 0 else (rights, lefts)
            last = -1
            for key in sorted(one << 32 | other for one, other in zip(outer, inner, strict=True)):
                if key != last:
                    pair = key >> 32, key & 0xFFFFFFFF
                    yield pair if first == 0 else pair[::-1]
                last = key
