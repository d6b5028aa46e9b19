"""Order keys as bytes, which compare like values under `order by` (XQuery 3.1 §3.12.8).

One key is a byte for its rank (empty least, NaN, values, NaN greatest, empty greatest), then the value in a prefix-free
form, so that keys can be concatenated; descending keys are the same bytes inverted:

    strings           UTF-8 of the collation's key, ended by two zero bytes
    numbers           the nearest double in 8 bytes, then the difference to it: exact for integers and decimals
    dates, times      the instant, as a number
    durations         months or seconds, as a number
    others            booleans one byte; binaries as strings

The family of a key says which values can be compared with each other: `order by` refuses mixtures (XPTY0004).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import lru_cache
from math import copysign, inf, isinf
from typing import Any

from xylem.errors import DynamicError
from xylem.functions.order_keys import ORDER_FAMILY
from xylem.values.atomic import type_name
from xylem.values.collations import Collation
from xylem.values.durations import DayTimeDuration, YearMonthDuration
from xylem.values.families import CALENDAR, FAMILY_OF, Family
from xylem.values.strings import UntypedAtomic

_EMPTY_LEAST, _NAN_LEAST, _VALUE, _NAN_GREATEST, _EMPTY_GREATEST = b"\0", b"\1", b"\2", b"\3", b"\4"
_INVERTED = bytes(255 - byte for byte in range(256))
_EXACT_INTEGERS = 1 << 53
"""Up to here every integer is a double."""
_LARGEST = 1.7976931348623157e308
_FAMILIES: dict[type, str] = {type(None): ""}
"""The families seen so far, by the class of the value."""
_INTEGERS: set[type] = {int}
_STRINGS: set[type] = {str, UntypedAtomic}
_EXACT = Context(prec=5000, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


def order_key(
    value: Any, collation: Collation | None, implicit_tz: int, *, descending: bool, empty_greatest: bool
) -> bytes:
    """The key of one value, None for the empty sequence."""
    kind = type(value)
    if collation is None and (kind is str or kind is UntypedAtomic):
        key = _VALUE + _characters(value.encode("utf-8", "surrogatepass"))
    elif value is None:
        key = _EMPTY_GREATEST if empty_greatest else _EMPTY_LEAST
    elif value != value:
        key = _NAN_GREATEST if empty_greatest else _NAN_LEAST
    else:
        key = _VALUE + _value(value, collation, implicit_tz)
    return key.translate(_INVERTED) if descending else key


def column_writer(
    collation: Collation | None, implicit_tz: int, *, descending: bool, empty_greatest: bool
) -> Callable[[Sequence[Any]], list[bytes]]:
    """`order_key` for many values of one column; repeated numbers are cached."""

    def of_any(value: Any) -> bytes:
        return order_key(value, collation, implicit_tz, descending=descending, empty_greatest=empty_greatest)

    of_integer = lru_cache(maxsize=1024)(of_any)

    def write(values: Sequence[Any]) -> list[bytes]:
        kinds = set(map(type, values))
        # By class, because a cache cannot distinguish 1 from true().
        if kinds == _INTEGERS:
            return list(map(of_integer, values))
        if collation is None and kinds <= _STRINGS:
            keys = [_VALUE + data for data in _all_characters(values)]
            return [key.translate(_INVERTED) for key in keys] if descending else keys
        return list(map(of_any, values))

    return write


def order_family(value: Any) -> str:
    """The family of a value: values can be compared if their families are equal; '' for the empty sequence."""
    known = _FAMILIES.get(type(value))
    if known is not None:
        return known
    family = ORDER_FAMILY.get(type(value))
    if family is None:
        raise DynamicError("XPTY0004", f"values of {type_name(value)} have no order")
    found = _FAMILIES[type(value)] = family.__name__ if isinstance(family, type) else str(int(family))
    return found


def one_value(values: Sequence[Any], told: str = "an order by key") -> Any:
    """The value of an order or grouping key: at most one item; more are an error."""
    if len(values) > 1:
        raise DynamicError("XPTY0004", f"{told} is a sequence of more than one item")
    return values[0] if values else None


def _value(value: Any, collation: Collation | None, implicit_tz: int) -> bytes:
    family = FAMILY_OF[type(value)]
    if family == Family.STRING:
        return _characters((value if collation is None else collation.key(value)).encode("utf-8", "surrogatepass"))
    if family == Family.NUMBER:
        return number_key(value)
    if family in CALENDAR:
        return _compared(value.compare_key(implicit_tz))
    if type(value) is YearMonthDuration:
        return number_key(value.months)
    if type(value) is DayTimeDuration:
        return number_key(value.seconds)
    if family == Family.BOOLEAN:
        return b"\1" if value else b"\0"
    return _characters(value.value)


def _compared(key: Any) -> bytes:
    if isinstance(key, tuple):
        return b"".join(map(_compared, key))
    return number_key(key)


def _characters(data: bytes) -> bytes:
    return (data.replace(b"\0", b"\0\xff") if 0 in data else data) + b"\0\0"


def _all_characters(values: Sequence[str]) -> list[bytes]:
    """`_characters` for many strings."""
    all_data = [value.encode("utf-8", "surrogatepass") for value in values]
    if b"\0" in b"".join(all_data):
        return list(map(_characters, all_data))
    return [data + b"\0\0" for data in all_data]


def number_key(value: Any) -> bytes:
    """A number, as bytes in the order of numbers; equal numbers of different types have equal keys."""
    nearest = _nearest(value)
    bits = struct.unpack(">Q", struct.pack(">d", nearest + 0.0 if nearest else 0.0))[0]
    ordered = bits ^ 0xFFFFFFFFFFFFFFFF if bits >> 63 else bits | 0x8000000000000000
    return struct.pack(">Q", ordered) + _rest(value, nearest)


def _nearest(value: Any) -> float:
    if isinstance(value, float):
        return float(value)
    try:
        nearest = float(value)
    except OverflowError:
        nearest = inf if value > 0 else -inf
    return copysign(_LARGEST, nearest) if isinf(nearest) else nearest


def _rest(value: Any, nearest: float) -> bytes:
    """The difference between an exact number and its double: sign, then size, then digits."""
    if isinstance(value, float) or (type(value) is int and -_EXACT_INTEGERS <= value <= _EXACT_INTEGERS):
        return b"\x80"
    rest = _EXACT.subtract(Decimal(value), Decimal(nearest))
    if not rest:
        return b"\x80"
    sign, digits, _ = rest.as_tuple()
    size = struct.pack(">H", rest.adjusted() + 0x8000)
    text = "".join(map(str, digits)).rstrip("0").encode()
    if not sign:
        return b"\x81" + size + text + b"\0"
    return b"\x7f" + (size + text + b"\0").translate(_INVERTED)


__all__ = ["column_writer", "number_key", "one_value", "order_family", "order_key"]
