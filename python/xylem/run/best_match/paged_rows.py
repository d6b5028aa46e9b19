"""Rows of pairs whose trees were spilled to a file: read page by page, not pair by pair (thesis, 4.3.4.2).

Pairs come in tuple order, and partners lie in any page of the other side. While the pages of the next pairs fit into
memory, rows are read as they come (*gallop*). Otherwise the reader takes as many pairs as memory allows, reads each
page once and copies the rows that any of these pairs needs (*crabstep*). Without that, almost every pair would read a
page again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from xylem.values.compact_tree import CompactTree
from xylem.values.growing_tree import append_child, opened
from xylem.values.node import Node
from xylem.values.paged_tree import TreePages

from .best_pairs import Place
from .node_rows import NodeRows
from .side_rows import Row, SideRows

LEAST_PAIRS = 64
RowOf = Callable[[int], Row]


def paged_rows(
    pairs: Iterable[Place], left: SideRows, right: SideRows, pages: TreePages
) -> Iterator[tuple[Row, Row]]:
    """The rows of each pair, in the order of the pairs.

    Holds:  copies of the rows of one block of pairs, as large as half of what pages may take.
    """
    rows = len(left) + len(right)
    size = max(LEAST_PAIRS, pages.memory_bytes * rows // (4 * max(pages.taken_bytes, 1)))
    remaining = iter(pairs)
    while block := list(islice(remaining, size)):
        lefts = _rows_of(left, {one for one, _ in block}, pages)
        rights = _rows_of(right, {other for _, other in block}, pages)
        for one, other in block:
            yield lefts(one), rights(other)


def _rows_of(side: SideRows, numbers: set[int], pages: TreePages) -> RowOf:
    """How the rows of some numbers are read."""
    rows = side.rows
    if not isinstance(rows, NodeRows) or not side.may_be_copied:
        return rows.__getitem__
    starts = rows.starts
    in_order = sorted(numbers)
    needed = {bisect_right(starts, number) for number in in_order}
    if len(needed) * pages.mean_bytes <= pages.memory_bytes // 4:
        return rows.__getitem__
    copies: dict[int, Row] = {}
    trees: dict[int, CompactTree] = {}
    for number in in_order:
        (node,) = rows[number]
        copies[number] = (_copied(node, trees),)
    return copies.__getitem__


def _copied(node: Node, trees: dict[int, CompactTree]) -> Node:
    """A copy of a node in the tree of its block; those of other names than the first one's have a tree of their own."""
    source = node.tree
    tree = trees.get(id(source.qnames))
    if tree is None:
        made = opened(Node(source, source.parents[node.pre]))
        assert isinstance(made, CompactTree), "trees that take turns are the kernel's"
        tree = trees[id(source.qnames)] = made
    place = len(tree.native)
    append_child(tree, node)
    return Node(tree, place)
