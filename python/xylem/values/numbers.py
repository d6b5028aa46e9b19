"""Numeric values: int is xs:integer, float xs:double, Decimal xs:decimal, bool xs:boolean; the rest subclass them.

bool is an int to Python but never a number to XQuery, so code asks `type(x) is int`, or looks the class up
in a table, and never `isinstance(x, int)`.
"""

from __future__ import annotations

import struct


class Float(float):
    """xs:float: a double rounded to single precision."""

    __slots__ = ()

    def __new__(cls, value: float) -> Float:
        return super().__new__(cls, to_single(value))


def to_single(value: float) -> float:
    """The nearest single-precision number; too large becomes infinite."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


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
