"""How many nodes constructed trees may copy: of elements that stand in each other, copies of all can be any number.

    count(<x>{ //a }</x>//*)
    count((//a ! <x>{ . }</x>)//*)

Ten thousand elements in each other have fifty million nodes in their copies, and a megabyte of input then takes 7 GB,
in one constructed tree or in many. Written to the output, such copies take no memory (`deferred_tree.py`); where a
query looks into them, they are counted, for each input, while the trees that hold them exist.
"""

from __future__ import annotations

from xylem.errors import DynamicError

DEFAULT_COPIED_NODES = 2_000_000
TIMES_THE_ORIGINALS = 5
"""Copies of everything some trees have, a few times, are no more than what the query has in memory already."""


class Copies:
    """The copies of nodes of one input, in all constructed trees: its limit belongs to the limits of that input."""

    __slots__ = ("_original_rows", "_uses", "most", "rows")

    def __init__(self, most: int = DEFAULT_COPIED_NODES) -> None:
        self.most = most
        self.rows = 0
        """Rows in copies that exist."""
        self._original_rows = 0
        self._uses: dict[int, int] = {}
        """By original: the constructed trees with copies of it."""

    def take(self, order: int, rows: int) -> None:
        """Another tree has copies of an original with some rows."""
        uses = self._uses.get(order, 0)
        self._uses[order] = uses + 1
        if not uses:
            self._original_rows += rows

    def release(self, order: int, rows: int) -> None:
        """A tree with copies of it is gone."""
        self._uses[order] -= 1
        if not self._uses[order]:
            del self._uses[order]
            self._original_rows -= rows

    def add(self, rows: int) -> None:
        """Some rows are about to be copied; XYDY0006 if that is too much."""
        self.rows += rows
        most = self.most + TIMES_THE_ORIGINALS * self._original_rows
        if self.rows > most:
            raise DynamicError("XYDY0006", f"{self.rows:,} nodes where {most:,} are allowed")


class CopiedRows:
    """What was copied into one constructed tree, and the trees that it came from."""

    __slots__ = ("_originals", "_rows", "first")

    def __init__(self, first: Copies | None) -> None:
        self.first = first or Copies()
        """The input that the first rows come from; a count of its own, if they come from none."""
        self._rows: dict[Copies, int] = {}
        self._originals: dict[int, tuple[Copies, int]] = {}

    def __del__(self) -> None:
        for copies, rows in self._rows.items():
            copies.rows -= rows
        for order, (copies, rows) in self._originals.items():
            copies.release(order, rows)

    def add_original(self, order: int, rows: int, copies: Copies | None = None) -> None:
        """A tree that rows come from, by its place among all trees."""
        if order not in self._originals:
            copies = copies or self.first
            self._originals[order] = copies, rows
            copies.take(order, rows)

    def add(self, rows: int, copies: Copies | None = None) -> None:
        """Some rows of an input are about to be copied; XYDY0006 if that is too much."""
        copies = copies or self.first
        self._rows[copies] = self._rows.get(copies, 0) + rows
        copies.add(rows)
