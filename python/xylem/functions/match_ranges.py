"""Ranges of the values that a best-match join moves along, if tasks join range by range
(`rewrite/distribute/match_ranges.py`).

An item has its own range, and is sent to the ranges of all items within its reach; a range number and the role of the
item there are one integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import floor, isfinite, nan
from typing import Any

from xylem.errors import DynamicError
from xylem.values.atomic_type import DOUBLE
from xylem.values.casting import cast
from xylem.values.datetimes import Date, DateTime
from xylem.values.durations import DayTimeDuration
from xylem.values.strings import UntypedAtomic

from .context import Context
from .registry import function

RANGES = 256
"""Approximate number of ranges, however many items there are: several for each task, and each large enough."""
OWN, TOLD, BESIDE, ROLES = 0, 1, 2, 4
"""The roles of an item in a range: it is joined there, it may be a partner, or only a rival of partners."""
_ROUNDED = 2.0**-44
"""Relative to the size of numbers: more than the rounding error of their sums."""


@function("_match:place", "xs:anyAtomicType*", "xs:double?", context=True)
def place(ctx: Context, values: Sequence[Any]) -> float | None:
    """A value as a number along the join; empty for one that is in no pair."""
    if len(values) > 1:
        raise DynamicError("XPTY0004", f"an order compares one value, found {len(values)}")
    if not values:
        return None
    found = _size(values[0])
    if isinstance(values[0], (DateTime, Date)):
        minutes, seconds = values[0].compare_key(ctx.run.implicit_timezone_minutes)
        found = float(Decimal(minutes) * 60 + seconds)
    return found if isfinite(found) else None


@function("_match:size", "xs:anyAtomicType*", "xs:double")
def size(values: Sequence[Any]) -> float:
    """A number, or a duration in seconds; NaN for anything but one such value."""
    return _size(values[0]) if len(values) == 1 else nan


def _size(value: Any) -> float:
    if type(value) is UntypedAtomic:
        return float(cast(value, DOUBLE))
    if type(value) is DayTimeDuration:
        return float(value.seconds)
    if isinstance(value, (DateTime, Date)):
        return 0.0
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise DynamicError("FORG0001", f"an order compares numbers, durations, dates or times, not {str(value)[:40]!r}")
    return float(value)


@function(
    "_match:ranges",
    "xs:double?, xs:double, xs:double, xs:double?, xs:double?, xs:double, xs:integer",
    "xs:integer*",
)
def ranges(
    at: float | None, below: float, above: float, low: float | None, high: float | None, reach: float, role: int
) -> Sequence[int]:
    """The ranges that an item is sent to, from `below` to `above` its place; each with the role of the item.

    `low` and `high` are the ends of the places of items that are joined, `reach` is how far partners may be apart.
    """
    if at is None or low is None or high is None:
        return ()
    if not reach >= 0:
        # An invalid limit, which the join itself refuses, or bounds that exclude everything.
        return (role,)
    width = max(reach, (high - low) / RANGES) or 1.0
    if not isfinite(width):
        return (role,)
    slack = _ROUNDED * (abs(at) + abs(below) + abs(above) + abs(low))
    own = floor((at - low) / width)
    if role == OWN and below == above == 0:
        return (own * ROLES,)
    # Nothing is joined outside the places of joined items.
    first = max(floor((at + below - slack - low) / width), 0)
    last = min(floor((at + above + slack - low) / width), floor((high - low) / width))
    if role != OWN:
        return range(first * ROLES + role, last * ROLES + role + 1, ROLES)
    return [number * ROLES + (OWN if number == own else BESIDE) for number in range(first, last + 1)]
