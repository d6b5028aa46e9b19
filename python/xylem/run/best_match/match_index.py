"""Index one side of a join once; each row of the first side finds its partners there as it arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any

from xylem.values.at_hand import RecordsAtHand

from .joining import Joining, Numeric
from .looked_ahead import LookedAhead
from .numeric_index import NumericIndex
from .numeric_join import NumericJoin
from .scanned_side import ScannedSide
from .side_rows import SideRows

_MOST_INDEXES = 4
"""For one side: rows of the other side may have values of several types."""
_OF_ONE = {"inner": "left", "left": "left", "right": "all", "full": "all"}
"""Which pairs of a single left row are best. A row that competes with no other keeps every pair that takes part."""


class MatchIndex:
    """The indexed side and the search for partners in it.

    Holds:  the rows of the indexed side with their columns, and the partners found for the last batch.
    Order:  partners in the order of their side.
    """

    def __init__(self) -> None:
        self.built = False
        self._indexes: list[NumericIndex] = []
        self._ahead = LookedAhead()

    def build(self, made: tuple[Joining, SideRows | ScannedSide]) -> MatchIndex:
        """Set up the join and the indexed side."""
        self._joining, rows = made
        self._rows = rows.whole(self._joining.pages) if isinstance(rows, ScannedSide) else rows
        self._joining.saw("right" if self._joining.spec.left_is_first else "left", self._rows)
        spec = self._joining.spec
        self._is_plain = not (spec.pads_left or spec.pads_right) and self._joining.counts_nothing
        self.built = True
        return self

    def tuples(self, coming: SideRows, at_hand: RecordsAtHand | None = None) -> Iterator[tuple[Any, Any]]:
        """The rows of each pair of one arriving row, as left and right; `at_hand` are the records it arrived with."""
        partners = self._ahead.known(coming, at_hand) if self._is_plain else None
        if partners is not None:
            return self._pairs_of(coming, partners)
        self._at_hand = at_hand
        self._joining.saw("left" if self._joining.spec.left_is_first else "right", coming)
        sides = (coming, self._rows) if self._joining.spec.left_is_first else (self._rows, coming)
        return self._joining.rows_of(*sides, self._numeric)

    def _pairs_of(self, coming: SideRows, partners: Sequence[int]) -> Iterator[tuple[Any, Any]]:
        spec = self._joining.spec
        reads = spec.reads_right if spec.left_is_first else spec.reads_left
        others = map(self._rows.rows.__getitem__, partners) if reads else repeat((), len(partners))
        (mine,) = coming.rows
        return zip(repeat(mine), others) if spec.left_is_first else zip(others, repeat(mine))

    def _numeric(self, left: SideRows, right: SideRows) -> Numeric:
        spec = self._joining.spec
        coming = left if spec.left_is_first else right
        if self._indexes:
            partners = self._ahead.partners(self._indexes[0], coming, self._at_hand)
            if partners is not None:
                self._is_plain &= self._indexes[0].join.is_whole
                return _Known(self._indexes[0], partners, spec.left_is_first)
        for index in self._indexes:
            if index.join.fits(index.join.coming, coming):
                return _Asked(index, coming, spec.left_is_first)
        join = self._joining.numeric(left, right, "left" if spec.left_is_first else "right")
        kind = spec.kind if spec.left_is_first else {"left": "right", "right": "left"}.get(spec.kind, spec.kind)
        index = NumericIndex(join, _OF_ONE[kind] if join.is_whole else "all", spec.best)
        self._indexes = [index, *self._indexes[: _MOST_INDEXES - 1]]
        return _Asked(index, coming, spec.left_is_first)


class _Asked:
    """The column arithmetic for rows that have arrived, as in `NumericJoin`."""

    def __init__(self, index: NumericIndex, coming: SideRows, is_left: bool) -> None:
        join: NumericJoin = index.join
        self.is_whole = join.is_whole
        self.narrows = join.narrows
        self._pairs: Callable[[SideRows], Any] = index.pairs
        self._coming = coming
        self._is_left = is_left

    def pairs(self, kind: str, best: int) -> Any:
        came, stayed = self._pairs(self._coming)
        return (came, stayed) if self._is_left else (stayed, came)


class _Known:
    """The same for a row that was looked up earlier."""

    def __init__(self, index: NumericIndex, partners: Sequence[int], is_left: bool) -> None:
        self.is_whole = index.join.is_whole
        self.narrows = index.join.narrows
        self._partners = partners
        self._is_left = is_left

    def pairs(self, kind: str, best: int) -> Any:
        came = bytes(len(self._partners))
        return (came, self._partners) if self._is_left else (self._partners, came)
