"""Items that arrive in pieces: read one by one, or as many as are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import xylem
from xylem.values.arriving import Arriving, at_hand


def test_what_came_together_is_at_hand_and_nothing_more_is_read() -> None:
    read: list[int] = []

    def pieces() -> Iterator[Sequence[int]]:
        for piece in ([1, 2, 3], [], [4], [5, 6]):
            read.append(len(piece))
            yield piece

    arriving = Arriving(pieces())
    assert (next(arriving), at_hand(arriving), read) == (1, [2, 3], [3])
    doubled = arriving.changed(lambda piece: [2 * item for item in piece])
    assert (next(doubled), at_hand(doubled)) == (8, [])
    assert list(doubled) == [10, 12]
    assert at_hand(iter([1])) == []


def test_items_of_a_push_arrive_together() -> None:
    items = xylem.items([b"<d><r/><r/>", b"<r/></d>"])
    next(items)
    assert len(at_hand(items)) == 1
    assert len(list(items)) == 1
