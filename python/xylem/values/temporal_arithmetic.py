"""Arithmetic with dates, times and durations (F&O 3.1 §8.4, §9.7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

from xylem.errors import DynamicError

from .arithmetic_numbers import divide_decimals
from .atomic import NUMERIC_CLASSES, type_name
from .calendar import date_from_days, days_from_date, days_in_month
from .datetimes import CalendarValue, Date, DateTime, DateTimeStamp, Time, checked_year
from .durations import DayTimeDuration, YearMonthDuration, year_month_duration
from .numbers import EXACT

Operation = Callable[[Any, Any], Any]
Pairs = dict[tuple[type, type], Operation]

_DAY_SECONDS = Decimal(86400)
_FINEST = Decimal("1e-18")


def difference(a: CalendarValue, b: CalendarValue, implicit_timezone_minutes: int = 0) -> DayTimeDuration:
    """op:subtract-dateTimes, op:subtract-dates, op:subtract-times"""
    if a.kind is not b.kind or a.kind not in (DateTime, Date, Time):
        raise DynamicError("XPTY0004", f"{type_name(a)} - {type_name(b)} is not defined")
    minutes_a, seconds_a = a.compare_key(implicit_timezone_minutes)
    minutes_b, seconds_b = b.compare_key(implicit_timezone_minutes)
    return DayTimeDuration(EXACT.add(Decimal((minutes_a - minutes_b) * 60), EXACT.subtract(seconds_a, seconds_b)))


def _plus_months(value: Any, duration: Any, sign: int = 1) -> Any:
    """The day of the month is kept, or becomes the last one of a shorter month."""
    years, month_index = divmod(value.year * 12 + value.month - 1 + sign * duration.months, 12)
    checked_year(years)
    month = month_index + 1
    day = min(value.day, days_in_month(years, month))
    if type(value) is Date:
        return Date(years, month, day, value.timezone_minutes)
    return DateTime(years, month, day, value.hour, value.minute, value.second, value.timezone_minutes)


def shift_seconds(value: Any, seconds: Decimal) -> Any:
    """A dateTime, date or time moved by seconds; a time stays within its day, a date forgets the time of day."""
    days, hour, minute, second = _clock(value, seconds)
    if type(value) is Time:
        return Time(hour, minute, second, value.timezone_minutes)
    date = date_from_days(days_from_date(value.year, value.month, value.day) + days)
    checked_year(date[0])
    if type(value) is Date:
        return Date(*date, value.timezone_minutes)
    return DateTime(*date, hour, minute, second, value.timezone_minutes)


def _clock(value: CalendarValue, seconds: Decimal) -> tuple[int, int, int, Decimal]:
    """Number of days to add, and the resulting time of day."""
    total = EXACT.add(EXACT.add(Decimal(value.hour * 3600 + value.minute * 60), value.second), seconds)
    whole = math.floor(total)
    minutes, rest = divmod(whole, 60)
    second = EXACT.add(Decimal(rest), EXACT.subtract(total, Decimal(whole)))
    days, minutes = divmod(minutes, 1440)
    return days, minutes // 60, minutes % 60, second


def _plus_seconds(value: Any, duration: Any) -> Any:
    return shift_seconds(value, duration.seconds)


def _minus_seconds(value: Any, duration: Any) -> Any:
    return shift_seconds(value, EXACT.minus(duration.seconds))


def _swapped(operation: Operation) -> Operation:
    return lambda a, b: operation(b, a)


def _as_fraction(factor: Any) -> Fraction:
    """A factor as an exact number: a double by its shortest decimal digits, so that 2.1e0 means 2.1."""
    return Fraction(repr(float(factor))) if isinstance(factor, float) else Fraction(factor)


def _round_months(months: Fraction) -> YearMonthDuration:
    # Like fn:round: halves go towards positive infinity.
    return year_month_duration(math.floor(months + Fraction(1, 2)))


def _to_seconds(seconds: Fraction) -> DayTimeDuration:
    quotient = divide_decimals(Decimal(seconds.numerator), Decimal(seconds.denominator))
    if seconds != Fraction(quotient):
        quotient = quotient.quantize(_FINEST, rounding=ROUND_HALF_EVEN, context=EXACT)
    return DayTimeDuration(quotient)


def _check_factor(factor: Any) -> None:
    if isinstance(factor, float):
        if factor != factor:
            raise DynamicError("FOCA0005", "a duration cannot be multiplied or divided by NaN")
        if math.isinf(factor):
            raise DynamicError("FODT0002", "a duration times an infinite number")


def _times_months(duration: Any, factor: Any) -> YearMonthDuration:
    _check_factor(factor)
    return _round_months(duration.months * _as_fraction(factor))


def _times_seconds(duration: Any, factor: Any) -> DayTimeDuration:
    _check_factor(factor)
    return _to_seconds(Fraction(duration.seconds) * _as_fraction(factor))


def _check_divisor(divisor: Any) -> bool:
    """False if the divisor is infinite and the quotient therefore zero."""
    if isinstance(divisor, float):
        if divisor != divisor:
            raise DynamicError("FOCA0005", "a duration cannot be multiplied or divided by NaN")
        if math.isinf(divisor):
            return False
    if not divisor:
        raise DynamicError("FODT0002", "a duration divided by zero")
    return True


def _months_over(duration: Any, divisor: Any) -> YearMonthDuration:
    if not _check_divisor(divisor):
        return YearMonthDuration(0)
    return _round_months(duration.months / _as_fraction(divisor))


def _seconds_over(duration: Any, divisor: Any) -> DayTimeDuration:
    if not _check_divisor(divisor):
        return DayTimeDuration(0)
    return _to_seconds(Fraction(duration.seconds) / _as_fraction(divisor))


ADD: Pairs = {
    (YearMonthDuration, YearMonthDuration): lambda a, b: year_month_duration(a.months + b.months),
    (DayTimeDuration, DayTimeDuration): lambda a, b: DayTimeDuration(EXACT.add(a.seconds, b.seconds)),
}
SUBTRACT: Pairs = {
    (YearMonthDuration, YearMonthDuration): lambda a, b: year_month_duration(a.months - b.months),
    (DayTimeDuration, DayTimeDuration): lambda a, b: DayTimeDuration(EXACT.subtract(a.seconds, b.seconds)),
}
MULTIPLY: Pairs = {}
DIVIDE: Pairs = {
    (YearMonthDuration, YearMonthDuration): lambda a, b: divide_decimals(Decimal(a.months), Decimal(b.months)),
    (DayTimeDuration, DayTimeDuration): lambda a, b: divide_decimals(a.seconds, b.seconds),
}


def _define() -> None:
    for cls in (DateTime, DateTimeStamp, Date, Time):
        ADD[cls, DayTimeDuration] = _plus_seconds
        ADD[DayTimeDuration, cls] = _swapped(_plus_seconds)
        SUBTRACT[cls, DayTimeDuration] = _minus_seconds
        if cls is not Time:
            ADD[cls, YearMonthDuration] = _plus_months
            ADD[YearMonthDuration, cls] = _swapped(_plus_months)
            SUBTRACT[cls, YearMonthDuration] = lambda value, duration: _plus_months(value, duration, -1)
    for number in NUMERIC_CLASSES:
        for duration, times, over in (
            (YearMonthDuration, _times_months, _months_over),
            (DayTimeDuration, _times_seconds, _seconds_over),
        ):
            MULTIPLY[duration, number] = times
            MULTIPLY[number, duration] = _swapped(times)
            DIVIDE[duration, number] = over


_define()
