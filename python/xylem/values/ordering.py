"""Orders for `order by`, fn:sort, fn:min and fn:max: total where `lt` leaves gaps (XQuery 3.1 §3.12.8).

NaN equals itself and comes before every other number; the empty sequence (None here) comes before or after
everything; xs:untypedAtomic counts as a string.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError

from .atomic import type_name
from .durations import Duration
from .families import CALENDAR, EQUALITY_ONLY, FAMILY_OF, Family
from .value_comparison import lt, not_comparable

if TYPE_CHECKING:
    from .collations import Collation

_EMPTY_LEAST = (0, 0)
_NAN = (1, 0)
_NAN_GREATEST = (3, 0)
_EMPTY_GREATEST = (4, 0)


def order_keys(
    values: Iterable[Any],
    collation: Collation | None = None,
    implicit_tz: int = 0,
    *,
    empty_greatest: bool = False,
) -> list[Any]:
    """Sort keys for a whole column of values. XPTY0004 if two values have no common order."""
    empty = _EMPTY_GREATEST if empty_greatest else _EMPTY_LEAST
    first: Any = None
    family: int | type | None = None
    keys: list[Any] = []
    for value in values:
        if value is None:
            keys.append(empty)
            continue
        own = _order_family(value)
        if own != family:
            if family is not None:
                raise not_comparable(first, value)
            first, family = value, own
        key = order_key(value, collation, implicit_tz)
        # NaN sorts next to the empty sequence, wherever that goes.
        keys.append(_NAN_GREATEST if key is _NAN and empty_greatest else key)
    return keys


def order_key(value: Any, collation: Collation | None = None, implicit_tz: int = 0) -> tuple[int, Any]:
    """The sort key of one value, among values of its own family."""
    family = FAMILY_OF[type(value)]
    if family == Family.STRING:
        return 2, value if collation is None else collation.key(value)
    if family == Family.NUMBER:
        return (2, value) if value == value else _NAN
    if family in CALENDAR:
        return 2, value.compare_key(implicit_tz)
    if family == Family.DURATION:
        return 2, (value.months, value.seconds)
    return 2, value if family == Family.BOOLEAN else value.value


def _order_family(value: Any) -> int | type:
    """The family within which `value` can be ordered."""
    family = FAMILY_OF[type(value)]
    if family in EQUALITY_ONLY or type(value) is Duration:
        raise DynamicError("XPTY0004", f"values of {type_name(value)} have no order")
    return type(value) if family == Family.DURATION else family


def order_compare(a: Any, b: Any, collation: Collation | None = None, implicit_tz: int = 0) -> int:
    """-1, 0 or 1; None is the empty sequence, which comes first."""
    if a is None or b is None:
        return (a is not None) - (b is not None)
    if a != a or b != b:
        if FAMILY_OF[type(a)] != FAMILY_OF[type(b)]:
            raise not_comparable(a, b)
        return int(a == a) - int(b == b)
    if lt(a, b, collation, implicit_tz):
        return -1
    return 1 if lt(b, a, collation, implicit_tz) else 0
