"""Trigonometric and exponential functions (F&O 3.1 §4.8).

Python raises errors where IEEE 754 has NaN or infinity, so each function defines its results at the edges.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

from .registry import function

_Unary = Callable[[float | None], float | None]


def _unary(name: str, compute: Callable[[float], float]) -> _Unary:
    """Register math:name, empty for empty, NaN outside the domain of `compute`."""

    def apply(value: float | None) -> float | None:
        if value is None:
            return None
        try:
            return compute(value)
        except ValueError:
            return math.nan

    # The name by which unpickled programs find it.
    apply.__name__ = apply.__qualname__ = name
    return function(f"math:{name}", "xs:double?", "xs:double?")(apply)


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _log(value: float) -> float:
    return -math.inf if value == 0 else math.log(value)


def _log10(value: float) -> float:
    return -math.inf if value == 0 else math.log10(value)


exp = _unary("exp", _exp)
exp10 = _unary("exp10", lambda value: _power(10.0, value))
log = _unary("log", _log)
log10 = _unary("log10", _log10)
sqrt = _unary("sqrt", math.sqrt)
sin = _unary("sin", math.sin)
cos = _unary("cos", math.cos)
tan = _unary("tan", math.tan)
asin = _unary("asin", math.asin)
acos = _unary("acos", math.acos)
atan = _unary("atan", math.atan)


@function("math:pi", "", "xs:double")
def pi() -> float:
    return math.pi


@function("math:atan2", "xs:double, xs:double", "xs:double")
def atan2(y: float, x: float) -> float:
    return math.atan2(y, x)


@function("math:pow", "xs:double?, xs:numeric", "xs:double?")
def power(base: float | None, exponent: int | float | Decimal) -> float | None:
    if base is None:
        return None
    try:
        return _power(base, float(exponent))
    except OverflowError:  # An integer beyond the range of doubles.
        return _power(base, math.inf if exponent > 0 else -math.inf)


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and math.fmod(exponent, 2) != 0 else math.inf
    except ValueError:
        if base == 0:  # A negative exponent: one divided by zero; only odd exponents keep the sign.
            odd = math.isfinite(exponent) and math.fabs(math.fmod(exponent, 2)) == 1
            return math.copysign(math.inf, base) if odd else math.inf
        return math.nan
