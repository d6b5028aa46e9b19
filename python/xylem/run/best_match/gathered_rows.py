"""Copy the rows that are needed from pages that do not all fit in memory: each page is read once."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from xylem.values.compact_tree import CompactTree
from xylem.values.growing_tree import append_children, opened
from xylem.values.node import Node
from xylem.values.paged_tree import TreePages
from xylem.values.tree_interface import TreeInterface

from .node_rows import NodeRows


class GatheredRows:
    """Copies of some rows.

    Holds:  the copies, in one tree for all pages with the same names.
    """

    def __init__(self, rows: NodeRows, numbers: Iterable[int], pages: TreePages) -> None:
        in_order = sorted(set(numbers))
        trees: dict[int, CompactTree] = {}
        copies: dict[int, array[int]] = {}
        placed: dict[int, list[int]] = {}
        for tree, wanted, own in _by_page(rows, in_order):
            key = id(tree.qnames)
            if key not in trees:
                made = opened(Node(tree, tree.parent(own[0])))
                assert isinstance(made, CompactTree), "trees that take turns are the kernel's"
                trees[key], copies[key], placed[key] = made, array("I"), []
            copies[key].extend(append_children(trees[key], tree, own))
            placed[key] += wanted
            pages.release(tree)
        self.rows = NodeRows((trees[key], copies[key]) for key in trees)
        numbered = (number for key in trees for number in placed[key])
        self.place_of = {number: place for place, number in enumerate(numbered)}
        """Position of the copy of each row, by row number."""


def _by_page(rows: NodeRows, in_order: Sequence[int]) -> Iterable[tuple[TreeInterface, Sequence[int], list[int]]]:
    """For each page needed: its tree, the row numbers, and their positions in the tree."""
    starts, place = rows.starts, 0
    for part, (tree, own) in enumerate(rows.parts):
        start, end = starts[part], starts[part] + len(own)
        until = bisect_left(in_order, end, place)
        if until > place:
            wanted = in_order[place:until]
            yield tree, wanted, [own[number - start] for number in wanted]
        place = until
