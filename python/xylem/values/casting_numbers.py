"""Casts to xs:boolean and the numeric types (F&O 3.1 §19.1.3 to §19.1.5, §19.2)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from xylem.errors import DynamicError

from . import atomic_type as at
from .atomic import CLASS_OF, INTEGER_CLASSES, NUMERIC_CLASSES, STRING_CLASSES
from .atomic_type import AtomicType
from .cast_errors import not_castable, not_lexical
from .numbers import Float, integer_string, parse_decimal_digits, parse_integer_digits, to_double
from .strings import AnyURI
from .white_space import trim

_INTEGER = re.compile("[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(r"[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|INF)|NaN")
_SPECIAL = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
_TEXT_CLASSES = STRING_CLASSES - {AnyURI}
_ZERO = Decimal(0)


def parse_double(text: str, target: AtomicType = at.DOUBLE) -> float:
    """xs:double from a text. Python's parser is correct for all finite numbers but accepts some more texts."""
    try:
        number = float(text)
    except ValueError:
        return _parse_special(text, target)
    if number - number == 0 and text.isascii() and "_" not in text:
        return number
    return _parse_special(text, target)


def _parse_special(text: str, target: AtomicType) -> float:
    text = trim(text)
    if text in _SPECIAL:
        return _SPECIAL[text]
    if _DOUBLE.fullmatch(text) is None:
        raise not_lexical(text, target)
    return float(text)


def to_xs_double(value: Any) -> float:
    cls = type(value)
    if cls in _TEXT_CLASSES:
        return parse_double(value)
    if cls in NUMERIC_CLASSES:
        return to_double(value)
    if cls is bool:
        return 1.0 if value else 0.0
    raise not_castable(value, at.DOUBLE)


def _to_xs_float(value: Any) -> Float:
    cls = type(value)
    if cls in _TEXT_CLASSES:
        return Float(parse_double(value, at.FLOAT))
    if cls in NUMERIC_CLASSES:
        return Float(to_double(value))
    if cls is bool:
        return Float(1.0 if value else 0.0)
    raise not_castable(value, at.FLOAT)


def to_decimal(value: Any) -> Decimal:
    cls = type(value)
    if cls in INTEGER_CLASSES or cls is bool:
        return Decimal(value)
    if cls is Decimal:
        return value  # type: ignore[no-any-return]
    if cls in _TEXT_CLASSES:
        text = trim(value)
        if _DECIMAL.fullmatch(text) is None:
            raise not_lexical(text, at.DECIMAL)
        return parse_decimal_digits(text) or _ZERO  # No negative zero.
    if cls in NUMERIC_CLASSES:
        _check_finite(value, at.DECIMAL)
        return Decimal(float(value)) or _ZERO
    raise not_castable(value, at.DECIMAL)


def to_integer(value: Any, target: AtomicType = at.INTEGER) -> int:
    """xs:integer from a value of any atomic class."""
    cls = type(value)
    if cls in INTEGER_CLASSES or cls is bool or cls is Decimal:
        return int(value)
    if cls in _TEXT_CLASSES:
        if len(value) < 19 and value.isascii() and value.isdigit():
            return int(value)
        text = trim(value)
        if _INTEGER.fullmatch(text) is None:
            raise not_lexical(text, target)
        return parse_integer_digits(text)
    if cls in NUMERIC_CLASSES:
        _check_finite(value, target)
        return int(value)
    raise not_castable(value, target)


def _check_finite(value: float, target: AtomicType) -> None:
    if not math.isfinite(value):
        raise DynamicError("FOCA0002", f"{'NaN' if value != value else 'an infinite number'} has no {target!r}")


def _to_boolean(value: Any) -> bool:
    cls = type(value)
    if cls in _TEXT_CLASSES:
        text = trim(value)
        if text in ("true", "1"):
            return True
        if text in ("false", "0"):
            return False
        raise not_lexical(text, at.BOOLEAN)
    if cls in NUMERIC_CLASSES:
        return bool(value) and value == value
    raise not_castable(value, at.BOOLEAN)


_RANGES: dict[AtomicType, tuple[int | None, int | None]] = {
    at.NON_POSITIVE_INTEGER: (None, 0),
    at.NEGATIVE_INTEGER: (None, -1),
    at.LONG: (-(2**63), 2**63 - 1),
    at.INT: (-(2**31), 2**31 - 1),
    at.SHORT: (-(2**15), 2**15 - 1),
    at.BYTE: (-128, 127),
    at.NON_NEGATIVE_INTEGER: (0, None),
    at.UNSIGNED_LONG: (0, 2**64 - 1),
    at.UNSIGNED_INT: (0, 2**32 - 1),
    at.UNSIGNED_SHORT: (0, 2**16 - 1),
    at.UNSIGNED_BYTE: (0, 255),
    at.POSITIVE_INTEGER: (1, None),
}


def _to_range(target: AtomicType, least: int | None, most: int | None) -> Callable[[Any], Any]:
    cls = CLASS_OF[target]

    def to_derived_integer(value: Any) -> Any:
        number = to_integer(value, target)
        if (least is not None and number < least) or (most is not None and number > most):
            raise not_lexical(integer_string(number), target)
        return cls(number)

    return to_derived_integer


NUMBER_CASTS: dict[AtomicType, Callable[[Any], Any]] = {
    at.BOOLEAN: lambda value: value if type(value) is bool else _to_boolean(value),
    at.DOUBLE: to_xs_double,
    at.FLOAT: _to_xs_float,
    at.DECIMAL: to_decimal,
    at.INTEGER: to_integer,
    **{target: _to_range(target, least, most) for target, (least, most) in _RANGES.items()},
}
