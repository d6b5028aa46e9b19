"""Sliding windows (windows paper, 3.2.2; XQuery 3.1 §3.12.4.2): one window from each item where the start holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from xylem.values.saved_state import saved

from .aggregates import Aggregates
from .cursor import ALL_NEEDS, CURSOR_FIELDS, NO_PLACE, Condition, Needs, Place, Window, WindowCursor
from .feed import PAUSE
from .item_buffer import ItemBuffer
from .open_windows import EachWindow, Open, OpenWindows
from .quick_sliding import quick_loop

_SLACK = 512
"""Number of finished windows that may be remembered beyond the open ones."""


@saved(
    "sliding",
    1,
    fields=(*CURSOR_FIELDS, "_open", "_over", "_unindexed_over", "_last"),
    parts=("aggregates", "index", "buffer"),
)
class SlidingCursor(WindowCursor):
    """Opens a window at each item where the start condition holds; each window ends on its own.

    Holds:  the items since the oldest open window; and, in the order of first items, closed windows that wait for an
            older one.
    Order:  by last item, then by first item; with `by_start`, by first item.
    End:    open windows come after those that the last item ends, unless `force`.
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
        """`shared`: tested once for all windows. `opening`: if it is false, no item ends the window."""
        super().__init__(needs, aggregates)
        self.start = start
        self.index: OpenWindows = EachWindow(None) if open_windows is None else open_windows
        self.by_start = by_start
        self._newstart = newstart
        self._force = force
        self.buffer = ItemBuffer() if keeps_items else None
        self._shared = shared
        self._opening = opening
        self._longest = longest
        self._early = early
        self._open: deque[Open] = deque()
        """By start: open windows, and some that are over."""
        self._over = 0
        self._unindexed_over = 0
        self.open_count = 0
        """Number of windows that a dedicated loop keeps open when it pauses."""
        self._last: Place = NO_PLACE

    def _step(self, current: Any, position: int, previous: Any, following: Any) -> Sequence[Window]:
        starts = self.start is None or self.start(current, position, previous, following)
        if self._early:
            if not starts:
                return ()
            return [((), *self._start_place(current, position, previous, following), *NO_PLACE)]
        found: list[Window] = []
        if self._newstart and starts and self._open:
            self._close(self.index.ended(NO_PLACE, True), self._last, found)
        if self._longest is not None:
            self._drop_hopeless(position)
        if not self._open:
            if not starts:
                return found
            self.clear(position)
        if self.buffer is not None:
            self.buffer.append(current)
            if self.limit is not None:
                self.check_items()
        if self.aggregates is not None:
            self.aggregates.add(current, position)
        if starts:
            self._add(current, position, previous, following)
        self._last = last = self._end_place(current, position, previous, following)
        if not self._newstart and (self._shared is None or self._shared(*last)):
            closing = self.index.ended(last, True)
            if closing:
                self._close(closing, last, found)
        self._forget(position)
        return found

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        """Runs a dedicated loop if nothing special is needed: most windows are of this kind."""
        special = self._looks_ahead or self._newstart or self._early or self._longest is not None
        if special or self._opening is not None or self._shared is not None:
            return super().over(items)
        loop = quick_loop(self)
        return self.going_on(items) if loop is None else loop(self, items)

    def going_on(self, items: Iterable[Any]) -> Iterator[Window]:
        """The windows over a sequence; earlier items may have arrived before it."""
        return self._plain(items) if self.by_start else super().over(items)

    def _plain(self, items: Iterable[Any]) -> Iterator[Window]:
        start, aggregates, buffer, limit = self.start, self.aggregates, self.buffer, self.limit
        keeps_current, _, keeps_previous, _ = self.needs.start
        reads_current, _, reads_previous, _ = self.needs.end
        add, ended, waiting = self.index.add, self.index.ended, self._open
        keeps = buffer is not None or aggregates is not None
        previous: Any = self._previous
        position = self._position
        for item in items:
            if item is PAUSE:
                yield PAUSE
                continue
            position += 1
            if start is None or start(item, position, previous, None):
                if not waiting and keeps:
                    self.clear(position)
                before = previous if keeps_previous else None
                window = Open((item if keeps_current else None, position, before, None), position)
                add(window)
                waiting.append(window)
            elif not waiting:
                previous = item
                continue
            if buffer is not None:
                buffer.append(item)
            if aggregates is not None:
                aggregates.add(item, position)
            if limit is not None and position - waiting[0].start >= limit:
                self.check_open(len(waiting))
                if buffer is not None:
                    self.check_items()
            last = item if reads_current else None, position, previous if reads_previous else None, None
            closing = ended(last, True)
            if closing:
                for window in closing:
                    window.is_over = True
                    window.end = last
                    if aggregates is not None:
                        window.results = aggregates.results(window.start, buffer)
                while waiting and waiting[0].is_over:
                    yield self.given(waiting.popleft())
                if keeps:
                    self._forget(position)
            previous = item
            self._last = last
        self._position = position
        yield from self._end()

    def _add(self, current: Any, position: int, previous: Any, following: Any) -> None:
        window = Open(self._start_place(current, position, previous, following), position)
        if self._opening is None or self._opening(*window.place):
            self.index.add(window)
        elif self._force:
            return
        self._open.append(window)
        if self.limit is not None:
            self.check_open(len(self._open))

    def _close(self, closing: Sequence[Open], last: Place, found: list[Window]) -> None:
        end = last[1]
        for window in closing:
            window.is_over = True
            window.end = last
            if self.aggregates is not None:
                window.results = self.aggregates.results(window.start, self.buffer)
        if self.by_start:
            while self._open and self._open[0].is_over:
                found.append(self.given(self._open.popleft()))
            return
        for window in closing:
            items = [] if self.buffer is None else self.buffer.between(window.start, end)
            found.append((items, *window.place, *last, *window.results))
        self._over += len(closing)

    def given(self, window: Open) -> Window:
        assert window.end is not None
        if self.buffer is None:
            return ([], *window.place, *window.end, *window.results)
        return (self.buffer.between(window.start, window.end[1]), *window.place, *window.end, *window.results)

    def _drop_hopeless(self, position: int) -> None:
        """Drop the windows that would become too long: the oldest ones."""
        assert self._longest is not None
        while self._open and position - self._open[0].start >= self._longest:
            window = self._open.popleft()
            if window.is_over:
                self._over -= not self.by_start
            else:
                window.is_over = True
                self._unindexed_over += 1
        if self._unindexed_over > len(self._open) + _SLACK:
            self.index.drop_over()
            self._unindexed_over = 0

    def _forget(self, position: int) -> None:
        waiting = self._open
        if not self.by_start:
            while waiting and waiting[0].is_over:
                waiting.popleft()
                self._over -= 1
            if self._over > len(waiting) // 2 + _SLACK:
                self._open = waiting = deque(window for window in waiting if not window.is_over)
                self._over = 0
        if waiting:
            self.forget_before(waiting[0].start)
            return
        self.clear(position + 1)

    # --- used by dedicated loops

    def resume(self, waiting: Iterable[Open], position: int, previous: Any, last: Place | None) -> None:
        """Continue after the item at this position, with the open windows and those that are over and wait."""
        self._position, self._previous = position, previous
        self.open_count = 0
        self._last = NO_PLACE if last is None else last
        for window in waiting:
            self._open.append(window)
            if not window.is_over:
                self.index.add(window)

    def check_open(self, kept: int) -> None:
        self._check(kept, "windows that are open, or wait for one that is")

    def check_items(self) -> None:
        assert self.buffer is not None
        self._check(len(self.buffer), "items in open windows")

    def forget_before(self, position: int) -> None:
        """No window will need items before this position."""
        if self.buffer is not None:
            self.buffer.forget(position)
        if self.aggregates is not None:
            self.aggregates.forget(position)

    def clear(self, following: int) -> None:
        if self.buffer is not None:
            self.buffer.clear(following)
        if self.aggregates is not None:
            self.aggregates.clear(following)

    def _end(self) -> Iterator[Window]:
        for window in self._open:
            if window.is_over:
                if self.by_start:
                    yield self.given(window)
            elif not self._force:
                window.end = self._last
                if self.aggregates is not None:
                    window.results = self.aggregates.results(window.start, self.buffer)
                yield self.given(window)

    @property
    def is_idle(self) -> bool:
        return not self._open and not self._is_waiting

    def held(self) -> Iterable[Any]:
        return () if self.buffer is None else self.buffer.held()

    def held_count(self) -> int:
        if self.buffer is not None:
            return len(self.buffer)
        # For windows that keep no items, the items that opened them may be read.
        return self.open_count or len(self._open) if self.needs.start[0] or self.needs.start[2] else 0
