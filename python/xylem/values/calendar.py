"""The proleptic Gregorian calendar for years of any size, the year 0 included."""

from __future__ import annotations

_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else _DAYS[month - 1]


def days_from_date(year: int, month: int, day: int) -> int:
    """Days since 0001-01-01, which is 0 (and a Monday)."""
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    days += _DAYS_BEFORE[month - 1] + day - 1
    return days + 1 if month > 2 and is_leap(year) else days


def date_from_days(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 0001-01-01."""
    cycles, rest = divmod(days, 146097)  # 400 years
    centuries = min(rest // 36524, 3)  # the last day of a cycle belongs to its fourth century
    rest -= centuries * 36524
    fours, rest = divmod(rest, 1461)
    years = min(rest // 365, 3)
    rest -= years * 365
    year = cycles * 400 + centuries * 100 + fours * 4 + years + 1
    month = 1
    while rest >= (length := days_in_month(year, month)):
        rest -= length
        month += 1
    return year, month, rest + 1


def day_of_week(days: int) -> int:
    """1 for Monday to 7 for Sunday, as ISO 8601 counts."""
    return days % 7 + 1


def day_in_year(year: int, month: int, day: int) -> int:
    """1 for the first of January."""
    return days_from_date(year, month, day) - days_from_date(year, 1, 1) + 1


def week_in_year(year: int, month: int, day: int) -> int:
    """The ISO 8601 week: week 1 holds the year's first Thursday."""
    days = days_from_date(year, month, day)
    thursday = days - days % 7 + 3
    return (thursday - days_from_date(date_from_days(thursday)[0], 1, 1)) // 7 + 1


def week_in_month(year: int, month: int, day: int) -> int:
    """Weeks begin on Mondays; week 1 holds the month's first Thursday (F&O 3.1 §9.8.4.7).

    Days before it are in the last week of the month before. The specification would let the last days of a month belong
    to week 1 of the next one; they are counted on instead, as in the W3C's tests.
    """
    days = days_from_date(year, month, day)
    monday = days - days % 7
    first = days_from_date(year, month, 1)
    first_thursday = first + (3 - first) % 7
    week = (monday - (first_thursday - 3)) // 7 + 1
    return week if week > 0 else (date_from_days(monday + 3)[2] - 1) // 7 + 1
