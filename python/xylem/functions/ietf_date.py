"""fn:parse-ietf-date: dates in the form of e-mail, HTTP and C's asctime (F&O 3.1 §9.9)."""

from __future__ import annotations

import re
from functools import cache

from xylem.errors import DynamicError
from xylem.values.datetime_lexical import parse_date_time
from xylem.values.datetimes import DateTime

from .registry import function

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONE_MINUTES = {
    "ut": 0,
    "utc": 0,
    "gmt": 0,
    "est": -300,
    "edt": -240,
    "cst": -360,
    "cdt": -300,
    "mst": -420,
    "mdt": -360,
    "pst": -480,
    "pdt": -420,
}

_S = r"[ \t\n\r]"
# The long names first: Mon is a part of Monday.
_DAY_NAME = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_SEPARATOR = rf"(?:{_S}*-{_S}*|{_S}+)"
_ZONE_NAME = "|".join(sorted(_ZONE_MINUTES, key=len, reverse=True))
_MONTH = "|".join(_MONTHS)
_YEAR = "[0-9]{4}|[0-9]{2}"


def _time(n: int) -> str:
    """The pattern of a time with its timezone; the names of its groups end with n."""
    return (
        rf"(?P<hour{n}>[0-9]{{1,2}}):(?P<minute{n}>[0-9]{{2}})(?::(?P<second{n}>[0-9]{{2}}(?:\.[0-9]+)?))?"
        rf"(?:{_S}*(?:(?P<zone{n}>{_ZONE_NAME})|(?P<sign{n}>[+-])(?P<zhour{n}>[0-9]{{1,2}}):?"
        rf"(?P<zminute{n}>[0-9]{{2}})?(?:{_S}*\({_S}*(?:{_ZONE_NAME}){_S}*\))?))?"
    )


@cache
def _grammar() -> re.Pattern[str]:
    return re.compile(
        rf"{_S}*(?:(?:{_DAY_NAME}),?{_S}+)?"
        rf"(?:(?P<day1>[0-9]{{1,2}}){_SEPARATOR}(?P<month1>{_MONTH}){_SEPARATOR}(?P<year1>{_YEAR}){_S}+{_time(1)}"
        rf"|(?P<month2>{_MONTH}){_SEPARATOR}(?P<day2>[0-9]{{1,2}}){_S}+{_time(2)}{_S}+(?P<year2>{_YEAR})){_S}*",
        re.IGNORECASE | re.ASCII,
    )


@function("fn:parse-ietf-date", "xs:string?", "xs:dateTime?")
def parse_ietf_date(text: str | None) -> DateTime | None:
    if text is None:
        return None
    found = _grammar().fullmatch(text)
    made = None if found is None else _moment(found)
    if made is None:
        raise DynamicError("FORG0010", f'"{text}"', hint='write it as in "Wed, 06 Jun 1994 07:29:35 GMT"')
    return made


def _moment(found: re.Match[str]) -> DateTime | None:
    n = "1" if found["day1"] else "2"
    year = found["year" + n]
    month = _MONTHS.index(found["month" + n].lower()) + 1
    date = f"{year if len(year) == 4 else '19' + year}-{month:02}-{int(found['day' + n]):02}"
    second = found["second" + n] or "00"
    made = parse_date_time(f"{date}T{int(found['hour' + n]):02}:{found['minute' + n]}:{second}")
    zone = _zone(found, n)
    if made is None or zone is None:
        return None
    made.timezone_minutes = zone
    return made


def _zone(found: re.Match[str], n: str) -> int | None:
    """The timezone in minutes, by default UTC; None if it is out of range."""
    if found["zone" + n]:
        return _ZONE_MINUTES[found["zone" + n].lower()]
    if not found["sign" + n]:
        return 0
    minute = int(found["zminute" + n] or 0)
    total = int(found["zhour" + n]) * 60 + minute
    if minute > 59 or total > 14 * 60:
        return None
    return -total if found["sign" + n] == "-" else total
