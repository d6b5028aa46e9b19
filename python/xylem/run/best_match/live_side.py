"""A side of a best-match join whose items come one after the other, perhaps without end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

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

    def batches(self) -> Iterator[SideRows]:
        """The rows, one at a time: the next one may be long in coming."""
        rows = ((item,) for item in self._items) if self._rows is None else self._rows(self._items)
        for row in rows:
            yield self._empty.like([row])
