"""Families of comparable atomic types (XQuery 3.1 §B.2)."""

from __future__ import annotations

from .atomic import INTEGER_CLASSES, NUMERIC_CLASSES, STRING_CLASSES
from .binary import Base64Binary, HexBinary
from .datetimes import Date, DateTime, DateTimeStamp, GDay, GMonth, GMonthDay, GYear, GYearMonth, Time
from .durations import DayTimeDuration, Duration, YearMonthDuration
from .qname import QName

__all__ = ["CALENDAR", "EQUALITY_ONLY", "FAMILY_OF", "INTEGER_CLASSES", "NUMERIC_CLASSES", "STRING_CLASSES", "Family"]


class Family:
    """Values of one family are comparable; those of two are not (XPTY0004). Plain numbers, because they are compared
    often.
    """

    STRING = 0
    NUMBER = 1
    BOOLEAN = 2
    DURATION = 3
    DATE_TIME = 4
    DATE = 5
    TIME = 6
    G_YEAR_MONTH = 7
    G_YEAR = 8
    G_MONTH_DAY = 9
    G_DAY = 10
    G_MONTH = 11
    HEX_BINARY = 12
    BASE64_BINARY = 13
    QNAME = 14


FAMILY_OF: dict[type, int] = {
    **dict.fromkeys(STRING_CLASSES, Family.STRING),
    **dict.fromkeys(NUMERIC_CLASSES, Family.NUMBER),
    bool: Family.BOOLEAN,
    Duration: Family.DURATION,
    YearMonthDuration: Family.DURATION,
    DayTimeDuration: Family.DURATION,
    DateTime: Family.DATE_TIME,
    DateTimeStamp: Family.DATE_TIME,
    Date: Family.DATE,
    Time: Family.TIME,
    GYearMonth: Family.G_YEAR_MONTH,
    GYear: Family.G_YEAR,
    GMonthDay: Family.G_MONTH_DAY,
    GDay: Family.G_DAY,
    GMonth: Family.G_MONTH,
    HexBinary: Family.HEX_BINARY,
    Base64Binary: Family.BASE64_BINARY,
    QName: Family.QNAME,
}

_PARTS_OF_DATES = frozenset({Family.G_YEAR_MONTH, Family.G_YEAR, Family.G_MONTH_DAY, Family.G_DAY, Family.G_MONTH})
CALENDAR = frozenset({Family.DATE_TIME, Family.DATE, Family.TIME}) | _PARTS_OF_DATES
EQUALITY_ONLY = _PARTS_OF_DATES | {Family.QNAME}
"""Families with `eq` and `ne` but no order."""
