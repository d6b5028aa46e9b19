"""The position of a node among its siblings of the same kind and name, which fn:path needs repeatedly."""

from __future__ import annotations

from bisect import bisect_left
from weakref import WeakKeyDictionary

from xylem.values.tree_interface import TreeInterface

MOST_LISTS = 1_000
"""Number of parents, of one tree, whose children are cached."""

_Lists = dict[tuple[int, int], list[int]]
_KNOWN: WeakKeyDictionary[TreeInterface, _Lists] = WeakKeyDictionary()


def sibling_place(tree: TreeInterface, row: int) -> int:
    """Counted from 1. Siblings are listed once for all of them: separately, each would count all preceding ones."""
    parent, code = tree.parent(row), tree.codes[row] if tree.native is None else tree.native.code(row)
    lists = _KNOWN.setdefault(tree, {})
    rows = lists.get((parent, code), [])
    place = bisect_left(rows, row)
    if place == len(rows):
        # Not listed yet; or the tree has grown, which it does at its end.
        if len(lists) >= MOST_LISTS:
            lists.clear()
        rows = lists[parent, code] = _listed(tree, parent, code)
        place = bisect_left(rows, row)
    return place + 1


def _listed(tree: TreeInterface, parent: int, code: int) -> list[int]:
    if tree.native is not None:
        return tree.native.children_named(parent, code)
    codes = tree.codes
    return [row for row in tree.children(parent) if codes[row] == code]
