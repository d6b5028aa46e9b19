"""Every sub-sequence of the input (windows paper, 3.3): 2ⁿ-1 of n items, by their last items.

Sub-sequences are bitmaps, enumerated downwards as Vance and Maier enumerate subsets, the first item being the highest
bit: those with the same last item come in the order the paper lists them, (a,b,c), (a,c), (b,c), (c).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xylem.errors import DynamicError
from xylem.values.saved_state import saved

from .cursor import NO_PLACE, Window
from .feed import PAUSE


@saved("subsequences", 1, fields=("_items",))
class SubsequenceCursor:
    """The sub-sequences that end with each item, computed one by one on request.

    Holds:  all items so far, at most `limit`; XYDY0010 beyond.
    Order:  by last item.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._items: list[Any] = []
        self._limit = limit

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        for item in items:
            if item is PAUSE:
                yield PAUSE
                continue
            yield from self.push(item)

    def push(self, item: Any) -> Iterator[Window]:
        if self._limit is not None and len(self._items) >= self._limit:
            raise DynamicError("XYDY0010", f"the sub-sequences of more than {self._limit:,} items")
        self._items.append(item)
        return self._ending_here()

    def _ending_here(self) -> Iterator[Window]:
        *before, last = self._items
        width = len(before)
        for mask in range((1 << width) - 1, -1, -1):
            chosen = [item for place, item in enumerate(before, 1) if mask >> (width - place) & 1]
            chosen.append(last)
            yield (chosen, *NO_PLACE, *NO_PLACE)

    def finish(self) -> Iterator[Window]:
        return iter(())

    def held(self) -> Iterable[Any]:
        return self._items

    def held_count(self) -> int:
        return len(self._items)
