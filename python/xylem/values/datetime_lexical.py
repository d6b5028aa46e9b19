"""Dates and times from their lexical forms (XSD 1.1 part 2 §3.3.7 and following).

Each function returns None if the text is not in the lexical space; callers trim surrounding white space. A year beyond
our limit is FODT0001.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from .calendar import date_from_days, days_from_date, days_in_month
from .datetimes import Date, DateTime, DateTimeStamp, GDay, GMonth, GMonthDay, GYear, GYearMonth, Time, checked_year
from .numbers import parse_decimal_digits, parse_integer_digits

_OUT_OF_RANGE = "FODT0001"
_YEAR = r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))"
_MONTH = r"(0[1-9]|1[0-2])"
_DAY = r"(0[1-9]|[12][0-9]|3[01])"
_CLOCK = r"(?:([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9](?:\.[0-9]+)?)|24:00:00(?:\.0+)?)"
_ZONE = r"(Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"

_DATE_TIME = re.compile(f"{_YEAR}-{_MONTH}-{_DAY}T{_CLOCK}{_ZONE}")
_DATE = re.compile(f"{_YEAR}-{_MONTH}-{_DAY}{_ZONE}")
_TIME = re.compile(f"{_CLOCK}{_ZONE}")
_G_YEAR_MONTH = re.compile(f"{_YEAR}-{_MONTH}{_ZONE}")
_G_YEAR = re.compile(f"{_YEAR}{_ZONE}")
_G_MONTH_DAY = re.compile(f"--{_MONTH}-{_DAY}{_ZONE}")
_G_DAY = re.compile(f"---{_DAY}{_ZONE}")
_G_MONTH = re.compile(f"--{_MONTH}{_ZONE}")


def parse_date_time(text: str) -> DateTime | None:
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return None
    y, m, d, hour, minute, second, zone = found.groups()
    year, month, day = _year(y), int(m), int(d)
    if day > days_in_month(year, month):
        return None
    if hour is None:  # 24:00:00 is the first instant of the next day.
        year, month, day = date_from_days(days_from_date(year, month, day) + 1)
        return DateTime(checked_year(year), month, day, 0, 0, Decimal(0), parse_timezone(zone))
    return DateTime(year, month, day, int(hour), int(minute), _seconds(second), parse_timezone(zone))


def parse_date_time_stamp(text: str) -> DateTimeStamp | None:
    value = parse_date_time(text)
    return None if value is None else as_stamp(value)


def as_stamp(value: DateTime) -> DateTimeStamp | None:
    """The same moment as xs:dateTimeStamp; None without a timezone."""
    if value.timezone_minutes is None:
        return None
    v = value
    return DateTimeStamp(v.year, v.month, v.day, v.hour, v.minute, v.second, v.timezone_minutes)


@lru_cache(maxsize=4096)
def parse_date(text: str) -> Date | None:
    # Cached: there are few days in a document, and many dates.
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    y, m, d, zone = found.groups()
    year, month, day = _year(y), int(m), int(d)
    return Date(year, month, day, parse_timezone(zone)) if day <= days_in_month(year, month) else None


def parse_time(text: str) -> Time | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    hour, minute, second, zone = found.groups()
    if hour is None:
        return Time(0, 0, Decimal(0), parse_timezone(zone))
    return Time(int(hour), int(minute), _seconds(second), parse_timezone(zone))


def parse_g_year_month(text: str) -> GYearMonth | None:
    found = _G_YEAR_MONTH.fullmatch(text)
    return found and GYearMonth(_year(found[1]), int(found[2]), parse_timezone(found[3]))


def parse_g_year(text: str) -> GYear | None:
    found = _G_YEAR.fullmatch(text)
    return found and GYear(_year(found[1]), parse_timezone(found[2]))


def parse_g_month_day(text: str) -> GMonthDay | None:
    found = _G_MONTH_DAY.fullmatch(text)
    if found is None or int(found[2]) > days_in_month(1972, int(found[1])):
        return None
    return GMonthDay(int(found[1]), int(found[2]), parse_timezone(found[3]))


def parse_g_day(text: str) -> GDay | None:
    found = _G_DAY.fullmatch(text)
    return found and GDay(int(found[1]), parse_timezone(found[2]))


def parse_g_month(text: str) -> GMonth | None:
    found = _G_MONTH.fullmatch(text)
    return found and GMonth(int(found[1]), parse_timezone(found[2]))


def _seconds(digits: str) -> Decimal:
    return parse_decimal_digits(digits, _OUT_OF_RANGE)


def _year(digits: str) -> int:
    return checked_year(parse_integer_digits(digits, _OUT_OF_RANGE))


def parse_timezone(text: str | None) -> int | None:
    if text is None:
        return None
    if text == "Z":
        return 0
    minutes = int(text[1:3]) * 60 + int(text[4:6])
    return -minutes if text[0] == "-" else minutes
