"""One best-match join: rows of both sides in, the tuples of the join out, in tuple order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import isnan
from typing import Any, Protocol

from xylem.plan.best_match_plan import Term
from xylem.values.paged_tree import TreePages

from .best_pairs import Candidate, Place, best_pairs, in_tuple_order
from .criteria import Criterion, Row
from .join_spec import JoinSpec
from .moving_window import sweep_of
from .numeric_join import IrregularLeaf, NumericJoin
from .paged_rows import paged_rows
from .paged_text import PagedText
from .side_rows import Column, SideRows, numbers_of
from .spilled_ranges import SpilledRanges, are_too_many
from .written_pairs import TOGETHER, PairText, batched

Test = Callable[[Row, Row], bool]


class Numeric(Protocol):
    """The result of column arithmetic for the rows of two sides."""

    @property
    def is_whole(self) -> bool:
        """Whether columns alone answer the join."""

    @property
    def narrows(self) -> bool:
        """Whether columns rule out pairs."""

    def pairs(self, kind: str, best: int) -> tuple[Sequence[int], Sequence[int]]:
        """The pairs in ascending order; kind `all`: every pair that nothing rules out."""


NumericOf = Callable[[SideRows, SideRows], Numeric]


def _unread(_: int) -> Row:
    """A placeholder for a row that is never read."""
    return ()


def _leaves(term: Term, side: str) -> Iterator[int]:
    """The leaves of a side that a term reads."""
    if term[0] == side:
        yield term[1]
    elif term[0] not in ("left", "right", "constant"):
        for operand in term[1:]:
            yield from _leaves(operand, side)


class Joining:
    """A join without its rows: limits and constants, evaluated once, and functions of the query."""

    def __init__(
        self,
        spec: JoinSpec,
        criteria: Sequence[Criterion],
        tests: Sequence[Test],
        limits: Sequence[Any],
        constants: Sequence[Any],
        timezone: int,
        pages: TreePages | None = None,
        left_out: Counter[str] | None = None,
    ) -> None:
        self.spec = spec
        self.criteria = criteria
        self.tests = tests
        self.limits = limits
        self.constants = constants
        self.timezone = timezone
        self.pages = pages
        """The spill file for trees that do not fit in memory."""
        self.written: PairText | None = None
        """Writes the text of results, if the caller wants text instead of rows."""
        self._left_out = left_out

    def rows_of(
        self, left: SideRows, right: SideRows, numeric: NumericOf | None = None
    ) -> Iterator[tuple[Row, Row]]:
        """The rows of each pair; `numeric` is the part of the join that columns compute."""
        if numeric is None:
            self.saw("left", left)
            self.saw("right", right)
        if self.written is not None:
            yield from self._texts(left, right, numeric)
            return
        pairs = self.pairs(left, right, numeric)
        if not (self.spec.pads_left or self.spec.pads_right):
            if self.pages is not None and self.pages.written_pages and self.spec.reads_left and self.spec.reads_right:
                yield from paged_rows(pairs, left, right, self.pages)
                return
            lefts = left.rows.__getitem__ if self.spec.reads_left else _unread
            rights = right.rows.__getitem__ if self.spec.reads_right else _unread
            for one, other in pairs:
                yield lefts(one), rights(other)
            return
        yield from self._padded(list(pairs), left, right)

    def rows_between(
        self, left: SideRows, right: SideRows, start: int, end: int, numeric: NumericOf
    ) -> Iterator[tuple[Row, Row]]:
        """The rows of each pair for some rows of the first loop; the other rows compete, too."""
        if self.written is not None:
            yield from self._texts(left, right, numeric, (start, end))
            return
        for one, other in self.pairs(left, right, numeric):
            if start <= (one if self.spec.left_is_first else other) < end:
                yield left.rows[one], right.rows[other]

    def _texts(
        self, left: SideRows, right: SideRows, numeric_of: NumericOf | None, between: tuple[int, int] | None = None
    ) -> Iterator[Any]:
        """The text of the results of each pair, optionally for some rows of the first loop only."""
        assert self.written is not None
        used: list[Numeric] = []
        # A join by ranges never has all numbers of a term at once.
        pairs: Iterable[Place] | None = None if numeric_of is not None else self._by_ranges(left, right)
        if pairs is None:

            def numeric(left: SideRows, right: SideRows) -> Numeric:
                used.append((numeric_of or self.numeric)(left, right))
                return used[0]

            pairs = self.pairs(left, right, numeric)
        first = 0 if self.spec.left_is_first else 1
        if between is not None:
            start, end = between
            pairs = (pair for pair in pairs if start <= pair[first] < end)
        terms = next((one for one in used if isinstance(one, NumericJoin)), None)
        writer = self.written.native(left, right, terms)
        pages = self.pages if self.pages is not None and self.pages.written_pages else None
        if writer is None and pages is not None:
            yield from map(self.written.by_query, batched(paged_rows(pairs, left, right, pages), TOGETHER))
        elif writer is None:
            rows = ((left.rows[one], right.rows[other]) for one, other in pairs)
            yield from map(self.written.by_query, batched(rows, TOGETHER))
        elif pages is None:
            yield from self.written.texts(writer, pairs, left, right)
        else:
            for some, text in PagedText(writer, pages, first).texts(pairs):
                yield self.written.by_query(paged_rows(some, left, right, pages)) if text is None else text

    def saw(self, side: str, rows: SideRows) -> None:
        """Count the rows without a number to order by."""
        if self._left_out is None or not len(rows):
            return
        leaves = {leaf for order in self.spec.orders if order.term for leaf in _leaves(order.term, side)}
        columns = [rows.column(leaf, self.timezone) for leaf in sorted(leaves)]
        numbers = [numbers_of(column) for column in columns if isinstance(column, Column)]
        missing = sum(any(map(isnan, row)) for row in zip(*numbers, strict=True))
        if missing:
            self._left_out[self.spec.names[side == "right"]] += missing

    @property
    def counts_nothing(self) -> bool:
        """Whether the caller does not need the number of rows without a value to order by."""
        return self._left_out is None

    def numeric(self, left: SideRows, right: SideRows, coming: str = "") -> NumericJoin:
        """The part of the join that is arithmetic on columns."""
        return NumericJoin(self.spec, left, right, self.limits, self.constants, self.timezone, coming)

    def pairs(
        self, left: SideRows, right: SideRows, numeric_of: NumericOf | None = None
    ) -> Iterable[Place]:
        """The numbers of the rows of each pair."""
        if not left.rows or not right.rows:
            return []
        spilled = None if numeric_of is not None else self._by_ranges(left, right)
        if spilled is not None:
            return spilled
        numeric: Numeric | None = None
        try:
            numeric = (numeric_of or self.numeric)(left, right)
        except IrregularLeaf as leaf:
            self._raise(leaf, left, right)
        if numeric is not None and numeric.is_whole:
            lefts, rights = numeric.pairs(self.spec.kind, self.spec.best)
            if self.spec.left_is_first:
                return zip(lefts, rights, strict=True)
            return in_tuple_order(zip(lefts, rights, strict=True), False)
        candidates = self._candidates(left.listed, right.listed, numeric)
        found = best_pairs(candidates, self.criteria, self.spec.kind, self.spec.best)
        return in_tuple_order(found, self.spec.left_is_first)

    def _by_ranges(self, left: SideRows, right: SideRows) -> Iterator[Place] | None:
        """The pairs by ranges in a file, if the numbers do not fit in memory; None if that is impossible."""
        if self.pages is None or not self.pages.written_pages or not are_too_many(left, right, self.pages):
            return None
        sweep = sweep_of(self.spec, self.limits, self.constants)
        ranges = SpilledRanges.of(self.spec, left, right, self.numeric, sweep, self.pages)
        return None if ranges is None else ranges.pairs()

    def _raise(self, leaf: IrregularLeaf, left: SideRows, right: SideRows) -> None:
        """Evaluate the query's expression for a bad value to raise its error before all pairs are tried."""
        one, other = (leaf.row, 0) if leaf.side == "left" else (0, leaf.row)
        for order in self.criteria:
            order.of(left.rows[one], right.rows[other])

    def _candidates(
        self, lefts: Sequence[Row], rights: Sequence[Row], numeric: Numeric | None
    ) -> list[Candidate]:
        """All pairs that take part; only those that the columns do not rule out are looked at."""
        pairs: Iterable[Place] = product(range(len(lefts)), range(len(rights)))
        if numeric is not None and numeric.narrows:
            pairs = zip(*numeric.pairs("all", 1), strict=True)
        found = []
        for one, other in pairs:
            candidate = self.candidate(one, lefts[one], other, rights[other])
            if candidate is not None:
                found.append(candidate)
        return found

    def candidate(self, one: int, left: Row, other: int, right: Row) -> Candidate | None:
        """A pair with the values its orders compare; None if a condition, a limit or a missing value excludes it."""
        if not all(test(left, right) for test in self.tests):
            return None
        keys = []
        for order in self.criteria:
            key = order.of(left, right)
            if key is None:
                return None
            keys.append(key)
        return Candidate(one, other, tuple(keys))

    def _padded(self, pairs: Sequence[Place], left: SideRows, right: SideRows) -> Iterator[tuple[Row, Row]]:
        """The pairs, followed by items without partner if `allowing empty` asks for them; those of the inner loop come
        last.
        """
        spec = self.spec
        matched_left = {one for one, _ in pairs}
        matched_right = {other for _, other in pairs}
        rows: list[tuple[tuple[float, float], tuple[Row, Row]]] = [
            ((one, other) if spec.left_is_first else (other, one), (left.rows[one], right.rows[other]))
            for one, other in pairs
        ]
        last = float("inf")
        if spec.pads_left:
            for one, row in enumerate(left.rows):
                if one not in matched_left:
                    rows.append(((one, last) if spec.left_is_first else (last, one), (row, right.padding())))
        if spec.pads_right:
            for other, row in enumerate(right.rows):
                if other not in matched_right:
                    rows.append(((last, other) if spec.left_is_first else (other, last), (left.padding(), row)))
        rows.sort(key=lambda row: row[0])
        for _, tuples in rows:
            yield tuples
