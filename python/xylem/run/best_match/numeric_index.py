"""An index over the columns of one side of a join. Rows of the other side may arrive in batches of any size."""

from __future__ import annotations

from collections.abc import Sequence

from xylem.plan.best_match_plan import Term
from xylem.source.kernel import indexed_pairs, match_index

from .numeric_join import Key, NumericJoin
from .reference import reference_pairs
from .side_rows import Column, SideRows

UNKNOWN = 2**32 - 3
"""The number for a key that no row of this side has."""


class NumericIndex:
    """Pairs arriving rows with the rows of the indexed side; `join` says which side is which.

    Holds:  the columns of the indexed side, in boxes, and the numbers of its keys.
    """

    def __init__(self, join: NumericJoin, kind: str, best: int) -> None:
        self.join = join
        coming = join.coming
        stays = "right" if coming == "left" else "left"
        is_turned = coming != "left"
        orders = [
            (_mirrored(term) if is_turned else term, is_max, limit)
            for term, is_max, limit in (order for order in join.orders if order is not None)
        ]
        conditions = [
            (op, _mirrored(one), _mirrored(other)) if is_turned else (op, one, other)
            for op, one, other in join.conditions
        ]
        self._known: dict[Key, int] = {}
        rows = join.sides[stays]
        keys = join.keys_of(stays, rows, lambda key: self._known.setdefault(key, len(self._known)))
        self._keys = keys if join.keys else None
        self._leaves = list(join.used[coming])
        self._asked = kind, best, orders, conditions
        self._own = join.columns[stays], len(rows)
        self._native = match_index(*self._asked, len(self._leaves), *self._own, self._keys)

    def pairs(self, coming: SideRows) -> tuple[Sequence[int], Sequence[int]]:
        """The numbers of the arriving row and the indexed row of each pair, ascending."""
        join = self.join
        columns = []
        for leaf in self._leaves:
            column = coming.column(leaf, join.timezone)
            assert isinstance(column, Column), "rows that do not fit are not asked about"
            columns.append(column.numbers)
        keys = None
        if self._keys is not None:
            # An endless side must not add keys.
            keys = join.keys_of(join.coming, coming, lambda key: self._known.get(key, UNKNOWN))
        if self._native is not None:
            return indexed_pairs(self._native, columns, len(coming), keys)
        both = None if keys is None or self._keys is None else (keys, self._keys)
        return reference_pairs(*self._asked, columns, len(coming), *self._own, both)


def _mirrored(term: Term) -> Term:
    match term:
        case ("left", column):
            return ("right", column)
        case ("right", column):
            return ("left", column)
        case ("number", _):
            return term
    return (term[0], *map(_mirrored, term[1:]))
