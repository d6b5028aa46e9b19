"""The numbers in a formatted date: integers with a width, and fractional seconds (F&O 3.1 §9.8.4.2, §9.8.4.4)."""

from __future__ import annotations

import unicodedata
from decimal import Decimal

from xylem.errors import DynamicError
from xylem.values.numbers import decimal_string

from .date_picture import Marker, fault
from .digit_pattern import digit_pattern, in_family, zero_of
from .format_integer import format_integer_token


def is_digit_pattern(presentation: str) -> bool:
    return any(unicodedata.category(c) == "Nd" for c in presentation)


def formatted_number(value: int, marker: Marker, language: str) -> str:
    """An integer component in the marker's presentation and width."""
    if marker.component == "Y":
        room = year_room(marker)
        value = value if room is None else int(value % 10**room)
    ordinal = "" if marker.modifier == "o" else None
    primary = marker.presentation
    if primary in ("N", "n", "Nn"):
        primary = "1"  # A number has no name.
    if not is_digit_pattern(primary):
        text = format_integer_token(value, primary, ordinal, language)
        return text.ljust(marker.least or 0)
    try:
        return format_integer_token(value, widened(primary, marker.least or 0), ordinal, language)
    except DynamicError as error:
        raise fault(f"[{marker.component}{primary}]: {error.why}") from error


def year_room(marker: Marker) -> int | None:
    """How many of the last digits of a year a picture has room for; None for all.

    The room is the greatest width, or else the digits of a pattern of two or more: [Y01] and [Y,2-2] give 03 for 2003.
    """
    room = marker.most
    if room is None and marker.least is None and is_digit_pattern(marker.presentation):
        digits = sum(1 for c in marker.presentation if c == "#" or unicodedata.category(c) == "Nd")
        room = digits if digits > 1 else None
    return room


def widened(primary: str, least: int) -> str:
    """The digit pattern with at least this many mandatory digits."""
    digits = [c for c in primary if unicodedata.category(c) == "Nd"]
    missing = least - len(digits)
    if missing <= 0:
        return primary
    zero = zero_of(digits[0])
    made = list(primary)
    for i in range(len(made) - 1, -1, -1):
        if made[i] == "#" and missing > 0:
            made[i] = zero
            missing -= 1
    return zero * missing + "".join(made)


def formatted_fraction(second: Decimal, marker: Marker) -> str:
    """Fractional seconds: a pattern read from the left, truncated and never rounded."""
    primary = marker.presentation
    if not is_digit_pattern(primary):
        primary = "1"
    digits = decimal_string(second).partition(".")[2]
    try:
        mirrored = digit_pattern(primary[::-1])
    except DynamicError as error:
        raise fault(f"[f{primary}]: {error.why}") from error
    least = mirrored.least_digits
    most: int | None = sum(1 for c in primary if c == "#" or unicodedata.category(c) == "Nd")
    if most == 1 and not marker.has_width:
        most = None
    elif marker.has_width:
        # A width only adds to the pattern's digits.
        least = max(least, marker.least or 1)
        most = None if marker.most is None else max(most or 1, marker.most, least)
    text = (digits if most is None else digits[:most].rstrip("0")).ljust(least, "0")
    return in_family(_separated(text, dict(mirrored.separators)), mirrored.zero)


def _separated(text: str, separators: dict[int, str]) -> str:
    """The digits with each separator after its number of digits."""
    return "".join(separators.get(i, "") + c for i, c in enumerate(text))
