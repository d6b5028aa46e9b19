"""Tumbling windows whose items are processed as they arrive (windows paper, 6.3.4, improved pipelining).

A window is an iterator over its items: its reader pulls the input. A request for the next window skips the items that
were not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .cursor import NO_PLACE, Condition, Place, Window
from .feed import PAUSE, Pause


def streamed_tumbling(
    items: Iterable[Any], start: Condition | None, end: Condition | None, newstart: bool, looks_ahead: bool
) -> Iterator[Window]:
    """Windows as iterators. Each must be read before the next.

    Holds:  one item, or two if a condition looks ahead.
    """
    places = _Places(items, looks_ahead)
    while (place := places.next()) is not None:
        if isinstance(place, Pause):
            yield PAUSE  # type: ignore[misc]
            continue
        if start is not None and not start(*place):
            continue
        window = _OpenWindow(places, place, start, end, newstart)
        yield (window, *place, *NO_PLACE)
        for item in window:
            if item is PAUSE:
                yield PAUSE


class _Places:
    """Items with positions and neighbours; one item that was read can be put back."""

    def __init__(self, items: Iterable[Any], looks_ahead: bool) -> None:
        self._items = iter(items)
        self._looks_ahead = looks_ahead
        self._ahead: list[Any] = []
        self._back: Place | None = None
        self._previous: Any = None
        self._position = 0
        self._is_over = False

    def next(self) -> Place | Pause | None:
        if self._back is not None:
            place, self._back = self._back, None
            return place
        while len(self._ahead) <= self._looks_ahead and not self._is_over:
            for item in self._items:
                if isinstance(item, Pause):
                    return item
                self._ahead.append(item)
                break
            else:
                self._is_over = True
        if not self._ahead:
            return None
        current = self._ahead.pop(0)
        self._position += 1
        previous, self._previous = self._previous, current
        return current, self._position, previous, self._ahead[0] if self._ahead else None

    def put_back(self, place: Place) -> None:
        self._back = place


class _OpenWindow:
    """The items of one window, from the input."""

    __slots__ = ("_end", "_first", "_is_over", "_newstart", "_opened", "_places", "_start")

    def __init__(
        self, places: _Places, opened: Place, start: Condition | None, end: Condition | None, newstart: bool
    ) -> None:
        self._places = places
        self._opened = opened
        self._start = start
        self._end = end
        self._newstart = newstart
        self._first = True
        self._is_over = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._is_over:
            raise StopIteration
        if self._first:
            self._first, place = False, self._opened
        else:
            found = self._places.next()
            if isinstance(found, Pause):
                return found
            if found is None:
                self._is_over = True
                raise StopIteration
            place = found
            if self._newstart and (self._start is None or self._start(*place)):
                self._places.put_back(place)
                self._is_over = True
                raise StopIteration
        if not self._newstart and (self._end is None or self._end(*self._opened, *place)):
            self._is_over = True
        return place[0]
