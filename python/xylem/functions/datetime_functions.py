"""Components of dates, times and durations, timezones, and the current moment (F&O 3.1 §8.3, §9, §15)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError
from xylem.values.datetime_lexical import as_stamp
from xylem.values.datetimes import CalendarValue, Date, DateTime, Time
from xylem.values.durations import DayTimeDuration, Duration
from xylem.values.temporal_arithmetic import shift_seconds

from .registry import function

if TYPE_CHECKING:
    from .context import Context

_FOURTEEN_HOURS = 14 * 60


def _field(name: str, source: str, result: str, field: str) -> None:
    """Register a function that reads one field of a date or time."""

    def component(value: Any | None) -> Any | None:
        return None if value is None else getattr(value, field)

    component.__name__ = name
    function(f"fn:{name}-from-{source}", f"xs:{source}?", result)(component)


for _name, _result in (("year", "integer"), ("month", "integer"), ("day", "integer")):
    _field(_name, "dateTime", f"xs:{_result}?", _name)
    _field(_name, "date", f"xs:{_result}?", _name)
for _name, _field_name, _result in (
    ("hours", "hour", "integer"),
    ("minutes", "minute", "integer"),
    ("seconds", "second", "decimal"),
):
    _field(_name, "dateTime", f"xs:{_result}?", _field_name)
    _field(_name, "time", f"xs:{_result}?", _field_name)


def _timezone_from(source: str) -> None:
    def timezone(value: CalendarValue | None) -> DayTimeDuration | None:
        if value is None or value.timezone_minutes is None:
            return None
        return DayTimeDuration(value.timezone_minutes * 60)

    function(f"fn:timezone-from-{source}", f"xs:{source}?", "xs:dayTimeDuration?")(timezone)


for _name in ("dateTime", "date", "time"):
    _timezone_from(_name)


def _duration_field(name: str, index: int, result: str) -> None:
    def component(value: Duration | None) -> Any | None:
        return None if value is None else value.fields()[index]

    function(f"fn:{name}-from-duration", "xs:duration?", result)(component)


for _index, _name in enumerate(("years", "months", "days", "hours", "minutes")):
    _duration_field(_name, _index, "xs:integer?")
_duration_field("seconds", 5, "xs:decimal?")


@function("fn:dateTime", "xs:date?, xs:time?", "xs:dateTime?")
def date_time(date: Date | None, time: Time | None) -> DateTime | None:
    if date is None or time is None:
        return None
    timezone = date.timezone_minutes
    if timezone is None:
        timezone = time.timezone_minutes
    elif time.timezone_minutes is not None and time.timezone_minutes != timezone:
        raise DynamicError("FORG0008", f"{date} and {time}")
    return DateTime(date.year, date.month, date.day, time.hour, time.minute, time.second, timezone)


@function("fn:current-dateTime", "", "xs:dateTimeStamp", context=True)
def current_date_time(ctx: Context) -> DateTime:
    return as_stamp(_now(ctx)) or _now(ctx)


@function("fn:current-date", "", "xs:date", context=True)
def current_date(ctx: Context) -> Date:
    now = _now(ctx)
    return Date(now.year, now.month, now.day, now.timezone_minutes)


@function("fn:current-time", "", "xs:time", context=True)
def current_time(ctx: Context) -> Time:
    now = _now(ctx)
    return Time(now.hour, now.minute, now.second, now.timezone_minutes)


@function("fn:implicit-timezone", "", "xs:dayTimeDuration", context=True)
def implicit_timezone(ctx: Context) -> DayTimeDuration:
    return DayTimeDuration(ctx.run.implicit_timezone_minutes * 60)


def _now(ctx: Context) -> DateTime:
    """The time of this run, in UTC if it has no timezone."""
    now = ctx.run.now
    if now.timezone_minutes is not None:
        return now
    return DateTime(now.year, now.month, now.day, now.hour, now.minute, now.second, 0)


_IMPLICIT: Any = object()
"""The timezone of a call without second argument; the empty sequence means no timezone."""


@function("fn:adjust-dateTime-to-timezone", "xs:dateTime?, xs:dayTimeDuration?", "xs:dateTime?", context=True)
def adjust_date_time(
    ctx: Context, value: DateTime | None, timezone: DayTimeDuration | None = _IMPLICIT
) -> DateTime | None:
    return None if value is None else adjust(value, _timezone_minutes(ctx, timezone))


@function("fn:adjust-date-to-timezone", "xs:date?, xs:dayTimeDuration?", "xs:date?", context=True)
def adjust_date(ctx: Context, value: Date | None, timezone: DayTimeDuration | None = _IMPLICIT) -> Date | None:
    if value is None:
        return None
    midnight = DateTime(value.year, value.month, value.day, 0, 0, Decimal(0), value.timezone_minutes)
    moved = adjust(midnight, _timezone_minutes(ctx, timezone))
    return Date(moved.year, moved.month, moved.day, moved.timezone_minutes)


@function("fn:adjust-time-to-timezone", "xs:time?, xs:dayTimeDuration?", "xs:time?", context=True)
def adjust_time(ctx: Context, value: Time | None, timezone: DayTimeDuration | None = _IMPLICIT) -> Time | None:
    if value is None:
        return None
    moved = adjust(
        DateTime(1972, 12, 31, value.hour, value.minute, value.second, value.timezone_minutes),
        _timezone_minutes(ctx, timezone),
    )
    return Time(moved.hour, moved.minute, moved.second, moved.timezone_minutes)


def adjust(value: DateTime, timezone_minutes: int | None) -> DateTime:
    """The same moment in another timezone; if one of the two is missing, the same fields."""
    moved = value
    if value.timezone_minutes is not None and timezone_minutes is not None:
        moved = shift_seconds(value, Decimal((timezone_minutes - value.timezone_minutes) * 60))
    return DateTime(moved.year, moved.month, moved.day, moved.hour, moved.minute, moved.second, timezone_minutes)


def _timezone_minutes(ctx: Context, timezone: DayTimeDuration | None) -> int | None:
    if timezone is _IMPLICIT:
        return ctx.run.implicit_timezone_minutes
    if timezone is None:
        return None
    minutes, rest = divmod(timezone.seconds, 60)
    if rest or not -_FOURTEEN_HOURS <= minutes <= _FOURTEEN_HOURS:
        raise DynamicError("FODT0003", f"{timezone} is not a timezone", hint="whole minutes, -PT14H to PT14H")
    return int(minutes)
