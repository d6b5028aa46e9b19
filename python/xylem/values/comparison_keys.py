"""Hash keys that are equal for equal values: for maps, for grouping and distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .families import CALENDAR, FAMILY_OF, Family
from .numbers import to_double, to_single
from .strings import UntypedAtomic
from .value_comparison import number_operands

if TYPE_CHECKING:
    from .collations import Collation


# Tuples: no atomic value is one, and they remain equal after pickling.
_TRUE, _FALSE, _NAN = ("boolean", True), ("boolean", False), ("NaN",)


def same_key(value: Any) -> Any:
    """op:same-key (F&O 3.1 §17.1.1): two map keys are the same where these are equal.

    Python's equality of str, int, float and Decimal is what the function asks for: by characters, and by exact
    mathematical value; and `==` of dates and durations is written for it. Only true, false and NaN need help.
    """
    cls = type(value)
    if cls is bool:
        return _TRUE if value else _FALSE
    if value != value:
        return _NAN
    return value


_SMALL = 1 << 24
"""Integers below this are exact in every numeric type, so their hash and equality need no promotion."""


def grouping_key(value: Any, collation: Collation | None = None, implicit_tz: int = 0) -> Any:
    """The key of fn:distinct-values and `group by`: equal where `eq` holds, or where both are NaN.

    xs:untypedAtomic counts as a string; values that cannot be compared are simply different.
    """
    cls = type(value)
    if cls is str or cls is UntypedAtomic:
        return value if collation is None else (Family.STRING, collation.key(value))
    if cls is int and -_SMALL < value < _SMALL:
        return value
    family = FAMILY_OF[cls]
    if family == Family.NUMBER:
        return NumberKey(value) if value == value else _NAN
    if family == Family.STRING:
        return value if collation is None else (Family.STRING, collation.key(value))
    if family in CALENDAR:
        return family, value.compare_key(implicit_tz)
    if family == Family.BOOLEAN:
        return _TRUE if value else _FALSE
    return value


class NumberKey:
    """A number that hashes by its single-precision value and compares by `eq`.

    `eq` promotes, and so is not transitive between decimals, floats and doubles; single precision is the
    coarsest of the three, so numbers that are `eq` always share a hash.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash(to_single(to_double(self.value)))

    def __eq__(self, other: object) -> bool:
        other = other.value if isinstance(other, NumberKey) else other
        if FAMILY_OF.get(type(other)) != Family.NUMBER:
            return False
        a, b = number_operands(self.value, other)
        return bool(a == b)
