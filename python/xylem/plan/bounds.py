"""Bounds on the part of the input that an operator holds, from nothing to all of it: the words and their order.

A bound is text, so an explanation can print it directly. Numbers of items and tuples (`10 tuples`) rank between an item
and a window.
"""

from __future__ import annotations

NOTHING = "nothing"
A_VALUE = "one value"
AN_ITEM = "one item"
A_WINDOW = "one window"
A_GROUP = "one group"
BY_QUERY = "what the query lets it become"
BY_TURN = "as many as its loops have turns"
BY_GROUP = "as many as there are groups"
BESIDE = "what is given beside the input"
ONE_SIDE = "one side of a join"
THE_RESULTS = "the results so far"
THE_RANGE = "its range of the input"
"""For a task: its whole range."""
THE_STREAM = "the whole stream"
THE_INPUT = "the whole input"
"""The same over a tree, which is in memory anyway."""

GROWING = frozenset({THE_RESULTS, THE_STREAM})
"""Bounds that grow with the input."""
_FROM_SMALL_TO_LARGE = (
    NOTHING, A_VALUE, AN_ITEM, A_WINDOW, A_GROUP, BY_QUERY, BY_TURN, BY_GROUP, BESIDE, ONE_SIDE, THE_RESULTS, THE_RANGE,
    THE_STREAM, THE_INPUT,
)  # fmt: skip


def rank(bound: str) -> int:
    """Its rank; numbers of items or tuples rank after one item."""
    if bound in _FROM_SMALL_TO_LARGE:
        return 2 * _FROM_SMALL_TO_LARGE.index(bound)
    return 2 * _FROM_SMALL_TO_LARGE.index(AN_ITEM) + 1


def largest(*bounds: str) -> str:
    """The largest of some bounds; empty if there are none."""
    return max(bounds, key=rank, default=NOTHING)


def grows_with_input(bound: str) -> bool:
    """Whether it grows with the input, whatever the query does with it."""
    return rank(bound) >= rank(ONE_SIDE)
