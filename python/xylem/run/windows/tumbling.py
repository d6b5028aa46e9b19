"""Tumbling windows (windows paper, 3.2.1, figure 5; XQuery 3.1 §3.12.4.1): they do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from xylem.values.saved_state import saved

from .aggregates import Aggregates
from .cursor import ALL_NEEDS, CURSOR_FIELDS, NO_PLACE, Condition, Needs, Place, Window, WindowCursor
from .feed import PAUSE

_RUN = 256


@saved(
    "tumbling", 1, fields=(*CURSOR_FIELDS, "_opened", "_opened_at", "_last", "_window"), parts=("aggregates",)
)
class TumblingCursor(WindowCursor):
    """Opens a window where the start condition holds and none is open; an item ends it by the end condition.

    Holds:  the items of the open window; none without `keeps_items`.
    Order:  by first item, and thereby by last item.
    End:    the open window is returned, unless `force`.
    """

    def __init__(
        self,
        start: Condition | None,
        end: Condition | None,
        *,
        newstart: bool = False,
        force: bool = False,
        keeps_items: bool = True,
        needs: Needs = ALL_NEEDS,
        aggregates: Aggregates | None = None,
        longest: int | None = None,
        early: bool = False,
    ) -> None:
        """`start` or `end` None: always. `early`: return a window when it opens, without items and end."""
        super().__init__(needs, aggregates)
        self._start = start
        self._ends = end
        self._newstart = newstart
        self._force = force
        self._keeps_items = keeps_items
        self._longest = longest
        self._early = early
        self._opened: Place | None = None
        self._opened_at = 0
        self._last: Place = NO_PLACE
        self._window: list[Any] = []

    def _step(self, current: Any, position: int, previous: Any, following: Any) -> Sequence[Window]:
        found: list[Window] = []
        starts: bool | None = None
        if self._newstart and self._opened is not None:
            starts = self._start is None or self._start(current, position, previous, following)
            if starts:
                self._close(found)
        if self._opened is None:
            if starts is None:
                starts = self._start is None or self._start(current, position, previous, following)
            if not starts:
                return found
            self._open(current, position, previous, following, found)
        assert self._opened is not None
        self._add(current, position)
        self._last = self._end_place(current, position, previous, following)
        if not self._newstart and (self._ends is None or self._ends(*self._opened, *self._last)):
            self._close(found)
        return found

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        """Runs a dedicated loop if nothing special is needed: most windows are of this kind."""
        if self._looks_ahead or self._newstart or self._early or self._longest is not None:
            return super().over(items)
        return self._plain(items)

    def _plain(self, items: Iterable[Any]) -> Iterator[Window]:
        start, end, aggregates = self._start, self._ends, self.aggregates
        keeps_current, _, keeps_previous, _ = self.needs.start
        reads_current, _, reads_previous, _ = self.needs.end
        # A run of items is kept for the aggregates, which take many at once faster than one by one.
        length = 0 if self._keeps_items else _RUN if aggregates is not None else 1
        limit = self.limit if self._keeps_items else None
        opened: Place | None = None
        previous: Any = None
        run: list[Any] = []
        position = first = 0
        last = NO_PLACE
        for item in items:
            if item is PAUSE:
                self._window = run if self._keeps_items else []
                yield PAUSE
                continue
            position += 1
            if opened is None:
                if start is not None and not start(item, position, previous, None):
                    previous = item if self._looks_back else None
                    continue
                opened = item if keeps_current else None, position, previous if keeps_previous else None, None
                first, run = position, []
                if aggregates is not None:
                    aggregates.clear(position)
            run.append(item)
            last = item if reads_current else None, position, previous if reads_previous else None, None
            if end is None or end(*opened, *last):
                yield (run if self._keeps_items else [], *opened, *last, *self._folded(run, first, position))
                opened = None
                run = []
            elif limit is not None and len(run) > limit:
                self._check(len(run), "items in an open window")
            elif length and len(run) >= length:
                if aggregates is not None:
                    aggregates.add_run(run, position)
                run = []
            previous = item if self._looks_back else None
        if opened is not None and not self._force:
            yield (run if self._keeps_items else [], *opened, *last, *self._folded(run, first, position))

    def _folded(self, run: list[Any], first: int, position: int) -> tuple[Any, ...]:
        if self.aggregates is None:
            return ()
        self.aggregates.add_run(run, position)
        return self.aggregates.results(first, run)

    def _open(self, current: Any, position: int, previous: Any, following: Any, found: list[Window]) -> None:
        self._opened = self._start_place(current, position, previous, following)
        self._opened_at = position
        self._window = []
        if self.aggregates is not None:
            self.aggregates.clear(position)
        if self._early:
            found.append(((), *self._opened, *NO_PLACE))

    def _add(self, current: Any, position: int) -> None:
        if self._longest is not None and position - self._opened_at >= self._longest:
            # The window is hopeless. It stays open, since the next one may start where it ends; its items may be
            # dropped.
            self._window = []
            return
        if self._keeps_items:
            self._window.append(current)
            self._check(len(self._window), "items in an open window")
        if self.aggregates is not None:
            self.aggregates.add(current, position)

    def _close(self, found: list[Window]) -> None:
        opened = self._opened
        self._opened = None
        if self._early or opened is None:
            return
        length = self._last[1] - self._opened_at + 1
        if self._longest is not None and length > self._longest:
            return
        results = () if self.aggregates is None else self.aggregates.results(self._opened_at, self._window)
        found.append((self._window, *opened, *self._last, *results))
        self._window = []

    def _end(self) -> Iterator[Window]:
        found: list[Window] = []
        if not self._force:
            self._close(found)
        yield from found

    @property
    def is_idle(self) -> bool:
        return self._opened is None and not self._is_waiting

    def held(self) -> Iterable[Any]:
        return self._window

    def held_count(self) -> int:
        return len(self._window)
