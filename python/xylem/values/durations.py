"""Durations: months and seconds, both exact (XSD 1.1 part 2 §3.3.6, XDM 3.1 §3.3.4)."""

from __future__ import annotations

import re
from decimal import Decimal

from xylem.errors import DynamicError

from .numbers import EXACT, decimal_string, integer_string, parse_decimal_digits, parse_integer_digits

ZERO = Decimal(0)
_OUT_OF_RANGE = "FODT0002"
MONTHS_LIMIT = 2**63 - 1
"""The most months of a duration; its seconds are unlimited."""


class Duration:
    """xs:duration: months and seconds, which have the same sign unless one is zero."""

    __slots__ = ("months", "seconds")

    def __init__(self, months: int, seconds: Decimal | int = ZERO) -> None:
        self.months = months
        self.seconds = seconds if isinstance(seconds, Decimal) else Decimal(seconds)

    def __eq__(self, other: object) -> bool:
        """op:duration-equal: across the three duration types, so that a zero of one is a zero of all."""
        return isinstance(other, Duration) and self.months == other.months and self.seconds == other.seconds

    def __hash__(self) -> int:
        return hash(("duration", self.months, self.seconds))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        """The canonical lexical form."""
        if not self.months and not self.seconds:
            return "PT0S"
        sign = "-" if self.months < 0 or self.seconds < 0 else ""
        return f"{sign}P{_months_string(abs(self.months))}{_seconds_string(self.seconds.copy_abs())}"

    @property
    def is_negative(self) -> bool:
        return self.months < 0 or self.seconds < 0

    def fields(self) -> tuple[int, int, int, int, int, Decimal]:
        """Years, months, days, hours, minutes and seconds, each with the sign of the duration."""
        sign = -1 if self.is_negative else 1
        years, months = divmod(abs(self.months), 12)
        days, hours, minutes, seconds = split_seconds(self.seconds.copy_abs())
        seconds = seconds if sign > 0 else EXACT.minus(seconds)
        return sign * years, sign * months, sign * days, sign * hours, sign * minutes, seconds


class YearMonthDuration(Duration):
    """xs:yearMonthDuration"""

    __slots__ = ()

    def __init__(self, months: int) -> None:
        self.months = months
        self.seconds = ZERO

    def __str__(self) -> str:
        sign = "-" if self.months < 0 else ""
        return f"{sign}P{_months_string(abs(self.months)) or '0M'}"


class DayTimeDuration(Duration):
    """xs:dayTimeDuration"""

    __slots__ = ()

    def __init__(self, seconds: Decimal | int) -> None:
        self.months = 0
        self.seconds = seconds if isinstance(seconds, Decimal) else Decimal(seconds)


def checked_months(months: int) -> int:
    """The months of a duration if they are within our limit, else FODT0002."""
    if -MONTHS_LIMIT <= months <= MONTHS_LIMIT:
        return months
    raise DynamicError("FODT0002", f"a duration of more than {MONTHS_LIMIT} months")


def year_month_duration(months: int) -> YearMonthDuration:
    """A computed duration with a size check."""
    return YearMonthDuration(checked_months(months))


def split_seconds(seconds: Decimal) -> tuple[int, int, int, Decimal]:
    """Days, hours, minutes and seconds of a non-negative number of seconds."""
    whole = int(seconds)
    fraction = EXACT.subtract(seconds, Decimal(whole)) if seconds != whole else ZERO
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return days, hours, minutes, EXACT.add(Decimal(rest), fraction)


def _months_string(months: int) -> str:
    years, months = divmod(months, 12)
    return (f"{integer_string(years)}Y" if years else "") + (f"{months}M" if months else "")


def _seconds_string(total: Decimal) -> str:
    days, hours, minutes, seconds = split_seconds(total)
    text = f"{integer_string(days)}D" if days else ""
    if hours or minutes or seconds:
        text += "T" + (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
        text += f"{decimal_string(seconds)}S" if seconds else ""
    return text


_LEXICAL = re.compile(
    r"(-)?P(?=[0-9T])(?:([0-9]+)Y)?(?:([0-9]+)M)?(?:([0-9]+)D)?"
    r"(?:T(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?"
)


def parse_duration(text: str) -> Duration | None:
    """An xs:duration from its lexical form, None if it is not valid."""
    found = _LEXICAL.fullmatch(text)
    if found is None:
        return None
    sign, years, months, days, hours, minutes, seconds = found.groups()
    total_months = checked_months(_whole(years) * 12 + _whole(months))
    whole = (_whole(days) * 24 + _whole(hours)) * 3600
    whole += _whole(minutes) * 60
    total_seconds = EXACT.add(Decimal(whole), parse_decimal_digits(seconds or "0", _OUT_OF_RANGE))
    if sign:
        return Duration(-total_months, EXACT.minus(total_seconds))
    return Duration(total_months, total_seconds)


def _whole(digits: str | None) -> int:
    return parse_integer_digits(digits or "0", _OUT_OF_RANGE)


def parse_year_month(text: str) -> YearMonthDuration | None:
    if "D" in text or "T" in text:
        return None
    duration = parse_duration(text)
    return None if duration is None else YearMonthDuration(duration.months)


def parse_day_time(text: str) -> DayTimeDuration | None:
    if "Y" in text or "M" in text.partition("T")[0]:
        return None
    duration = parse_duration(text)
    return None if duration is None else DayTimeDuration(duration.seconds)
