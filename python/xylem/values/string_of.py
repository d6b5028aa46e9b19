"""The canonical string of an atomic value: its cast to xs:string (F&O 3.1 §19.1.2)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from .atomic import INTEGER_CLASSES, STRING_CLASSES, TYPE_OF_CLASS
from .numbers import Float, decimal_string, integer_string, to_single


def string_of(value: Any) -> str:
    """The value cast to xs:string: an exact str."""
    if type(value) is str:
        return value
    return _STRING_OF[type(value)](value)


def _of_boolean(value: bool) -> str:
    return "true" if value else "false"


def _of_double(value: float) -> str:
    return _of_digits(value, float.__repr__(value))


def _of_float(value: Float) -> str:
    if value - value != 0:
        return _of_double(float(value))
    # The digits determine the size: the single next to 1e-6 is below it but is written as 0.000001.
    shortest = _shortest_single(value)
    return _of_digits(float(shortest), shortest)


def _of_digits(value: float, shortest: str) -> str:
    """§19.1.2.2: a plain decimal from 1e-6 up to 1e6, scientific outside; the shortest digits that read back."""
    size = abs(value)
    if 1e-6 <= size < 1e6:
        if "e" in shortest:
            return decimal_string(Decimal(shortest))
        return shortest.removesuffix(".0")
    if size == 0:
        return "-0" if shortest[0] == "-" else "0"
    if value != value:
        return "NaN"
    if size == _INFINITY:
        return "INF" if value > 0 else "-INF"
    return _scientific(shortest)


def _scientific(shortest: str) -> str:
    sign, digit_tuple, exponent = Decimal(shortest).as_tuple()
    digits = "".join(map(str, digit_tuple))
    point = len(digits) - 1 + int(exponent)
    digits = digits.rstrip("0")
    return f"{'-' if sign else ''}{digits[0]}.{digits[1:] or '0'}E{point}"


def _shortest_single(value: float) -> str:
    # Six digits always survive single precision, except near zero where fewer bits are left.
    for precision in range(6 if abs(value) >= 1.2e-38 else 1, 10):
        text = f"{value:.{precision}g}"
        if to_single(float(text)) == value:
            return text if "e" in text or "." in text or "n" in text else text + ".0"
    return float.__repr__(float(value))


_INFINITY = float("inf")
_STRING_OF: dict[type, Callable[[Any], str]] = dict.fromkeys(TYPE_OF_CLASS, str)
_STRING_OF.update(dict.fromkeys(STRING_CLASSES, str.__str__))
_STRING_OF.update(dict.fromkeys(INTEGER_CLASSES, integer_string))
_STRING_OF.update({bool: _of_boolean, Decimal: decimal_string, float: _of_double, Float: _of_float})
