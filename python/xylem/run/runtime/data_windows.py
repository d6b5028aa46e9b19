"""Data windows on paths (thesis §3.8.2): contiguous runs of items, by number or by a reference value.

A cursor takes items one by one and returns the windows they complete, so the same code serves a sequence in memory and
a stream. The last window may be smaller; no window follows the one that holds the last item.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from xylem.errors import DynamicError
from xylem.values.atomic_type import DOUBLE
from xylem.values.casting import cast
from xylem.values.saved_state import saved

from ..windows.feed import PAUSE

Window = list[Any]


class WindowCursor(Protocol):
    """Windows over items that arrive one after the other."""

    def push(self, item: Any) -> Iterator[Window]:
        """The windows that this item completes."""

    def finish(self) -> Iterator[Window]:
        """The last window, if items have arrived since the one before."""

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        """The windows over a whole sequence; pauses in it are passed on."""

    def held(self) -> Iterable[Any]:
        """The last items, which later windows may need."""

    def held_count(self) -> int:
        """Number of held items."""


@saved("count-windows", 1, fields=("_items", "_skip", "_has_new"))
class CountWindows:
    """`|count size step step|` (Def. 3.8.13).

    Holds:  at most `size` items.
    """

    def __init__(self, size: int, step: int) -> None:
        self._size = _positive(size, "size")
        self._step = _positive(step, "step")
        self._items: list[Any] = []
        self._skip = 0
        self._has_new = False

    def push(self, item: Any) -> Iterator[Window]:
        if self._skip:
            self._skip -= 1
            return
        self._items.append(item)
        self._has_new = True
        if len(self._items) == self._size:
            yield list(self._items)
            self._has_new = False
            self._skip = max(0, self._step - self._size)
            del self._items[: self._step]

    def finish(self) -> Iterator[Window]:
        if self._has_new:
            yield list(self._items)

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        return windows(items, self)

    def held(self) -> Iterable[Any]:
        return self._items

    def held_count(self) -> int:
        return len(self._items)


@saved("reference-windows", 1, fields=("_first", "_number", "_last", "_items", "_has_new"))
class ReferenceWindows:
    """`|reference diff size step step|` (Def. 3.8.14): items whose reference values lie within `size` of the start.

    Holds:  the items of the open window. Windows may be empty where values are sparse.
    Needs:  values that do not decrease, and that windows can pass; XYDY0004 for any other. After an infinite value, or
            one so large that rounding loses the step, windows would begin in one place for ever.
    """

    def __init__(self, size: float, step: float, reference: Callable[[Any], Any]) -> None:
        self._size = float(_positive(size, "size"))
        self._step = float(_positive(step, "step"))
        self._reference = reference
        self._first: float | None = None
        self._number = 0
        self._last = float("-inf")
        self._items: deque[tuple[float, Any]] = deque()
        self._has_new = False

    @property
    def _start(self) -> float:
        assert self._first is not None
        return self._first + self._number * self._step

    def push(self, item: Any) -> Iterator[Window]:
        value = self._value(item)
        if self._first is None:
            self._first = value
        while value >= self._start + self._size:
            yield [kept for _, kept in self._items]
            self._has_new = False
            self._number += 1
            while self._items and self._items[0][0] < self._start:
                self._items.popleft()
        if value >= self._start:
            self._items.append((value, item))
            self._has_new = True

    def _value(self, item: Any) -> float:
        self._last = reference_value(self._reference(item), self._last, self._size, self._step)
        return self._last

    def finish(self) -> Iterator[Window]:
        if self._has_new:
            yield [kept for _, kept in self._items]

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        return windows(items, self)

    def held(self) -> Iterable[Any]:
        return [kept for _, kept in self._items]

    def held_count(self) -> int:
        return len(self._items)


def reference_value(found: Any, last: float, size: float, step: float) -> float:
    """The reference value of an item that follows one with the value `last`."""
    if found is None:
        raise DynamicError("XPTY0004", "an item of the window has no reference value")
    value: float = cast(found, DOUBLE)
    if not value >= last:
        raise DynamicError("XYDY0004", f"the reference value {value:g} follows {last:g}")
    if not value < value + min(size, step):
        raise DynamicError("XYDY0004", f"a window of {size:g} does not get beyond the value {value:g}")
    return value


def windows(items: Iterable[Any], cursor: WindowCursor) -> Iterator[Window]:
    """The windows over a whole sequence."""
    for item in items:
        if item is PAUSE:
            yield PAUSE
        else:
            yield from cursor.push(item)
    yield from cursor.finish()


def _positive(number: Any, what: str) -> Any:
    if not number > 0:
        raise DynamicError("XYDY0004", f"the {what} of a window must be positive, not {number}")
    return number
