"""Pictures of dates and times (F&O 3.1 §9.8)."""

from __future__ import annotations

from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.functions.context import Context, RunPart, StaticPart
from xylem.functions.format_datetime import format_date, format_date_time, format_time
from xylem.values.datetime_lexical import parse_date, parse_date_time, parse_time

ANY: Any = None
CONTEXT = Context(StaticPart(namespaces={"c": "urn:c"}), RunPart(resources=ANY, now=ANY))
FORMATS = {format_date: parse_date, format_date_time: parse_date_time, format_time: parse_time}


def write(function: Any, text: str, picture: str, *more: str | None) -> Any:
    return function(CONTEXT, FORMATS[function](text), picture, *more)


@pytest.mark.parametrize(
    ("picture", "answer"),
    [
        ("[Y0001]-[M01]-[D01]", "2003-09-07"),
        ("[M]/[D]/[Y,2-2]", "9/7/03"),
        ("[[[Y]]]", "[2003]"),
        ("[D1o] [MNn] [YW]", "7th September TWO THOUSAND AND THREE"),
        ("[FNn], [Dwo] [MN,3-3]", "Sunday, seventh SEP"),
        ("[Fn,*-2] [MNn,12-*]|", "su September   |"),
        ("[Y;MI]".replace(";", "][") + " [YI,4-4]|[Yi,3-3]|", "2003IX MMIII|iii|"),
        ("[d] [W] [w] [F0]", "250 36 1 7"),
        ("[ Y 0 0 0 1 ] [Y9;999] [Y9,999,*]", "2003 2;003 2,003"),
        ("[M,3] [D٠١] [Y00]", "009 ٠٧ 03"),
        ("[E] [EN] [CN] [Do]", "ad AD AD 7th"),
        ("[Z] [z] [ZZ]", "  J"),
    ],
)
def test_dates(picture: str, answer: str) -> None:
    assert write(format_date, "2003-09-07", picture) == answer


@pytest.mark.parametrize(
    ("text", "picture", "answer"),
    [
        ("09:05:06.456", "[H]:[m]:[s].[f]", "9:05:06.456"),
        ("00:05:06.456", "[h] [P] [PN] [H01]", "12 am AM 00"),
        ("09:05:06.456", "[f01] [f1,1-1] [f,5-5] [f,*-2] [f0'0]", "45 4 45600 45 4'5"),
        ("09:05:06", "[f] [f001] [f,2-4]", "0 000 00"),
        ("09:05:06.006", "[f,*-2]|[f,1-4]", "0|006"),
        ("09:05:06+05:30", "[Z] [Z0] [Z0000] [z] [ZZ] [Z999]", "+05:30 +5:30 +0530 GMT+05:30 +05:30 +530"),
        ("09:05:06Z", "[Z] [Z0] [Z00:00t] [z0] [ZZ] [ZN]", "+00:00 +0 Z GMT+0 Z GMT"),
        ("09:05:06-10:00", "[Z00~00] [ZZ] [Z٠٠]", "-10~00 W -١٠"),
    ],
)
def test_times(text: str, picture: str, answer: str) -> None:
    assert write(format_time, text, picture) == answer


def test_places() -> None:
    assert write(format_time, "12:00:00Z", "[H]:[m] [ZN]", None, None, "America/New_York") == "7:00 EST"
    assert write(format_date_time, "2018-07-01T12:00:00Z", "[H] [ZN]", None, None, "America/New_York") == "8 EDT"
    assert write(format_date_time, "2018-07-01T12:00:00-05:00", "[H] [ZN]", None, None, "us") == "12 CDT"
    assert write(format_date_time, "2018-07-01T12:00:00+13:00", "[ZN]", None, None, "no/where") == "+13:00"


def test_fallbacks_are_marked() -> None:
    assert write(format_date, "2003-09-07", "[MNn]", "de") == "[Language: en]September"
    assert write(format_date, "2003-09-07", "[D].[M].", "de") == "7.9."
    assert write(format_date, "2003-09-07", "[MNn]", "en-GB", "ISO") == "September"
    assert write(format_date, "2003-09-07", "[M]", "en", "AH") == "[Calendar: AD]9"
    assert write(format_date, "2003-09-07", "[M]", "en", "c:mine") == "[Calendar: AD]9"


@pytest.mark.parametrize(
    ("picture", "calendar", "code"),
    [
        ("[H]", None, "FOFD1350"),
        ("[f]", None, "FOFD1350"),
        ("[bla]", None, "FOFD1340"),
        ("[]", None, "FOFD1340"),
        ("[Y", None, "FOFD1340"),
        ("Y]", None, "FOFD1340"),
        ("[Y999#]", None, "FOFD1340"),
        ("[Y,4-3]", None, "FOFD1340"),
        ("[Y,0]", None, "FOFD1340"),
        ("[Y,a]", None, "FOFD1340"),
        ("[Y]", "ZODIAC", "FOFD1340"),
        ("[Y]", "x:ISO", "FOFD1340"),
        ("[Y]", "Q{}1", "FOFD1340"),
    ],
)
def test_faults(picture: str, calendar: str | None, code: str) -> None:
    with pytest.raises(DynamicError, match=code):
        write(format_date, "2003-09-07", picture, None, calendar)
    with pytest.raises(DynamicError, match="FOFD1350"):
        write(format_time, "12:00:00", "[Y]")


def test_weeks() -> None:
    from xylem.values.calendar import week_in_month, week_in_year

    assert week_in_year(2005, 1, 1) == 53
    assert week_in_year(2008, 12, 29) == 1
    assert week_in_year(2010, 1, 3) == 53
    assert week_in_month(2013, 1, 29) == 5
    assert week_in_month(2013, 2, 1) == 5
    assert week_in_month(2013, 2, 4) == 1
