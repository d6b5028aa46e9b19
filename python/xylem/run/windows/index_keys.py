"""Keys by which open windows are found: equality and order of keys agree with the comparison.

An index may answer only if its answer certainly equals that of the comparison itself. Values without that certainty,
such as doubles whose sums are rounded, get no key; their windows are then tested one by one.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from xylem.errors import XylemError
from xylem.values.arithmetic import add
from xylem.values.casting_numbers import parse_double
from xylem.values.comparison import grouping_key
from xylem.values.datetimes import Date, DateTime, Time
from xylem.values.durations import DayTimeDuration, YearMonthDuration
from xylem.values.families import FAMILY_OF, INTEGER_CLASSES, STRING_CLASSES
from xylem.values.strings import UntypedAtomic

_EXACT_INTEGERS = 1 << 53
"""Integers below this are doubles without loss."""
_GRID, _GRID_END = float(1 << 20), float(1 << 31)
"""Multiples of 2⁻²⁰ below 2³¹ are added and subtracted by doubles without rounding."""


class Key(NamedTuple):
    """Keys of one kind have an order."""

    kind: str
    value: Any


class NoKey:
    """`NEVER`: the comparison is false whatever the other side. `UNSURE`: it must be evaluated."""


NEVER, UNSURE = NoKey(), NoKey()


def order_key(value: Any, implicit_tz: int) -> Key | NoKey:
    """The key of one side of lt, le, gt or ge."""
    if value is None:
        return NEVER
    cls = type(value)
    if cls is int or cls in INTEGER_CLASSES:
        return Key("number", value) if -_EXACT_INTEGERS < value < _EXACT_INTEGERS else UNSURE
    if cls is float:
        # NaN too: a number for one operand may not be one for the other, and is an error then.
        return Key("number", value)
    if cls in STRING_CLASSES:
        return Key("untyped" if cls is UntypedAtomic else "text", value)
    if cls in (DateTime, Date, Time):
        return Key(cls.__name__, value.compare_key(implicit_tz))
    if cls is DayTimeDuration:
        return Key("seconds", value.seconds)
    if cls is YearMonthDuration:
        return Key("months", value.months)
    if cls is Decimal:
        return Key("decimal", value)
    return UNSURE


def moved_key(value: Any, offset: Any, implicit_tz: int) -> Key | NoKey:
    """The key of `value + offset`, where `x - value op offset` and `x op value + offset` mean the same."""
    if value is None or offset is None:
        return NEVER
    value, offset = plain(value), plain(offset)
    if _is_exact(value) and _is_exact(offset):
        return order_key(add(value, offset), implicit_tz)
    if isinstance(value, DateTime) and type(offset) is DayTimeDuration:
        return order_key(add(value, offset), implicit_tz)
    return UNSURE


def plain(value: Any) -> Any:
    """An operand of arithmetic: untyped values are doubles."""
    return parse_double(value) if type(value) is UntypedAtomic else value


def difference_key(value: Any, implicit_tz: int) -> Key | NoKey:
    """The key of the side from which a start is subtracted."""
    if value is None:
        return NEVER
    value = plain(value)
    return order_key(value, implicit_tz) if _is_exact(value) or isinstance(value, DateTime) else UNSURE


def _is_exact(value: Any) -> bool:
    cls = type(value)
    if cls is int or cls in INTEGER_CLASSES:
        return bool(-_GRID_END < value < _GRID_END)
    return cls is float and abs(value) < _GRID_END and (value * _GRID).is_integer()


UNTYPED_NUMBER = "untyped number"
"""The kind of untyped keys, sorted as the numbers that `<` converts them to when the other side is a number."""


def untyped_number(key: Key) -> Key:
    """An untyped key as a number; the same key if it is not a number, or NaN."""
    try:
        number = parse_double(key.value)
    except XylemError:
        return key
    return key if number != number else Key(UNTYPED_NUMBER, number)


def comparable(index_kind: str, probe: Key, is_general: bool) -> Any:
    """The probe as a value to compare the keys of an index with, or UNSURE."""
    if probe.kind == index_kind:
        return probe.value
    if index_kind == UNTYPED_NUMBER:
        # Texts and untyped values would be compared with the texts of these keys.
        return probe.value if probe.kind == "number" and is_general else UNSURE
    texts = ("text", "untyped")
    if index_kind in texts and probe.kind in texts:
        return probe.value
    if index_kind == "number" and probe.kind == "untyped" and is_general:
        return parse_double(probe.value)
    return UNSURE


def hash_key(value: Any, implicit_tz: int) -> Any:
    """The key of one side of `eq`; None if that is false whatever the other side: no value, or NaN."""
    return None if value is None or value != value else grouping_key(value, None, implicit_tz)


def equality_kind(value: Any, is_general: bool) -> int:
    """Values of one kind are equal if their keys are.

    Others must be compared, which may raise an error. For `eq` untyped values are texts; for `=` they take the type of
    the other operand.
    """
    if is_general and type(value) is UntypedAtomic:
        return _UNTYPED
    return FAMILY_OF.get(type(value), _UNKNOWN)


_UNTYPED, _UNKNOWN = -1, -2
