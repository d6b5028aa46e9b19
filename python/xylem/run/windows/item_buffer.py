"""The items that open windows share (windows paper, 6.2): each is kept once, however many windows it is in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xylem.values.saved_state import saved

_CHUNK = 512
"""The list is shortened when it has this many empty places, at least half of it: that costs next to nothing."""


@saved("item-buffer", 1, fields=("_items", "_first", "_cleared"))
class ItemBuffer:
    """Items by their position in the input.

    Holds:  the items from the position last given to `forget` on; also empty places before it, at most one chunk or as
            many as there are items.
    """

    __slots__ = ("_cleared", "_first", "_items")

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._first = 1
        """The position of the first place."""
        self._cleared = 1
        """The position of the first item."""

    def append(self, item: Any) -> None:
        self._items.append(item)

    def between(self, start: int, end: int) -> list[Any]:
        """The items at these positions, both included."""
        first = self._first
        return self._items[start - first : end - first + 1]

    def forget(self, before: int) -> None:
        """No item before this position will be requested again."""
        if before <= self._cleared:
            return
        items, first = self._items, self._first
        for place in range(self._cleared - first, before - first):
            items[place] = None
        self._cleared = before
        empty = before - first
        if empty >= _CHUNK and empty * 2 >= len(items):
            del items[:empty]
            self._first = before

    def clear(self, following: int) -> None:
        """No item is needed any more; `following` is the position of the next item."""
        self._items.clear()
        self._first = self._cleared = following

    def held(self) -> Iterable[Any]:
        return self._items[self._cleared - self._first :]

    def __len__(self) -> int:
        return len(self._items) - (self._cleared - self._first)

    def from_position(self, start: int) -> list[Any]:
        """The items from this position on."""
        return self._items[start - self._first :]
