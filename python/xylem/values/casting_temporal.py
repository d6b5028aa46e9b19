"""Casts to the date, time and duration types (F&O 3.1 §19.1.6, §19.1.7)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from . import atomic_type as at
from . import datetime_lexical as lexical
from .atomic import STRING_CLASSES
from .atomic_type import AtomicType
from .cast_errors import not_castable, not_lexical
from .datetimes import Date, DateTime, DateTimeStamp, GDay, GMonth, GMonthDay, GYear, GYearMonth, Time
from .durations import DayTimeDuration, Duration, YearMonthDuration, parse_day_time, parse_duration, parse_year_month
from .strings import AnyURI
from .white_space import trim

_TEXT_CLASSES = STRING_CLASSES - {AnyURI}
_MOMENTS = (DateTime, DateTimeStamp)
_DATES = (DateTime, DateTimeStamp, Date)


def _from_text_or(
    target: AtomicType,
    parse: Callable[[str], Any],
    sources: tuple[type, ...],
    convert: Callable[[Any], Any],
) -> Callable[[Any], Any]:
    """A cast that parses strings and converts values of the source classes."""

    def to_temporal(value: Any) -> Any:
        cls = type(value)
        if cls in _TEXT_CLASSES:
            text = trim(value)
            made = parse(text)
            if made is None:
                raise not_lexical(text, target)
            return made
        if cls in sources:
            return convert(value)
        raise not_castable(value, target)

    return to_temporal


def _moment(value: Any) -> DateTime:
    v = value
    return DateTime(v.year, v.month, v.day, v.hour, v.minute, v.second, v.timezone_minutes)


def _stamp(value: Any) -> DateTimeStamp:
    made = lexical.as_stamp(value if isinstance(value, DateTime) else _moment(value))
    if made is None:
        raise not_lexical(str(value), at.DATE_TIME_STAMP)
    return made


_DURATIONS = (Duration, YearMonthDuration, DayTimeDuration)

TEMPORAL_CASTS: dict[AtomicType, Callable[[Any], Any]] = {
    target: _from_text_or(target, parse, sources, convert)
    for target, parse, sources, convert in (
        (at.DATE_TIME, lexical.parse_date_time, _DATES, _moment),
        (at.DATE_TIME_STAMP, lexical.parse_date_time_stamp, _DATES, _stamp),
        (at.DATE, lexical.parse_date, _DATES, lambda v: Date(v.year, v.month, v.day, v.timezone_minutes)),
        (
            at.TIME,
            lexical.parse_time,
            (*_MOMENTS, Time),
            lambda v: Time(v.hour, v.minute, v.second, v.timezone_minutes),
        ),
        (
            at.G_YEAR_MONTH,
            lexical.parse_g_year_month,
            (*_DATES, GYearMonth),
            lambda v: GYearMonth(v.year, v.month, v.timezone_minutes),
        ),
        (at.G_YEAR, lexical.parse_g_year, (*_DATES, GYear), lambda v: GYear(v.year, v.timezone_minutes)),
        (
            at.G_MONTH_DAY,
            lexical.parse_g_month_day,
            (*_DATES, GMonthDay),
            lambda v: GMonthDay(v.month, v.day, v.timezone_minutes),
        ),
        (at.G_DAY, lexical.parse_g_day, (*_DATES, GDay), lambda v: GDay(v.day, v.timezone_minutes)),
        (at.G_MONTH, lexical.parse_g_month, (*_DATES, GMonth), lambda v: GMonth(v.month, v.timezone_minutes)),
        (at.DURATION, parse_duration, _DURATIONS, lambda v: Duration(v.months, v.seconds)),
        (at.YEAR_MONTH_DURATION, parse_year_month, _DURATIONS, lambda v: YearMonthDuration(v.months)),
        (at.DAY_TIME_DURATION, parse_day_time, _DURATIONS, lambda v: DayTimeDuration(Decimal(v.seconds))),
    )
}
