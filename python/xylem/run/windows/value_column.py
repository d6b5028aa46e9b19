"""The values of the items that open windows share; an item may have any number of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.values.saved_state import saved

_CHUNK = 512


@saved("value-column", 1, fields=("_values", "_begins", "_first", "_base", "total"))
class ValueColumn:
    """Values in the order of their items, with the start of each item's values.

    Holds:  the values of the items since the oldest open window, and at most as many older ones.
    """

    __slots__ = ("_base", "_begins", "_first", "_values", "total")

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._begins: list[int] | None = None
        """For each item, the number of values before its own; None while each has had exactly one."""
        self._first = 1
        """The position of the first item."""
        self._base = 0
        """Number of values before the first one kept."""
        self.total = 0
        """Number of values so far."""

    def add(self, values: Sequence[Any]) -> None:
        if self._begins is None and len(values) != 1:
            self._begins = list(range(self._base, self.total))
        if self._begins is not None:
            self._begins.append(self.total)
        self._values.extend(values)
        self.total += len(values)

    def add_one(self, value: Any) -> None:
        """Like `add`, for an item with one value."""
        if self._begins is not None:
            self._begins.append(self.total)
        self._values.append(value)
        self.total += 1

    def count(self, start: int) -> int:
        """The number of values since the item at this position."""
        return self.total - self.begin(start)

    def begin(self, start: int) -> int:
        """Number of values before those of the item at this position."""
        place = start - self._first
        if place < 0:
            return self._base
        if self._begins is None:
            return min(self._base + place, self.total)
        return self._begins[place] if place < len(self._begins) else self.total

    def values(self, start: int) -> list[Any]:
        return self._values[self.begin(start) - self._base :]

    def between(self, begin: int, end: int) -> list[Any]:
        """The values by number, counted from the first value ever."""
        return self._values[begin - self._base : end - self._base]

    def forget(self, before: int) -> int:
        """Drop the values of items before this position, from time to time; return the total number dropped so far."""
        empty = before - self._first
        if empty >= _CHUNK and empty * 2 >= len(self._values if self._begins is None else self._begins):
            keep = self.begin(before)
            del self._values[: keep - self._base]
            if self._begins is not None:
                del self._begins[:empty]
            self._base, self._first = keep, before
        return self._base

    def clear(self, following: int) -> None:
        self._values.clear()
        self._begins = None
        self._first = following
        self._base = self.total = 0
