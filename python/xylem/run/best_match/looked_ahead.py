"""Look up the partners of all items of a batch together, although the items are asked for one at a time.

        batch   [ a b c d … ]        The first item asked about has its neighbours looked up with it, in one call of the
        asked     ▲                  kernel. Each of them then gets its own partners when its turn comes.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from xylem.values.at_hand import RecordsAtHand

from .node_rows import NodeRows
from .numeric_index import NumericIndex
from .side_rows import SideRows

LEAST_ITEMS, MOST_ITEMS = 2, 512
MOST_PAIRS = 1 << 14
"""Look up fewer items together if they have more pairs than this."""


class LookedAhead:
    """Partners found for the items of the last batch.

    Holds:  the partners of the items that were looked up and have not had their turn.
    """

    def __init__(self) -> None:
        self._at_hand: RecordsAtHand | None = None
        self._partners: dict[int, list[int]] = {}
        """By the row of an item."""
        self._place = 0
        """Position of the last item looked up, among the records of its batch."""
        self._items = LEAST_ITEMS
        """Number of items looked up together."""
        self._asked: set[int] = set()
        """Number of those that have had their turn."""

    def known(self, coming: SideRows, at_hand: RecordsAtHand | None) -> Sequence[int] | None:
        """The partners of an item that was looked up together with another one."""
        row = None if at_hand is None or at_hand is not self._at_hand else _only_row(coming, at_hand)
        found = None if row is None else self._partners.get(row)
        if found is not None and row is not None:
            self._asked.add(row)
        return found

    def partners(self, index: NumericIndex, coming: SideRows, at_hand: RecordsAtHand | None) -> Sequence[int] | None:
        """The partners of one item; None if it must be looked up alone."""
        found = self.known(coming, at_hand)
        row = None if at_hand is None or found is not None else _only_row(coming, at_hand)
        if at_hand is None or row is None:
            return found
        if at_hand is not self._at_hand:
            self._at_hand, self._place = at_hand, 0
            self._partners.clear()
        return self._looked_up(index, coming, row, at_hand)

    def _looked_up(
        self, index: NumericIndex, coming: SideRows, row: int, at_hand: RecordsAtHand
    ) -> Sequence[int] | None:
        rows = self._neighbours(row, at_hand)
        together = coming.like(NodeRows([(at_hand.tree, rows)]))
        if len(rows) < 2 or not index.join.fits(index.join.coming, together):
            # One of them may be faulty, which is only an error when its turn comes.
            return None
        came, stayed = index.pairs(together)
        # A condition may exclude most items, and those need no partners.
        wanted = 2 * min(self._items, len(self._asked) + LEAST_ITEMS)
        self._items = self._items // 4 if len(came) > MOST_PAIRS else wanted
        self._items = min(max(self._items, LEAST_ITEMS), MOST_ITEMS)
        self._partners, self._asked = {each: [] for each in rows}, {row}
        for one, other in zip(came, stayed, strict=True):
            self._partners[rows[one]].append(other)
        return self._partners[row]

    def _neighbours(self, row: int, at_hand: RecordsAtHand) -> array[int]:
        """The row of an item, and the rows of the following records of the same step."""
        try:
            place = at_hand.rows.index(row, self._place)
        except ValueError:
            return array("I", [row])
        self._place = place
        kind, step = at_hand.kinds[place], at_hand.steps[place]
        found = array("I")
        for number in range(place, len(at_hand.rows)):
            if at_hand.steps[number] == step and at_hand.kinds[number] == kind:
                found.append(at_hand.rows[number])
                if len(found) == self._items:
                    break
        return found


def _only_row(coming: SideRows, at_hand: RecordsAtHand) -> int | None:
    """The row of one node of a batch."""
    if not isinstance(coming.rows, NodeRows) or len(coming.rows) != 1:
        return None
    ((tree, (row,)),) = coming.rows.parts
    return row if tree is at_hand.tree else None
