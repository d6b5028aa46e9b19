"""The distance of two values: definition 4.2.1 of the thesis, for all values that can be subtracted.

    xylem:distance($trade/@at, $quote/@at)                          a number
    xylem:distance(xs:dateTime($a/t), xs:dateTime($b/t))            a duration that is not negative
"""

from __future__ import annotations

from typing import Any

from xylem.values.arithmetic import multiply, subtract
from xylem.values.durations import Duration

from .context import Context
from .numeric_functions import absolute_value
from .registry import function


@function("xylem:distance", "xs:anyAtomicType?, xs:anyAtomicType?", "xs:anyAtomicType?", context=True)
def distance(ctx: Context, a: Any, b: Any) -> Any:
    if a is None or b is None:
        return None
    apart = subtract(a, b, ctx.run.implicit_timezone_minutes)
    if isinstance(apart, Duration):
        return multiply(apart, -1) if apart.is_negative else apart
    return absolute_value(apart)
