"""Functions on numbers (F&O 3.1 §4.4 and §4.5): absolute values, rounding, conversion.

The result has the type of the argument, or its base numeric type where that is derived. xs:decimal is exact at any
size: nothing here goes through Python's decimal context, which would round to its precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

from xylem.errors import DynamicError
from xylem.values.atomic_type import DOUBLE
from xylem.values.casting import cast
from xylem.values.numbers import EXACT, Float

from .registry import function

Number = int | float | Decimal


@function("fn:abs", "xs:numeric?", "xs:numeric?")
def absolute(value: Number | None) -> Number | None:
    return None if value is None else absolute_value(value)


def absolute_value(value: Number) -> Number:
    """The absolute value in the same type, or in xs:integer for a type derived from it."""
    if isinstance(value, Decimal):
        return value.copy_abs()
    return Float(abs(value)) if type(value) is Float else abs(value)


@function("fn:ceiling", "xs:numeric?", "xs:numeric?")
def ceiling(value: Number | None) -> Number | None:
    return _whole(value, ROUND_CEILING, math.ceil)


@function("fn:floor", "xs:numeric?", "xs:numeric?")
def floor(value: Number | None) -> Number | None:
    return _whole(value, ROUND_FLOOR, math.floor)


def _whole(value: Number | None, rounding: str, of_double: Callable[[float], int]) -> Number | None:
    if value is None:
        return None
    if isinstance(value, float):
        if not math.isfinite(value) or abs(value) >= 2**53:
            return value
        result = float(of_double(value))
        if result == 0:
            result = math.copysign(result, value)  # The ceiling of -0.5 is negative zero.
        return Float(result) if type(value) is Float else result
    if isinstance(value, Decimal):
        return value.to_integral_value(rounding) or Decimal(0)
    return int(value)


@function("fn:round", "xs:numeric?, xs:integer", "xs:numeric?")
def round_half_up(value: Number | None, precision: int = 0) -> Number | None:
    """To the nearest number with that many digits after the point; half goes towards positive infinity."""
    return _rounded(value, precision, half_to_even=False)


@function("fn:round-half-to-even", "xs:numeric?, xs:integer", "xs:numeric?")
def round_half_to_even(value: Number | None, precision: int = 0) -> Number | None:
    return _rounded(value, precision, half_to_even=True)


def _rounded(value: Number | None, precision: int, half_to_even: bool) -> Number | None:
    if value is None:
        return None
    if isinstance(value, float):
        return _rounded_double(value, precision, half_to_even)
    if isinstance(value, Decimal):
        return rounded_decimal(value, precision, half_to_even)
    return _rounded_integer(int(value), precision, half_to_even)


def _rounded_integer(value: int, precision: int, half_to_even: bool) -> int:
    if precision >= 0:
        return value
    # An integer of d bits has at most d/3.3 digits: beyond that, all of it is rounded away.
    if -precision > value.bit_length() // 3 + 2:
        return 0
    unit: int = 10**-precision
    whole, rest = divmod(value, unit)
    return (whole + _goes_up(whole, 2 * rest, unit, half_to_even)) * unit


def _goes_up(whole: int, twice_rest: int, unit: int, half_to_even: bool) -> bool:
    return twice_rest > unit or (twice_rest == unit and (not half_to_even or whole % 2 == 1))


def rounded_decimal(value: Decimal, precision: int, half_to_even: bool) -> Decimal:
    """A decimal rounded to a number of digits after the point, exactly."""
    _, _, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    if -exponent <= precision:
        return value
    if value.adjusted() + 1 < -precision:
        return Decimal(0)
    unit = Decimal((0, (1,), -precision))
    result = value.quantize(unit, ROUND_HALF_EVEN if half_to_even else ROUND_FLOOR, EXACT)
    if not half_to_even and EXACT.multiply(EXACT.subtract(value, result), Decimal(2)) >= unit:
        result = EXACT.add(result, unit)
    return _plain(result)


def _plain(value: Decimal) -> Decimal:
    """Normalised: without a positive exponent and without negative zero."""
    if not value:
        return Decimal(0)
    sign, digits, exponent = value.as_tuple()
    if isinstance(exponent, int) and exponent > 0:
        return Decimal((sign, digits + (0,) * exponent, 0))
    return value


def _rounded_double(value: float, precision: int, half_to_even: bool) -> float:
    if not math.isfinite(value) or value == 0:
        return value
    if precision >= 0 and abs(value) >= 2**53:
        return value
    exact = Decimal(float(value))
    result = math.copysign(float(rounded_decimal(exact, precision, half_to_even)), value)
    return Float(result) if type(value) is Float else result


@function("fn:number", "xs:anyAtomicType?", "xs:double", focus=True)
def number(value: Any) -> float:
    """The value as a double, NaN if it has none."""
    kind = type(value)
    if kind is float:
        return float(value)
    if value is None:
        return math.nan
    try:
        result: float = cast(value, DOUBLE)
    except DynamicError:
        return math.nan
    return result
