"""How many nodes a constructed tree may copy: of elements that stand in each other, copies of all can be any number.

    count(<x>{ //a }</x>//*)

Ten thousand elements in each other have fifty million nodes in their copies, and a megabyte of input then takes 7 GB.
Written to the output, such copies take no memory (`deferred_tree.py`); where a query looks into them, they are counted.
"""

from __future__ import annotations

from xylem.errors import DynamicError

DEFAULT_COPIED_NODES = 2_500_000
TIMES_THE_ORIGINALS = 5
"""Copies of everything some trees have, a few times, are no more than what the query has in memory already."""

_most_nodes = DEFAULT_COPIED_NODES


def set_copied_nodes(number: int) -> None:
    """Set the limit for this process."""
    global _most_nodes
    _most_nodes = number


class CopiedRows:
    """What was copied into one tree, and the sizes of the trees that it came from."""

    __slots__ = ("_original_rows", "_originals", "rows")

    def __init__(self) -> None:
        self.rows = 0
        self._originals: set[int] = set()
        self._original_rows = 0

    def add_original(self, order: int, rows: int) -> None:
        """A tree that rows come from, by its place among all trees."""
        if order not in self._originals:
            self._originals.add(order)
            self._original_rows += rows

    def check(self, rows: int) -> None:
        """Some rows are about to be copied; XYDY0006 if that is too much."""
        self.rows += rows
        most = _most_nodes + TIMES_THE_ORIGINALS * self._original_rows
        if self.rows > most:
            raise DynamicError("XYDY0006", f"{self.rows:,} nodes where {most:,} are allowed")
