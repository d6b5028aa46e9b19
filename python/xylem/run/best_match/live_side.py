"""A side of a best-match join whose items arrive one after the other, perhaps without end."""

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

    Holds:  nothing; its readers decide what they keep of a batch.
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

    def batches(self, pages: TreePages | None = None, taken: int = 0) -> Iterator[SideRows]:
        """The rows that have arrived, at least one: the next may be long in coming. Also the number of items before."""
        items = iter(self._items)
        if self._rows is not None:
            # Positions count on from row to row; each row belongs to the item read last.
            counted = _Counted(_paged(items, pages), taken)
            yield from (self._batch([row], counted.number - 1) for row in self._rows(counted))
            return
        for item in items:
            came = [item, *at_hand(items)]
            nodes = NodeRows.of(came)
            yield self._batch([(one,) for one in came] if nodes is None else nodes.paged(pages), taken)
            taken += len(came)

    def again(self, items: Sequence[Any]) -> SideRows:
        """The rows of items that arrived earlier."""
        if self._rows is not None:
            return self._empty.like(list(self._rows(items)))
        nodes = NodeRows.of(items)
        return self._empty.like([(one,) for one in items] if nodes is None else nodes)

    def _batch(self, rows: Sequence[Row], first_item: int) -> SideRows:
        made = self._empty.like(rows)
        made.first_item = first_item
        return made


class _Counted:
    """Counts items as they are read."""

    def __init__(self, items: Iterator[Any], number: int) -> None:
        self._items = items
        self.number = number

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        item = next(self._items)
        self.number += 1
        return item


def _paged(items: Iterator[Any], pages: TreePages | None) -> Iterator[Any]:
    """Items as they arrive; their trees are spilled to a file while memory is short."""
    for item in items:
        if pages is not None and type(item) is Node:
            pages.take(item.tree)
        yield item
