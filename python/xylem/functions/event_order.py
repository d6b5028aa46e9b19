"""xylem:event-order: items in the order of the times they carry, if they are out of order by at most a bound.

    xylem:event-order(stream("readings"), function($r) { $r/@time }, "10s", "drop")

An item waits until another has arrived whose time is later by the bound; all further items then belong after it. An
item that arrives even later is late: it is dropped and counted, kept elsewhere, or an error. Times are dates with
times, or numbers of seconds; a bound without a unit is a number of what the times count.

The results are copies, each a tree of its own, in document order.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from xylem.errors import DynamicError, StaticError
from xylem.values.atomize import atomize
from xylem.values.builder import TreeBuilder
from xylem.values.datetimes import DateTime
from xylem.values.families import INTEGER_CLASSES
from xylem.values.node import Node
from xylem.values.saved_state import saved
from xylem.values.strings import UntypedAtomic

from .context import Context
from .late_items import LateItems
from .registry import function

UNITS = 10**9
"""Of event time in a second: times are whole numbers of these, so that they compare alike everywhere."""
_BOUND = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d)?")
_SECONDS = {"ms": Decimal("0.001"), "s": Decimal(1)}
_SECONDS |= {"m": Decimal(60), "min": Decimal(60), "h": Decimal(3600), "d": Decimal(86400)}
_WIDEST = 1 << 120
LARGEST_DELAY = "10s"


class Late(StrEnum):
    """The treatment of late items."""

    DROP = "drop"
    STOP = "stop"
    DEAD_LETTER = "dead-letter"


def bound_of(text: str) -> int:
    """A bound such as `10s`, `500ms` or `3`, in units of event time."""
    found = _BOUND.fullmatch(text.strip())
    if found is None:
        raise StaticError("XYST0014", f"{text!r} is not a time such as 10s, 500ms or 2m")
    return int(Decimal(found[1]) * _SECONDS[found[2] or "s"] * UNITS)


def policy_of(text: str) -> Late:
    try:
        return Late(text)
    except ValueError:
        raise StaticError("XYST0014", f"{text!r} is not one of {', '.join(Late)}") from None


def event_time(value: Any, implicit_tz: int = 0) -> int:
    """When an item happened, in units of event time."""
    if value is None:
        raise DynamicError("XYDY0011", "there is no value")
    try:
        units = int(_seconds(value, implicit_tz) * UNITS)
    except (InvalidOperation, ValueError, OverflowError):
        raise DynamicError("XYDY0011", f"{str(value)[:40]!r} is neither a date with a time nor a number") from None
    if abs(units) >= _WIDEST:
        raise DynamicError("XYDY0011", f"{str(value)[:40]!r} is too large")
    return units


def _seconds(value: Any, implicit_tz: int) -> Decimal:
    if isinstance(value, DateTime):
        minutes, seconds = value.compare_key(implicit_tz)
        return Decimal(minutes) * 60 + Decimal(seconds)
    if type(value) in (int, float, Decimal) or type(value) in INTEGER_CLASSES:
        return Decimal(value)
    text = str(value).strip()
    if "T" in text or text.count(":") == 2:
        from xylem.values.atomic_type import DATE_TIME
        from xylem.values.casting import cast

        try:
            return _seconds(cast(UntypedAtomic(text), DATE_TIME), implicit_tz)
        except DynamicError:
            raise ValueError(text) from None
    return Decimal(text)


@saved("event-order", 1, fields=("_waiting", "_number", "_latest"))
class EventOrder:
    """Sorts items by their times.

    Holds:  items whose times lie within the bound of the latest one.
    Order:  by time, then by arrival.
    End:    when the input ends, waiting items come in order.
    """

    def __init__(
        self, time_of: Callable[[Any], Any], bound: str, late: str, ctx: Context, late_items: LateItems | None = None
    ) -> None:
        """`time_of` returns the value that holds an item's time, None if there is none."""
        self._time_of = time_of
        self._bound = bound_of(bound)
        self._policy = policy_of(late)
        self._ctx = ctx
        self._late_items = late_items if late_items is not None else ctx.static.late_items
        self._waiting: list[tuple[int, int, Any]] = []
        self._number = 0
        self._latest: int | None = None

    def push(self, item: Any) -> list[Any]:
        """The items whose turn has come, now that this one has arrived."""
        time = event_time(self._time_of(item), self._ctx.run.implicit_timezone_minutes)
        latest = self._latest
        if latest is None or time > latest:
            self._latest = latest = time
        elif time < latest - self._bound:
            self._refuse(item, latest - time)
            return []
        self._number += 1
        heapq.heappush(self._waiting, (time, self._number, item))
        return list(self._released(latest - self._bound))

    def finish(self) -> Iterator[Any]:
        """The rest."""
        return self._released(None)

    def held(self) -> list[Any]:
        return [item for _, _, item in self._waiting]

    def held_count(self) -> int:
        return len(self._waiting)

    def _released(self, watermark: int | None) -> Iterator[Any]:
        waiting = self._waiting
        while waiting and (watermark is None or waiting[0][0] <= watermark):
            yield _copy(heapq.heappop(waiting)[2])

    def _refuse(self, item: Any, behind: int) -> None:
        refuse(item, behind, self._policy, self._late_items)


def delay(behind: int) -> str:
    """How late an item is, in words."""
    return f"by {(Decimal(behind) / UNITS).normalize():f} s behind the latest item"


def refuse(item: Any, behind: int, policy: Late, late_items: LateItems | None) -> None:
    """Handle an item that is behind the latest one by more than is allowed."""
    why = delay(behind)
    if policy is Late.STOP:
        raise DynamicError("XYDY0012", why)
    if late_items is not None:
        late_items.take(item, why)


def _copy(item: Any) -> Any:
    """A node as a separate tree, which comes after all earlier ones."""
    if type(item) is not Node:
        return item
    builder = TreeBuilder(item.base_uri)
    builder.copy(item)
    return builder.finish()


@function(
    "xylem:event-order",
    "item()*, function(item()) as item()*, xs:string, xs:string",
    "item()*",
    lazy="items",
    context=True,
)
def event_order(
    ctx: Context, items: Iterable[Any], time: Any, bound: str = LARGEST_DELAY, late: str = Late.DROP
) -> Iterator[Any]:
    def time_of(item: Any) -> Any:
        values = list(atomize(time.call(item)))
        if len(values) > 1:
            raise DynamicError("XYDY0011", "there are several values")
        return values[0] if values else None

    order = EventOrder(time_of, bound, late, ctx)
    return ordered(order, items)


def ordered(order: EventOrder, items: Iterable[Any]) -> Iterator[Any]:
    """Items in order, as their turn comes."""
    for item in items:
        yield from order.push(item)
    yield from order.finish()
