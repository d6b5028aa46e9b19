"""Sliding windows (windows paper, 3.2.2; XQuery 3.1 §3.12.4.2): one window from each item where the start holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .aggregates import Aggregates
from .cursor import ALL_NEEDS, NO_PLACE, Condition, Needs, Place, Window, WindowCursor
from .item_buffer import ItemBuffer
from .open_windows import EachWindow, Open, OpenWindows

_SLACK = 512
"""How many windows that are over may be remembered beyond the open ones."""


class SlidingCursor(WindowCursor):
    """Opens a window at each item where the start condition holds; each ends for itself.

    Holds:  the items since the oldest open window; and, in the order of first items, closed windows that wait for an
            older one.
    Order:  by last item; of windows with the same last item, by first item. Or by first item: `by_start`.
    End:    open windows are given after those that the last item ends, unless `force`.
    """

    def __init__(
        self,
        start: Condition | None,
        open_windows: OpenWindows | None,
        *,
        by_start: bool = False,
        newstart: bool = False,
        force: bool = False,
        keeps_items: bool = True,
        needs: Needs = ALL_NEEDS,
        aggregates: Aggregates | None = None,
        shared: Condition | None = None,
        opening: Condition | None = None,
        longest: int | None = None,
        early: bool = False,
    ) -> None:
        """`shared`: tested once for all windows. `opening`: where it is false, no item ends the window."""
        super().__init__(needs, aggregates)
        self._start = start
        self._index: OpenWindows = EachWindow(None) if open_windows is None else open_windows
        self._by_start = by_start
        self._newstart = newstart
        self._force = force
        self._buffer = ItemBuffer() if keeps_items else None
        self._shared = shared
        self._opening = opening
        self._longest = longest
        self._early = early
        self._open: deque[Open] = deque()
        """By start: open windows, and among them some that are over."""
        self._over = 0
        self._unindexed_over = 0
        self._last: Place = NO_PLACE

    def _step(self, current: Any, position: int, previous: Any, following: Any) -> Sequence[Window]:
        starts = self._start is None or self._start(current, position, previous, following)
        if self._early:
            if not starts:
                return ()
            return [((), *self._start_place(current, position, previous, following), *NO_PLACE)]
        found: list[Window] = []
        if self._newstart and starts and self._open:
            self._close(self._index.ended(NO_PLACE, True), self._last, found)
        if self._longest is not None:
            self._drop_hopeless(position)
        if not self._open:
            if not starts:
                return found
            self._clear(position)
        if self._buffer is not None:
            self._buffer.append(current)
            if self.limit is not None:
                self._check(len(self._buffer), "items in open windows")
        if self._aggregates is not None:
            self._aggregates.add(current, position)
        if starts:
            self._add(current, position, previous, following)
        self._last = last = self._end_place(current, position, previous, following)
        if not self._newstart and (self._shared is None or self._shared(*last)):
            closing = self._index.ended(last, True)
            if closing:
                self._close(closing, last, found)
        self._forget(position)
        return found

    def _add(self, current: Any, position: int, previous: Any, following: Any) -> None:
        window = Open(self._start_place(current, position, previous, following), position)
        if self._opening is None or self._opening(*window.place):
            self._index.add(window)
        elif self._force:
            return
        self._open.append(window)
        if self.limit is not None:
            self._check(len(self._open), "windows that are open, or wait for one that is")

    def _close(self, closing: Sequence[Open], last: Place, found: list[Window]) -> None:
        end = last[1]
        for window in closing:
            window.is_over = True
            window.end = last
            if self._aggregates is not None:
                window.results = self._aggregates.results(window.start, self._buffer)
        if self._by_start:
            while self._open and self._open[0].is_over:
                found.append(self._given(self._open.popleft()))
            return
        for window in closing:
            items = [] if self._buffer is None else self._buffer.between(window.start, end)
            found.append((items, *window.place, *last, *window.results))
        self._over += len(closing)

    def _given(self, window: Open) -> Window:
        assert window.end is not None
        items = [] if self._buffer is None else self._buffer.between(window.start, window.end[1])
        return (items, *window.place, *window.end, *window.results)

    def _drop_hopeless(self, position: int) -> None:
        """Windows that would become too long: the oldest ones."""
        assert self._longest is not None
        while self._open and position - self._open[0].start >= self._longest:
            window = self._open.popleft()
            if window.is_over:
                self._over -= not self._by_start
            else:
                window.is_over = True
                self._unindexed_over += 1
        if self._unindexed_over > len(self._open) + _SLACK:
            self._index.drop_over()
            self._unindexed_over = 0

    def _forget(self, position: int) -> None:
        waiting = self._open
        if not self._by_start:
            while waiting and waiting[0].is_over:
                waiting.popleft()
                self._over -= 1
            if self._over > len(waiting) // 2 + _SLACK:
                self._open = waiting = deque(window for window in waiting if not window.is_over)
                self._over = 0
        if waiting:
            if self._buffer is not None:
                self._buffer.forget(waiting[0].start)
            if self._aggregates is not None:
                self._aggregates.forget(waiting[0].start)
            return
        self._clear(position + 1)

    def _clear(self, following: int) -> None:
        if self._buffer is not None:
            self._buffer.clear(following)
        if self._aggregates is not None:
            self._aggregates.clear(following)

    def _end(self) -> Iterator[Window]:
        for window in self._open:
            if window.is_over:
                if self._by_start:
                    yield self._given(window)
            elif not self._force:
                window.end = self._last
                if self._aggregates is not None:
                    window.results = self._aggregates.results(window.start, self._buffer)
                yield self._given(window)

    def held(self) -> Iterable[Any]:
        return () if self._buffer is None else self._buffer.held()

    def held_count(self) -> int:
        return 0 if self._buffer is None else len(self._buffer)
