"""Timezones in formatted dates: offsets, military letters, names (F&O 3.1 §9.8.4.6)."""

from __future__ import annotations

import unicodedata

from xylem.values.datetimes import DateTime

from .date_picture import Marker
from .digit_pattern import in_family, zero_of
from .timezone_names import timezone_name

_MILITARY = "YXWVUTSRQPONZABCDEFGHIKLM"
"""The letters of the offsets -12 to +12; J is local time, of no known offset."""


def formatted_timezone(value: DateTime, marker: Marker, place: str | None, has_date: bool) -> str:
    minutes = value.timezone_minutes
    presentation = marker.presentation
    if presentation == "Z":
        if minutes is None:
            return "J"
        if minutes % 60 == 0 and abs(minutes) <= 12 * 60:
            return _MILITARY[minutes // 60 + 12]
    if minutes is None:
        return ""
    if presentation in ("N", "n", "Nn"):
        name = timezone_name(value, place, has_date)
        if name is not None:
            return name.lower() if presentation == "n" else name
    if minutes == 0 and marker.modifier == "t":
        return "Z"
    prefix = "GMT" if marker.component == "z" else ""
    return prefix + _offset(minutes, presentation)


def _offset(minutes: int, presentation: str) -> str:
    """An offset in a pattern of digits: `0` and `00` are hours, with the minutes only where there are some."""
    hour_digits, separator, has_minutes, zero = offset_pattern(presentation)
    hours, rest = divmod(abs(minutes), 60)
    text = ("-" if minutes < 0 else "+") + str(hours).rjust(hour_digits, "0")
    if has_minutes or rest:
        text += f"{separator}{rest:02}"
    return in_family(text, zero)


def offset_pattern(presentation: str) -> tuple[int, str, bool, str]:
    """Digits of the hour, the separator, whether minutes always follow, and the family of digits."""
    is_digit = [unicodedata.category(c) == "Nd" for c in presentation]
    count = sum(is_digit)
    if not 1 <= count <= 4 or not is_digit[0] or not is_digit[-1]:
        return 2, ":", True, "0"
    zero = zero_of(presentation[0])
    if count == len(presentation):
        return (count, ":", False, zero) if count <= 2 else (count - 2, "", True, zero)
    first = is_digit.index(False)
    separator = "".join(c for c, digit in zip(presentation, is_digit, strict=True) if not digit)
    return first, separator, True, zero
