"""Rows of pairs whose trees were spilled to a file: read page by page, not pair by pair (thesis, 4.3.4.2).

Pairs come in tuple order, and partners lie in any page of the other side. While the pages of the next pairs fit into
memory, rows are read as they come. Otherwise the reader takes as many pairs as memory allows, reads each page once and
copies the rows that any of these pairs needs. Without that, almost every pair would read a page again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from xylem.values.paged_tree import TreePages

from .best_pairs import Place
from .gathered_rows import GatheredRows
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
    size = block_size(left, right, pages)
    remaining = iter(pairs)
    while block := list(islice(remaining, size)):
        lefts = _rows_of(left, {one for one, _ in block}, pages)
        rights = _rows_of(right, {other for _, other in block}, pages)
        for one, other in block:
            yield lefts(one), rights(other)


def block_size(left: SideRows, right: SideRows, pages: TreePages) -> int:
    """The number of pairs whose rows fit in memory as copies."""
    rows = len(left) + len(right)
    return max(LEAST_PAIRS, pages.memory_bytes * rows // (4 * max(pages.taken_bytes, 1)))


def _rows_of(side: SideRows, numbers: set[int], pages: TreePages) -> RowOf:
    """The reader for rows of given numbers."""
    rows = side.rows
    if not isinstance(rows, NodeRows) or not side.may_be_copied:
        return rows.__getitem__
    starts = rows.starts
    needed = {bisect_right(starts, number) for number in numbers}
    if len(needed) * pages.mean_bytes <= pages.memory_bytes // 4:
        return rows.__getitem__
    gathered = GatheredRows(rows, numbers, pages)
    copies, place_of = gathered.rows, gathered.place_of
    return lambda number: copies[place_of[number]]
