"""Numeric values: int is xs:integer, float xs:double, Decimal xs:decimal, bool xs:boolean; the rest subclass them.

bool is an int to Python but never a number to XQuery, so code asks `type(x) is int`, or looks the class up
in a table, and never `isinstance(x, int)`.
"""

from __future__ import annotations

import struct
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from xylem.errors import DynamicError

MOST_DIGITS = 10_000
"""Most digits of an integer or decimal. Python takes quadratic time to read or write one, and cannot be interrupted."""

EXACT = Context(prec=100_000, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
"""Decimal arithmetic without rounding: no sum or product in a query comes near that many digits."""


class Float(float):
    """xs:float: a double rounded to single precision."""

    __slots__ = ()

    def __new__(cls, value: float) -> Float:
        return super().__new__(cls, to_single(value))


def to_single(value: float) -> float:
    """The nearest single-precision number; infinite if it is too large."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def to_double(value: Any) -> float:
    """A number of any type as xs:double; infinite for an integer or decimal that is too large."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def decimal_string(value: Decimal) -> str:
    """The canonical xs:decimal: no exponent, no trailing zeros, no negative zero."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    return "0" if text == "-0" else text


def integer_string(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:  # Python refuses to print very long integers this way, for fear of quadratic time.
        return format(Decimal(value), "f")


def parse_integer_digits(text: str, code: str = "FOCA0003") -> int:
    """An integer from its digits with an optional sign; the code is for too many of them."""
    _check_digits(text, code)
    try:
        return int(text)
    except ValueError:
        return int(Decimal(text))


def parse_decimal_digits(text: str, code: str = "FOCA0006") -> Decimal:
    """A decimal from its digits, with an optional sign and point; the code is for too many of them."""
    _check_digits(text, code)
    return Decimal(text)


def _check_digits(text: str, code: str) -> None:
    if len(text) <= MOST_DIGITS:
        return
    size = len(text.lstrip("+-0").replace(".", ""))
    if size > MOST_DIGITS:
        raise DynamicError(code, f"{size} digits where {MOST_DIGITS} are allowed")


class NonPositiveInteger(int):
    """xs:nonPositiveInteger"""

    __slots__ = ()


class NegativeInteger(NonPositiveInteger):
    """xs:negativeInteger"""

    __slots__ = ()


class Long(int):
    """xs:long"""

    __slots__ = ()


class Int(Long):
    """xs:int"""

    __slots__ = ()


class Short(Int):
    """xs:short"""

    __slots__ = ()


class Byte(Short):
    """xs:byte"""

    __slots__ = ()


class NonNegativeInteger(int):
    """xs:nonNegativeInteger"""

    __slots__ = ()


class UnsignedLong(NonNegativeInteger):
    """xs:unsignedLong"""

    __slots__ = ()


class UnsignedInt(UnsignedLong):
    """xs:unsignedInt"""

    __slots__ = ()


class UnsignedShort(UnsignedInt):
    """xs:unsignedShort"""

    __slots__ = ()


class UnsignedByte(UnsignedShort):
    """xs:unsignedByte"""

    __slots__ = ()


class PositiveInteger(NonNegativeInteger):
    """xs:positiveInteger"""

    __slots__ = ()
