"""The common part of all window cursors: positions, neighbours, and the items at both ends of a window.

A condition is a function of (current, position, previous, next) at the start and, for the end, of the same four at the
end as well. A window is returned as its items, these eight values, and the values of its aggregates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from xylem.errors import DynamicError

from .aggregates import Aggregates
from .feed import PAUSE

Place = tuple[Any, int, Any, Any]
"""An item with its position and its neighbours, None if there are none or nothing reads them."""
Window = tuple[Any, ...]
Condition = Callable[..., bool]
NO_PLACE: Place = (None, 0, None, None)


@dataclass(frozen=True)
class Needs:
    """The values that are read: at the start, at the end, each as (current, position, previous, next)."""

    start: tuple[bool, bool, bool, bool] = (True, True, True, True)
    end: tuple[bool, bool, bool, bool] = (True, True, True, True)

    @property
    def looks_ahead(self) -> bool:
        """Whether an item is only processed once the next one is known."""
        return self.start[3] or self.end[3]


ALL_NEEDS = Needs()
CURSOR_FIELDS = ("_position", "_previous", "_current", "_is_waiting")
"""The stream state that all cursors keep."""


class WindowCursor:
    """Takes items one by one; returns the complete windows."""

    def __init__(self, needs: Needs, aggregates: Aggregates | None) -> None:
        self.needs = needs
        self._looks_ahead = needs.looks_ahead
        self._looks_back = needs.start[2] or needs.end[2]
        self.aggregates = aggregates
        self._position = 0
        self._previous: Any = None
        self._current: Any = None
        self._is_waiting = False
        self.limit: int | None = None
        """Most items or windows to keep; XYDY0010 beyond. None: unlimited."""

    def within(self, limit: int) -> Self:
        """The cursor with a limit, for sequences that may never end."""
        self.limit = limit
        return self

    def _check(self, kept: int, what: str) -> None:
        if self.limit is not None and kept > self.limit:
            raise DynamicError("XYDY0010", f"more than {self.limit:,} {what}")

    def push(self, item: Any) -> Iterable[Window]:
        """The windows that can be returned after this item."""
        if not self._looks_ahead:
            self._position = position = self._position + 1
            if not self._looks_back:
                return self._step(item, position, None, None)
            previous, self._previous = self._previous, item
            return self._step(item, position, previous, None)
        if not self._is_waiting:
            self._is_waiting, self._current = True, item
            return ()
        current, self._current = self._current, item
        previous, self._previous = self._previous, current
        self._position += 1
        return self._step(current, self._position, previous, item)

    def finish(self) -> Iterator[Window]:
        """The windows that the end of the input completes."""
        if self._is_waiting:
            self._is_waiting = False
            self._position += 1
            yield from self._step(self._current, self._position, self._previous, None)
        yield from self._end()

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        """The windows over a sequence, finite or not; items are read as windows are requested, pauses are passed on."""
        push = self.push
        for item in items:
            if item is PAUSE:
                yield PAUSE
                continue
            found = push(item)
            if found:
                yield from found
        yield from self.finish()

    @property
    def is_idle(self) -> bool:
        """Whether no window is open and no item waits for the next one."""
        return False

    def held(self) -> Iterable[Any]:
        """The last items, which later windows need."""
        raise NotImplementedError

    def held_count(self) -> int:
        """Number of held items."""
        raise NotImplementedError

    def _step(self, current: Any, position: int, previous: Any, following: Any) -> Sequence[Window]:
        raise NotImplementedError

    def _end(self) -> Iterator[Window]:
        raise NotImplementedError

    def _start_place(self, current: Any, position: int, previous: Any, following: Any) -> Place:
        """The stored part of the start: no item is kept longer than it is read."""
        needs = self.needs.start
        return (
            current if needs[0] else None,
            position,
            previous if needs[2] else None,
            following if needs[3] else None,
        )

    def _end_place(self, current: Any, position: int, previous: Any, following: Any) -> Place:
        needs = self.needs.end
        return (
            current if needs[0] else None,
            position,
            previous if needs[2] else None,
            following if needs[3] else None,
        )
