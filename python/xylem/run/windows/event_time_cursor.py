"""Windows over items in event time: an item waits until its time comes before a cursor sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xylem.functions.event_order import EventOrder
from xylem.values.saved_state import saved

from .feed import PAUSE


@saved("event-time", 1, parts=("_order", "_cursor"))
class EventTimeCursor:
    """A cursor that gets its items in event-time order.

    Holds:  the state of the cursor, and the items that wait for their turn.
    Order:  that of the cursor.
    End:    first waiting items are processed, then open windows end.
    """

    def __init__(self, order: EventOrder, cursor: Any) -> None:
        self._order = order
        self._cursor = cursor

    def push(self, item: Any) -> Iterator[Any]:
        for one in self._order.push(item):
            yield from self._cursor.push(one)

    def finish(self) -> Iterator[Any]:
        for one in self._order.finish():
            yield from self._cursor.push(one)
        yield from self._cursor.finish()

    def over(self, items: Iterable[Any]) -> Iterator[Any]:
        """The windows over a sequence; pauses are passed on."""
        for item in items:
            if item is PAUSE:
                yield PAUSE
            else:
                yield from self.push(item)
        yield from self.finish()

    def held(self) -> Iterable[Any]:
        return [*self._cursor.held(), *self._order.held()]

    def held_count(self) -> int:
        count: int = self._cursor.held_count()
        return count + self._order.held_count()
