"""Dates and times: the nine calendar types of XDM, as fields of the proleptic Gregorian calendar (XSD 1.1 §3.3.7-14).

The year 0 exists and precedes the year 1, as in XSD 1.1. A value keeps the timezone it was written with. Fields a type
does not have hold the reference values that F&O 3.1 §9.4 prescribes for comparing (1972-12-31 and similar), so one
comparison serves all types.

`==` and `hash` follow op:same-key: a value with a timezone never equals one without. The operator `eq`
compares `compare_key(implicit timezone)` instead.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from xylem.errors import DynamicError

from .calendar import days_from_date
from .numbers import decimal_string, integer_string

if TYPE_CHECKING:
    import datetime

ZERO = Decimal(0)
YEAR_LIMIT = 2**31 - 1
"""Supported years lie between this and its negative; F&O 3.1 §9.1.1 asks for at least four digits."""


class CalendarValue:
    """The common base of the nine types. `kind` is the primitive type's class: only equal kinds are comparable."""

    __slots__ = ("day", "hour", "minute", "month", "second", "timezone_minutes", "year")

    kind: ClassVar[type]
    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: Decimal
    timezone_minutes: int | None

    def compare_key(self, implicit_timezone_minutes: int = 0) -> tuple[int, Decimal]:
        """Minutes since the start of year 1 in UTC, and seconds: orders values of one kind chronologically."""
        timezone = self.timezone_minutes
        if timezone is None:
            timezone = implicit_timezone_minutes
        days = days_from_date(self.year, self.month, self.day)
        return days * 1440 + self.hour * 60 + self.minute - timezone, self.second

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CalendarValue)
            and self.kind is other.kind
            and (self.timezone_minutes is None) == (other.timezone_minutes is None)
            and self.compare_key() == other.compare_key()
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.compare_key()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


class DateTime(CalendarValue):
    """xs:dateTime"""

    __slots__ = ()

    def __init__(
        self,
        year: int,
        month: int,
        day: int,
        hour: int,
        minute: int,
        second: Decimal,
        timezone_minutes: int | None = None,
    ) -> None:
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.timezone_minutes = timezone_minutes

    def __str__(self) -> str:
        return f"{_date_string(self)}T{_time_string(self)}{timezone_string(self.timezone_minutes)}"

    def epoch_seconds(self) -> Decimal:
        """Seconds since 1970, in UTC, which is assumed without a timezone."""
        minutes, seconds = self.compare_key()
        return (minutes - days_from_date(1970, 1, 1) * 1440) * 60 + seconds

    @staticmethod
    def from_python(moment: datetime.datetime) -> DateTime:
        """Python's datetime, with its timezone if it has one."""
        offset = moment.utcoffset()
        minutes = None if offset is None else int(offset.total_seconds()) // 60
        second = Decimal(moment.second * 1_000_000 + moment.microsecond).scaleb(-6)
        return DateTime(moment.year, moment.month, moment.day, moment.hour, moment.minute, second, minutes)


class DateTimeStamp(DateTime):
    """xs:dateTimeStamp: an xs:dateTime that has a timezone."""

    __slots__ = ()


class Date(CalendarValue):
    """xs:date"""

    __slots__ = ()

    def __init__(self, year: int, month: int, day: int, timezone_minutes: int | None = None) -> None:
        self.year = year
        self.month = month
        self.day = day
        self.hour = self.minute = 0
        self.second = ZERO
        self.timezone_minutes = timezone_minutes

    def __str__(self) -> str:
        return _date_string(self) + timezone_string(self.timezone_minutes)


class Time(CalendarValue):
    """xs:time"""

    __slots__ = ()

    def __init__(self, hour: int, minute: int, second: Decimal, timezone_minutes: int | None = None) -> None:
        self.year = 1972
        self.month = 12
        self.day = 31
        self.hour = hour
        self.minute = minute
        self.second = second
        self.timezone_minutes = timezone_minutes

    def __str__(self) -> str:
        return _time_string(self) + timezone_string(self.timezone_minutes)


class _PartOfDate(CalendarValue):
    """The g-types: a date with reference values in some fields."""

    __slots__ = ()

    def __init__(self, year: int, month: int, day: int, timezone_minutes: int | None) -> None:
        self.year = year
        self.month = month
        self.day = day
        self.hour = self.minute = 0
        self.second = ZERO
        self.timezone_minutes = timezone_minutes


class GYearMonth(_PartOfDate):
    """xs:gYearMonth"""

    __slots__ = ()

    def __init__(self, year: int, month: int, timezone_minutes: int | None = None) -> None:
        super().__init__(year, month, 1, timezone_minutes)

    def __str__(self) -> str:
        return f"{year_string(self.year)}-{self.month:02}{timezone_string(self.timezone_minutes)}"


class GYear(_PartOfDate):
    """xs:gYear"""

    __slots__ = ()

    def __init__(self, year: int, timezone_minutes: int | None = None) -> None:
        super().__init__(year, 1, 1, timezone_minutes)

    def __str__(self) -> str:
        return year_string(self.year) + timezone_string(self.timezone_minutes)


class GMonthDay(_PartOfDate):
    """xs:gMonthDay"""

    __slots__ = ()

    def __init__(self, month: int, day: int, timezone_minutes: int | None = None) -> None:
        super().__init__(1972, month, day, timezone_minutes)

    def __str__(self) -> str:
        return f"--{self.month:02}-{self.day:02}{timezone_string(self.timezone_minutes)}"


class GDay(_PartOfDate):
    """xs:gDay"""

    __slots__ = ()

    def __init__(self, day: int, timezone_minutes: int | None = None) -> None:
        super().__init__(1972, 12, day, timezone_minutes)

    def __str__(self) -> str:
        return f"---{self.day:02}{timezone_string(self.timezone_minutes)}"


class GMonth(_PartOfDate):
    """xs:gMonth"""

    __slots__ = ()

    def __init__(self, month: int, timezone_minutes: int | None = None) -> None:
        super().__init__(1972, month, 1, timezone_minutes)

    def __str__(self) -> str:
        return f"--{self.month:02}{timezone_string(self.timezone_minutes)}"


for _kind in (DateTime, Date, Time, GYearMonth, GYear, GMonthDay, GDay, GMonth):
    _kind.kind = _kind


def checked_year(year: int) -> int:
    """The year if it is within our limit, else FODT0001."""
    if -YEAR_LIMIT <= year <= YEAR_LIMIT:
        return year
    raise DynamicError("FODT0001", f"a year beyond ±{YEAR_LIMIT}")


def year_string(year: int) -> str:
    """At least four digits, a sign before the year 0."""
    if 0 <= year <= 9999:
        return f"{year:04}"
    text = integer_string(abs(year))
    return ("-" if year < 0 else "") + text.zfill(4)


def timezone_string(minutes: int | None) -> str:
    """``Z``, ``+05:30``, or nothing."""
    if minutes is None:
        return ""
    if minutes == 0:
        return "Z"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def _date_string(value: CalendarValue) -> str:
    return f"{year_string(value.year)}-{value.month:02}-{value.day:02}"


def _time_string(value: CalendarValue) -> str:
    seconds = decimal_string(value.second)
    if value.second < 10:
        seconds = "0" + seconds
    return f"{value.hour:02}:{value.minute:02}:{seconds}"
