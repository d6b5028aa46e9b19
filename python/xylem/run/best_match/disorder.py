"""The declared disorder of a stream, and which values can no longer arrive (thesis, 4.3.3).

*Value constraint*: no value arrives that is lower than the greatest one so far minus a number. *Read-ahead*: after a
given number of items in a row that are not below a value, no lower one arrives. *Punctuation*: an item states that all
values up to its own have arrived. An item that breaks such a promise is late.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice
from math import inf, isfinite, isnan, nextafter
from operator import le
from typing import Any, NamedTuple

from xylem.errors import DynamicError
from xylem.functions.event_order import Late
from xylem.functions.late_items import LateItems


class StreamOrder(NamedTuple):
    """The declared order of one stream; by default its values are strictly ascending."""

    within: float = 0.0
    """How far a value may lie below the greatest value before it."""
    read_ahead: int = 0
    punctuation: int | None = None
    """The leaf whose value promises that all values up to it have arrived."""
    late: Late = Late.STOP


class Progress:
    """Watches the values of one side as they arrive.

    Holds:  the values read ahead.
    """

    def __init__(self, order: StreamOrder, name: str, late_items: LateItems | None, direction: int = 1) -> None:
        """`direction` is -1 for falling values, which are given with the opposite sign."""
        self._order = order
        self._direction = direction
        self._is_plain = not order.within and not order.read_ahead and order.punctuation is None
        self._name = name
        self._late_items = late_items
        self._last: deque[float] = deque(maxlen=order.read_ahead or 1)
        self.reached = -inf
        """No further value is below this one."""
        self.greatest = -inf
        self.scale = 1.0
        """Units of the values per declared unit: times are counted in microseconds."""
        self.late = 0
        self.has_ended = False

    def take(self, keys: Sequence[float], marks: Sequence[float] | None, rows: Sequence[Any]) -> list[int] | None:
        """Take some rows; return the numbers of those that are not late, or None if none is late."""
        if self._is_plain and marks is None and keys[0] >= self.reached and all(map(le, keys, islice(keys, 1, None))):
            self.reached = self.greatest = keys[-1]
            return None
        kept: list[int] = []
        reached, greatest = self.reached, self.greatest
        for number, key in enumerate(keys):
            if key < reached:
                self._refuse(rows[number][0], key)
            else:
                kept.append(number)
                if not isnan(key):
                    greatest = max(greatest, key)
                    reached = self._reached(reached, greatest, key)
            if marks is not None and nextafter(marks[number], inf) > reached:
                reached = nextafter(marks[number], inf)
            self.reached, self.greatest = reached, greatest
        return None if len(kept) == len(keys) else kept

    def end(self) -> None:
        self.has_ended = True
        self.reached = inf

    def plain(self) -> tuple[float, float, tuple[float, ...], int]:
        """The state as plain values."""
        return self.reached, self.greatest, tuple(self._last), self.late

    def go_on(self, reached: float, greatest: float, last: Sequence[float], late: int) -> None:
        """Restore the state from `plain`."""
        self.reached, self.greatest, self.late = reached, greatest, late
        self._last.extend(last)

    def _reached(self, reached: float, greatest: float, key: float) -> float:
        order = self._order
        if order.read_ahead:
            self._last.append(key)
            return max(reached, min(self._last)) if len(self._last) == order.read_ahead else reached
        if order.punctuation is not None and not order.within:
            # If only punctuation is declared, nothing else makes a promise.
            return reached
        return max(reached, greatest - order.within * self.scale)

    def _refuse(self, item: Any, key: float) -> None:
        side = "below" if self._direction > 0 else "above"
        why = f"{self._name} has {self._told(key)} after all values {side} {self._told(self.reached)} were complete"
        if self._order.late is Late.STOP:
            raise DynamicError(
                "XYDY0012",
                why,
                hint='allow more disorder: declare option xylem:watermark "5"; or drop late items: declare option '
                'xylem:late "drop"',
            )
        self.late += 1
        if self._late_items is not None:
            self._late_items.take(item, why, self._name)

    def _told(self, key: float) -> str:
        """A value as the query sees it."""
        value = key * self._direction
        if self.scale == 1.0 or not isfinite(value):
            return f"{value:.15g}"
        return (_TIMES_BEGIN + timedelta(microseconds=round(value))).isoformat()


_TIMES_BEGIN = datetime(2000, 1, 1)
