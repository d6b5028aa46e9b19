"""The rows of one side of a best-match join, with what terms read of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Row = Sequence[Any]
Evaluated = tuple[Row, tuple[Sequence[Any], ...]]
"""The variables of a row, and the atomic values of each leaf."""


class SideRows:
    """All rows of a side.

    Holds:  the variables of each row, and the values of its leaves.
    """

    def __init__(self, items: Iterable[Any], evaluate: Callable[[Iterable[Any]], Iterator[Evaluated]]) -> None:
        self._evaluate = evaluate
        self.rows: list[Row] = []
        self.leaves: list[tuple[Sequence[Any], ...]] = []
        for row, leaves in evaluate(items):
            self.rows.append(row)
            self.leaves.append(leaves)

    def padding(self) -> Row:
        """The row of no item: what the clauses of this side make of the empty sequence."""
        return next(iter(self._evaluate((None,))))[0]
