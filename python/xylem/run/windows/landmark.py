"""Landmark windows (windows paper, 3.2.2): from each item where the start holds to every one where the end does."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from xylem.values.saved_state import saved

from .aggregates import Aggregates
from .cursor import ALL_NEEDS, CURSOR_FIELDS, NO_PLACE, Condition, Needs, Place, Window, WindowCursor
from .item_buffer import ItemBuffer
from .open_windows import EachWindow, Open, OpenWindows

_SLACK = 512


@saved(
    "landmark",
    1,
    fields=(*CURSOR_FIELDS, "_starts", "_dropped", "_last", "_given_last"),
    parts=("aggregates", "_index", "_buffer"),
)
class LandmarkCursor(WindowCursor):
    """Each item where the start condition holds remains a first item for good; each item that ends one gives a window.

    Holds:  the items since the first start, unless windows become hopeless.
    Order:  by last item; of windows with the same last item, by first item.
    End:    gives a window from each start to the last item, if that item has not ended it already, unless `force`.
    """

    def __init__(
        self,
        start: Condition | None,
        open_windows: OpenWindows | None,
        *,
        newstart: bool = False,
        force: bool = False,
        keeps_items: bool = True,
        needs: Needs = ALL_NEEDS,
        aggregates: Aggregates | None = None,
        shared: Condition | None = None,
        opening: Condition | None = None,
        longest: int | None = None,
    ) -> None:
        super().__init__(needs, aggregates)
        self._start = start
        self._index: OpenWindows = EachWindow(None) if open_windows is None else open_windows
        self._newstart = newstart
        self._force = force
        self._buffer = ItemBuffer() if keeps_items else None
        self._shared = shared
        self._opening = opening
        self._longest = longest
        self._starts: deque[Open] = deque()
        self._dropped = 0
        self._last: Place = NO_PLACE
        self._given_last: Sequence[Open] = ()

    def _step(self, current: Any, position: int, previous: Any, following: Any) -> Sequence[Window]:
        starts = self._start is None or self._start(current, position, previous, following)
        found: list[Window] = []
        if self._newstart and starts:
            self._give(self._index.ended(NO_PLACE, False), self._last, found)
        if self._longest is not None:
            self._drop_hopeless(position)
        if starts or self._starts:
            if not self._starts:
                self._clear(position)
            if self._buffer is not None:
                self._buffer.append(current)
                if self.limit is not None:
                    self._check(len(self._buffer), "items in open windows")
            if self.aggregates is not None:
                self.aggregates.add(current, position)
        if starts:
            self._add(current, position, previous, following)
        if not self._starts:
            return found
        self._last = last = self._end_place(current, position, previous, following)
        self._given_last = ()
        if not self._newstart and (self._shared is None or self._shared(*last)):
            self._given_last = self._index.ended(last, False)
            self._give(self._given_last, last, found)
        return found

    def _add(self, current: Any, position: int, previous: Any, following: Any) -> None:
        window = Open(self._start_place(current, position, previous, following), position)
        if self._opening is None or self._opening(*window.place):
            self._index.add(window)
        elif self._force:
            return
        self._starts.append(window)
        if self.limit is not None:
            self._check(len(self._starts), "windows that stay open")

    def _give(self, ending: Iterable[Open], last: Place, found: list[Window]) -> None:
        end = last[1]
        for window in ending:
            items = [] if self._buffer is None else self._buffer.between(window.start, end)
            results = () if self.aggregates is None else self.aggregates.results(window.start, self._buffer)
            found.append((items, *window.place, *last, *results))

    def _drop_hopeless(self, position: int) -> None:
        assert self._longest is not None
        while self._starts and position - self._starts[0].start >= self._longest:
            self._starts.popleft().is_over = True
            self._dropped += 1
        if self._dropped > len(self._starts) + _SLACK:
            self._index.drop_over()
            self._dropped = 0
        if not self._starts:
            self._clear(position)
        else:
            if self._buffer is not None:
                self._buffer.forget(self._starts[0].start)
            if self.aggregates is not None:
                self.aggregates.forget(self._starts[0].start)

    def _clear(self, following: int) -> None:
        if self._buffer is not None:
            self._buffer.clear(following)
        if self.aggregates is not None:
            self.aggregates.clear(following)

    def _end(self) -> Iterator[Window]:
        if self._force:
            return
        given = set(map(id, self._given_last))
        found: list[Window] = []
        self._give((window for window in self._starts if id(window) not in given), self._last, found)
        yield from found

    def held(self) -> Iterable[Any]:
        return () if self._buffer is None else self._buffer.held()

    def held_count(self) -> int:
        return 0 if self._buffer is None else len(self._buffer)
