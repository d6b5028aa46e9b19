"""fn:format-dateTime, fn:format-date and fn:format-time (F&O 3.1 §9.8).

Only the Gregorian calendar and English names are supported. Another known calendar or language falls back to them,
marked in the output with `[Calendar: AD]` or `[Language: en]` as the specification demands; the mark for a language is
omitted if nothing in the picture depends on it.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from xylem.errors import DynamicError
from xylem.values import calendar as gregorian
from xylem.values.calendar import day_of_week, days_from_date
from xylem.values.datetimes import CalendarValue, Date, DateTime, Time
from xylem.values.xml_names import is_ncname, split_qname

from .date_names import DAYS, MONTHS, formatted_name
from .date_numbers import formatted_fraction, formatted_number
from .date_picture import Marker, fault, parse_picture
from .date_timezone import formatted_timezone
from .datetime_functions import adjust
from .registry import function
from .timezone_names import offset_at

if TYPE_CHECKING:
    from .context import Context

_SIGNATURE = "xs:string, xs:string?, xs:string?, xs:string?"
_CALENDARS = (
    *("AD", "AH", "AME", "AM", "AP", "AS", "BE", "CB", "CE", "CL", "CS", "EE", "FE", "ISO", "JE", "KE", "KY", "ME"),
    *("MS", "NS", "OS", "RS", "SE", "SH", "SS", "TE", "VE", "VS"),
)
"""The calendars of the specification; other names without a namespace are errors."""
_SUPPORTED = frozenset({"AD", "CE", "ISO"})
NOT_IN_DATE = frozenset("HhPmsf")
NOT_IN_TIME = frozenset("YMDdFWwCE")
_NAMED = ("N", "n", "Nn")


@function("fn:format-dateTime", "xs:dateTime?, " + _SIGNATURE, "xs:string?", context=True, absent=(3, 4))
def format_date_time(
    ctx: Context,
    value: DateTime | None,
    picture: str,
    language: str | None = None,
    calendar: str | None = None,
    place: str | None = None,
) -> str | None:
    return None if value is None else _format(ctx, value, picture, language, calendar, place, frozenset())


@function("fn:format-date", "xs:date?, " + _SIGNATURE, "xs:string?", context=True, absent=(3, 4))
def format_date(
    ctx: Context,
    value: Date | None,
    picture: str,
    language: str | None = None,
    calendar: str | None = None,
    place: str | None = None,
) -> str | None:
    return None if value is None else _format(ctx, value, picture, language, calendar, place, NOT_IN_DATE)


@function("fn:format-time", "xs:time?, " + _SIGNATURE, "xs:string?", context=True, absent=(3, 4))
def format_time(
    ctx: Context,
    value: Time | None,
    picture: str,
    language: str | None = None,
    calendar: str | None = None,
    place: str | None = None,
) -> str | None:
    return None if value is None else _format(ctx, value, picture, language, calendar, place, NOT_IN_TIME)


def _format(
    ctx: Context,
    value: CalendarValue,
    picture: str,
    language: str | None,
    calendar: str | None,
    place: str | None,
    missing: frozenset[str],
) -> str:
    marks = _calendar_mark(ctx, calendar)
    has_date = missing is not NOT_IN_TIME
    moment = _at_place(value, place, has_date)
    language = language or ctx.static.default_language
    parts: list[str] = []
    uses_language = False
    for part in parse_picture(picture):
        if isinstance(part, str):
            parts.append(part)
            continue
        if part.component in missing:
            raise DynamicError("FOFD1350", f"[{part.component}] in the picture {picture!r}")
        uses_language |= _depends_on_language(part)
        parts.append(_component(moment, part, language, calendar, place, has_date))
    if uses_language and language.partition("-")[0].lower() != "en":
        marks = "[Language: en]" + marks
    return marks + "".join(parts)


def _at_place(value: CalendarValue, place: str | None, has_date: bool) -> DateTime:
    """The value as a dateTime, in the local time of the place if that is a known timezone."""
    v = value
    moment = DateTime(v.year, v.month, v.day, v.hour, v.minute, v.second, v.timezone_minutes)
    offset = offset_at(place, moment, has_date)
    return moment if offset is None else adjust(moment, offset)


def _calendar_mark(ctx: Context, calendar: str | None) -> str:
    """The mark for an unsupported calendar; FOFD1340 for an unknown one."""
    if calendar is None:
        return ""
    name = calendar.strip()
    if name.startswith("Q{"):
        uri, _, local = name[2:].partition("}")
        is_known = is_ncname(local)
    else:
        prefix, local = split_qname(name) or ("", "")
        uri = ctx.static.namespaces.get(prefix, "") if prefix else ""
        is_known = bool(local) and (not prefix or bool(uri))
    if not is_known or (not uri and local not in _CALENDARS):
        raise fault(f"{calendar!r} is no calendar", hint="AD and ISO are supported")
    return "" if not uri and local in _SUPPORTED else "[Calendar: AD]"


def _depends_on_language(marker: Marker) -> bool:
    return (
        marker.modifier == "o"
        or marker.presentation in ("w", "W", "Ww")
        or (marker.presentation in _NAMED and marker.component in "MFPCE")
    )


def _component(
    value: DateTime, marker: Marker, language: str, calendar: str | None, place: str | None, has_date: bool
) -> str:
    component = marker.component
    if component in "Zz":
        return formatted_timezone(value, marker, place, has_date)
    if component == "f":
        return formatted_fraction(value.second, marker)
    if marker.presentation in _NAMED:
        name = _name(value, component, calendar)
        if name is not None:
            return formatted_name(name, marker)
    if component in "PCE":
        # These are names only: a numeric presentation falls back to the default one.
        plain = Marker(component, "n", True, "", marker.least, marker.most)
        return formatted_name(_name(value, component, calendar) or "", plain)
    return formatted_number(_number(value, component), marker, language)


def _name(value: DateTime, component: str, calendar: str | None) -> str | None:
    if component == "M":
        return MONTHS[value.month - 1]
    if component == "F":
        return DAYS[_day_of_week(value) - 1]
    if component == "P":
        return "am" if value.hour < 12 else "pm"
    if component == "E":
        return "BC" if value.year <= 0 else "AD"
    if component == "C":
        return "ISO" if calendar is not None and calendar.strip() in ("ISO", "Q{}ISO") else "AD"
    return None


def _day_of_week(value: DateTime) -> int:
    return day_of_week(days_from_date(value.year, value.month, value.day))


def _number(value: DateTime, component: str) -> int:
    date = value.year, value.month, value.day
    match component:
        case "Y":
            return abs(value.year)
        case "M":
            return value.month
        case "D":
            return value.day
        case "d":
            return gregorian.day_in_year(*date)
        case "F":
            return _day_of_week(value)
        case "W":
            return gregorian.week_in_year(*date)
        case "w":
            return gregorian.week_in_month(*date)
        case "H":
            return value.hour
        case "h":
            return value.hour % 12 or 12
        case "m":
            return value.minute
        case _:
            return int(value.second or Decimal(0))
