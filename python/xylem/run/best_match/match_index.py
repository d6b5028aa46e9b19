"""A join whose first side comes row by row: it indexes the other side once, and each row finds its partners there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .joining import Joining, Numeric
from .numeric_index import NumericIndex
from .numeric_join import NumericJoin
from .scanned_side import ScannedSide
from .side_rows import SideRows

_MOST_INDEXES = 4
"""Of one side: rows of the other one may have values of several types."""
_OF_ONE = {"inner": "left", "left": "left", "right": "all", "full": "all"}
"""Which pairs of a single left row are best: where it competes with no other row, all that take part."""


class MatchIndex:
    """The side that stays, and what finds partners in it.

    Holds:  the rows of that side with their columns; of the rows that come, nothing.
    Order:  partners in the order of their side.
    """

    def __init__(self) -> None:
        self.built = False
        self._indexes: list[NumericIndex] = []

    def build(self, made: tuple[Joining, SideRows | ScannedSide]) -> MatchIndex:
        """Take in the join and the side that stays."""
        self._joining, rows = made
        self._rows = rows.whole(self._joining.pages) if isinstance(rows, ScannedSide) else rows
        self._joining.saw("right" if self._joining.spec.left_is_first else "left", self._rows)
        self.built = True
        return self

    def tuples(self, coming: SideRows) -> Iterator[tuple[Any, Any]]:
        """The rows of each pair of one row that comes, as left and right."""
        self._joining.saw("left" if self._joining.spec.left_is_first else "right", coming)
        sides = (coming, self._rows) if self._joining.spec.left_is_first else (self._rows, coming)
        return self._joining.rows_of(*sides, self._numeric)

    def _numeric(self, left: SideRows, right: SideRows) -> Numeric:
        spec = self._joining.spec
        coming = left if spec.left_is_first else right
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
