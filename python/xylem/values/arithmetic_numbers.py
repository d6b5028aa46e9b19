"""Arithmetic on two numbers, promoted to their common type (F&O 3.1 §4.2).

The common type is the greater of the two in the order xs:integer, xs:decimal, xs:float, xs:double. Integers
and decimals are exact, floats and doubles follow IEEE 754 with its infinities and NaN.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, Inexact
from functools import lru_cache
from typing import Any

from xylem.errors import DynamicError

from .atomic import INTEGER_CLASSES
from .numbers import EXACT, MOST_DIGITS, Float, to_double

INTEGER, DECIMAL, FLOAT, DOUBLE = range(4)
NUMERIC_RANK: dict[type, int] = dict.fromkeys(INTEGER_CLASSES, INTEGER)
NUMERIC_RANK.update({Decimal: DECIMAL, Float: FLOAT, float: DOUBLE})

_ZERO = Decimal(0)
_BEYOND = 10**MOST_DIGITS
_LEAST_PRECISION = 34
_FRACTION_DIGITS = 22
_SMALL = 10 ** (_LEAST_PRECISION - _FRACTION_DIGITS)
"""For dividends below this, the minimal precision has enough fraction digits."""


def _common(a: Any, b: Any) -> int:
    rank_a, rank_b = NUMERIC_RANK[type(a)], NUMERIC_RANK[type(b)]
    return rank_a if rank_a > rank_b else rank_b


def _as_decimal(value: Any) -> Decimal:
    return value if type(value) is Decimal else Decimal(value)


def _single(value: Any) -> float:
    """An operand of xs:float arithmetic: rounded to single precision first."""
    return value if type(value) is Float else Float(to_double(value))


def multiply_integers(a: int, b: int) -> int:
    """Multiply integers. Repeated squaring grows without limit: beyond the allowed digits, the product is too large."""
    product = a * b
    if -_BEYOND < product < _BEYOND:
        return product
    raise _too_large()


def _bounded(value: Decimal) -> Decimal:
    if value.adjusted() >= MOST_DIGITS:
        raise _too_large()
    return value or _ZERO


def _too_large() -> DynamicError:
    return DynamicError("FOAR0002", f"more than {MOST_DIGITS} digits")


def add(a: Any, b: Any) -> Any:
    rank = _common(a, b)
    if rank == INTEGER:
        return int(a) + int(b)
    if rank == DECIMAL:
        return _bounded(EXACT.add(_as_decimal(a), _as_decimal(b)))
    if rank == DOUBLE:
        return to_double(a) + to_double(b)
    return Float(_single(a) + _single(b))


def subtract(a: Any, b: Any) -> Any:
    rank = _common(a, b)
    if rank == INTEGER:
        return int(a) - int(b)
    if rank == DECIMAL:
        return _bounded(EXACT.subtract(_as_decimal(a), _as_decimal(b)))
    if rank == DOUBLE:
        return to_double(a) - to_double(b)
    return Float(_single(a) - _single(b))


def multiply(a: Any, b: Any) -> Any:
    rank = _common(a, b)
    if rank == INTEGER:
        return multiply_integers(int(a), int(b))
    if rank == DECIMAL:
        return _bounded(EXACT.multiply(_as_decimal(a), _as_decimal(b)))
    if rank == DOUBLE:
        return to_double(a) * to_double(b)
    return Float(_single(a) * _single(b))


def divide(a: Any, b: Any) -> Any:
    rank = _common(a, b)
    if rank == INTEGER and b:
        quotient, rest = divmod(a, b)
        if not rest:
            return Decimal(quotient)
        if -_SMALL < a < _SMALL:
            return _rounding_to(_LEAST_PRECISION).divide(Decimal(a), Decimal(b))
    if rank <= DECIMAL:
        return divide_decimals(_as_decimal(a), _as_decimal(b))
    if rank == DOUBLE:
        return _ieee_divide(to_double(a), to_double(b))
    return Float(_ieee_divide(_single(a), _single(b)))


def divide_decimals(a: Decimal, b: Decimal) -> Decimal:
    """The quotient: exact if it terminates, else with at least 20 digits after the point."""
    if not b:
        raise _division_by_zero()
    digits = max(_LEAST_PRECISION, a.adjusted() - b.adjusted() + 1 + _FRACTION_DIGITS)
    length = len(a.as_tuple().digits)
    if length >= digits:
        # More digits only if they make it exact: otherwise they would grow with each division.
        longer = Context(prec=length + 5, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
        quotient = longer.divide(a, b)
        if not longer.flags[Inexact]:
            return _bounded(quotient)
    return _bounded(_rounding_to(digits).divide(a, b))


@lru_cache(maxsize=128)
def _rounding_to(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


def _ieee_divide(a: float, b: float) -> float:
    if b:
        return a / b
    if not a or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def integer_divide(a: Any, b: Any) -> int:
    rank = _common(a, b)
    if rank == INTEGER:
        if not b:
            raise _division_by_zero()
        quotient: int = abs(a) // abs(b)
        return -quotient if (a < 0) != (b < 0) else quotient
    if rank == DECIMAL:
        a, b = _as_decimal(a), _as_decimal(b)
        if not b:
            raise _division_by_zero()
        return int(_bounded(EXACT.divide_int(a, b)))
    return _float_integer_divide(a, b, rank)


def _float_integer_divide(a: Any, b: Any, rank: int) -> int:
    x, y = (to_double(a), to_double(b)) if rank == DOUBLE else (_single(a), _single(b))
    if not y:
        raise _division_by_zero()
    if x != x or y != y or math.isinf(x):
        raise DynamicError("FOAR0002", "idiv has no answer for NaN or an infinite dividend")
    quotient = x / y if rank == DOUBLE else Float(x / y)
    if math.isinf(quotient):
        raise DynamicError("FOAR0002", "the quotient is too large")
    return int(quotient)


def modulo(a: Any, b: Any) -> Any:
    """The remainder of truncating division: it has the sign of the dividend."""
    rank = _common(a, b)
    if rank == DOUBLE:
        return _ieee_modulo(to_double(a), to_double(b))
    if rank == FLOAT:
        return Float(_ieee_modulo(_single(a), _single(b)))
    if not b:
        raise _division_by_zero()
    if rank == DECIMAL:
        return EXACT.remainder(_as_decimal(a), _as_decimal(b)) or _ZERO
    remainder = abs(a) % abs(b)
    return -remainder if a < 0 else remainder


def _ieee_modulo(a: float, b: float) -> float:
    if not b or math.isinf(a) or a != a or b != b:
        return math.nan
    return math.fmod(a, b)


def negate(a: Any) -> Any:
    rank = NUMERIC_RANK[type(a)]
    if rank == DECIMAL:
        return EXACT.minus(a)
    return Float(-a) if rank == FLOAT else -a


def _division_by_zero() -> DynamicError:
    return DynamicError("FOAR0001", "the divisor is zero")
