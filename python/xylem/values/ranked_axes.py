"""Axes of a tree with earlier versions: of other slots, only the newest version is visible.

The rows of such a tree are not in document order, and its last row is not the end of the document. Downward and upward
axes work as usual; the sideways ones are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .axis_rows import without_attributes
from .node import ATTRIBUTE
from .tree_interface import TreeInterface

Union = Callable[[TreeInterface, list[int]], Iterable[int]]


def _subtree(tree: TreeInterface, row: int) -> list[int]:
    return without_attributes(tree, row, tree.ends[row])


def _following_siblings(tree: TreeInterface, row: int) -> list[int]:
    return tree.siblings(row, are_after=True)


def _preceding_siblings(tree: TreeInterface, row: int) -> list[int]:
    return tree.siblings(row, are_after=False)


def _following(tree: TreeInterface, row: int) -> list[int]:
    found: list[int] = []
    if tree.kind(row) == ATTRIBUTE:
        # The children of an attribute's owner follow the attribute: they are not its descendants.
        row = tree.parents[row]
        found = without_attributes(tree, row + 1, tree.ends[row])
    while row >= 0:
        for sibling in tree.siblings(row, are_after=True):
            found += _subtree(tree, sibling)
        row = tree.parents[row]
    return found


def _preceding(tree: TreeInterface, row: int) -> list[int]:
    found: list[int] = []
    while row >= 0:
        found = [each for sibling in tree.siblings(row, are_after=False) for each in _subtree(tree, sibling)] + found
        row = tree.parents[row]
    return found


_RANKED: dict[str, Callable[[TreeInterface, int], list[int]]] = {
    "following-sibling": _following_siblings,
    "preceding-sibling": _preceding_siblings,
    "following": _following,
    "preceding": _preceding,
}


def to_the_sides(axis: str, union: Union) -> Union:
    """The union of an axis over rows, with special handling of ranked trees."""
    ranked = _RANKED.get(axis)
    if ranked is None:
        return union

    def of_any(tree: TreeInterface, rows: list[int]) -> Iterable[int]:
        if not tree.is_ranked:
            return union(tree, rows)
        return sorted({found for row in rows for found in ranked(tree, row)}, key=tree.rank)

    return of_any
