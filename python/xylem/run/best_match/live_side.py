"""A side of a best-match join whose items come one after the other, perhaps without end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from xylem.values.arriving import at_hand
from xylem.values.node import Node
from xylem.values.paged_tree import TreePages

from .node_rows import NodeRows
from .side_rows import PathLeaf, Row, SideRows


class LiveSide:
    """Rows of a side as its items arrive.

    Holds:  nothing; what whoever reads it keeps of a batch.
    """

    def __init__(
        self,
        items: Iterable[Any],
        rows: Callable[[Iterable[Any]], Iterator[Row]] | None,
        leaves: Sequence[Callable[[Row], Sequence[Any]]],
        paths: Sequence[PathLeaf | None],
    ) -> None:
        self._items = items
        self._rows = rows
        self._empty = SideRows((), None, leaves, paths)

    def batches(self, pages: TreePages | None = None) -> Iterator[SideRows]:
        """The rows that have come, one at least: the next one may be long in coming."""
        items = iter(self._items)
        if self._rows is not None:
            # Positions count from one row to the next.
            yield from (self._empty.like([row]) for row in self._rows(_paged(items, pages)))
            return
        for item in items:
            came = [item, *at_hand(items)]
            nodes = NodeRows.of(came)
            if nodes is None:
                yield self._empty.like([(one,) for one in came])
            else:
                yield self._empty.like(nodes.paged(pages))


def _paged(items: Iterator[Any], pages: TreePages | None) -> Iterator[Any]:
    """Items as they come, whose trees wait in a file while there is no room for them."""
    for item in items:
        if pages is not None and type(item) is Node:
            pages.take(item.tree)
        yield item
