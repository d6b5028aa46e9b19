"""Sort keys for atomic values, and which values have a common order.

Like `values/ordering.py`, but deciding for whole families of values at once, for functions that sort many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xylem.values.collations import Collation
from xylem.values.durations import DayTimeDuration, Duration, YearMonthDuration
from xylem.values.families import CALENDAR, EQUALITY_ONLY, FAMILY_OF, Family

OrderFamily = int | type
ORDER_FAMILY: dict[type, OrderFamily] = {
    cls: cls if family is Family.DURATION else family
    for cls, family in FAMILY_OF.items()
    if family not in EQUALITY_ONLY and cls is not Duration
}
"""By class: values with the same entry are ordered by `lt`; classes without one have no order."""


def key_of_family(family: OrderFamily, collation: Collation | None, implicit_tz: int) -> Callable[[Any], Any] | None:
    """A function from values to keys that Python sorts correctly; None if values are their own keys."""
    if family is Family.STRING:
        return None if collation is None else collation.key
    if family in CALENDAR:
        return lambda value: value.compare_key(implicit_tz)
    return _KEYS.get(family)


_KEYS: dict[OrderFamily, Callable[[Any], Any]] = {
    YearMonthDuration: lambda value: value.months,
    DayTimeDuration: lambda value: value.seconds,
    Family.HEX_BINARY: lambda value: value.value,
    Family.BASE64_BINARY: lambda value: value.value,
}
