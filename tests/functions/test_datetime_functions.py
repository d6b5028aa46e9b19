"""Components, timezones, fn:dateTime and fn:parse-ietf-date (F&O 3.1 §8.3, §9)."""

from __future__ import annotations

from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.functions import datetime_functions as functions
from xylem.functions.constructors import constructor, constructor_item
from xylem.functions.context import Context, RunPart, StaticPart
from xylem.functions.ietf_date import parse_ietf_date
from xylem.functions.registry import BUILTINS, FN
from xylem.values.atomic_type import ATOMIC_TYPES
from xylem.values.casting import cast, string_of

ANY: Any = None


def make(type_name: str, value: Any) -> Any:
    return cast(value, ATOMIC_TYPES[type_name])


CONTEXT = Context(StaticPart(), RunPart(resources=ANY, now=make("dateTime", "2024-05-06T07:08:09.5-05:00")))


@pytest.mark.parametrize(
    ("name", "source", "text", "answer"),
    [
        ("year-from-dateTime", "dateTime", "-0044-03-15T12:00:00", "-44"),
        ("month-from-date", "date", "2000-12-01", "12"),
        ("seconds-from-time", "time", "12:00:01.50", "1.5"),
        ("hours-from-dateTime", "dateTime", "1999-12-31T24:00:00", "0"),
        ("timezone-from-date", "date", "2000-01-01-05:30", "-PT5H30M"),
        ("days-from-duration", "duration", "-P3DT55H", "-5"),
        ("months-from-duration", "duration", "P20Y15M", "3"),
        ("seconds-from-duration", "dayTimeDuration", "-PT256S", "-16"),
        ("minutes-from-duration", "yearMonthDuration", "P1Y", "0"),
    ],
)
def test_components(name: str, source: str, text: str, answer: str) -> None:
    function = BUILTINS[FN, name].body
    assert string_of(function(make(source, text))) == answer
    assert function(None) is None


def test_no_timezone() -> None:
    assert BUILTINS[FN, "timezone-from-time"].body(make("time", "12:00:00")) is None


def test_date_and_time() -> None:
    made = functions.date_time(make("date", "2000-01-01Z"), make("time", "12:00:00"))
    assert str(made) == "2000-01-01T12:00:00Z"
    with pytest.raises(DynamicError, match="FORG0008"):
        functions.date_time(make("date", "2000-01-01Z"), make("time", "12:00:00+01:00"))


def test_the_current_moment() -> None:
    assert str(functions.current_date_time(CONTEXT)) == "2024-05-06T07:08:09.5-05:00"
    assert str(functions.current_date(CONTEXT)) == "2024-05-06-05:00"
    assert str(functions.current_time(CONTEXT)) == "07:08:09.5-05:00"
    assert str(functions.implicit_timezone(CONTEXT)) == "-PT5H"


def test_adjusting() -> None:
    ten = make("dayTimeDuration", "-PT10H")
    moment = make("dateTime", "2002-03-07T10:00:00-07:00")
    assert str(functions.adjust_date_time(CONTEXT, moment)) == "2002-03-07T12:00:00-05:00"
    assert str(functions.adjust_date_time(CONTEXT, moment, ten)) == "2002-03-07T07:00:00-10:00"
    assert str(functions.adjust_date_time(CONTEXT, moment, None)) == "2002-03-07T10:00:00"
    assert str(functions.adjust_date(CONTEXT, make("date", "2002-03-07-07:00"), ten)) == "2002-03-06-10:00"
    assert str(functions.adjust_date(CONTEXT, make("date", "2002-03-07"), ten)) == "2002-03-07-10:00"
    assert str(functions.adjust_time(CONTEXT, make("time", "10:00:00-07:00"), ten)) == "07:00:00-10:00"
    for bad in ("PT14H1M", "-PT15H", "PT1S"):
        with pytest.raises(DynamicError, match="FODT0003"):
            functions.adjust_time(CONTEXT, make("time", "10:00:00"), make("dayTimeDuration", bad))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Wed, 06 Jun 1994 07:29:35 GMT", "1994-06-06T07:29:35Z"),
        ("Wed, 6 Jun 94 07:29:35 GMT", "1994-06-06T07:29:35Z"),
        ("Wed Jun 06 11:54:45 EST 2013", "2013-06-06T11:54:45-05:00"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Wed, 6 Jun 94 07:29:35 +0500", "1994-06-06T07:29:35+05:00"),
        ("aug-20 24:00-5:30 (cdt) 2014", "2014-08-21T00:00:00-05:30"),
    ],
)
def test_ietf_dates(text: str, answer: str) -> None:
    assert str(parse_ietf_date(text)) == answer


@pytest.mark.parametrize("text", ["", "20 Aug 2014", "30 Feb 2014 12:00", "1 Jan 2014 24:01", "1 Jan 2014 1:00 +15:00"])
def test_no_ietf_dates(text: str) -> None:
    with pytest.raises(DynamicError, match="FORG0010"):
        parse_ietf_date(text)


def test_constructors() -> None:
    assert constructor(ATOMIC_TYPES["integer"])(" 7 ") == 7
    assert constructor(ATOMIC_TYPES["error"])(None) is None
    assert constructor("NMTOKENS")("a b") == ["a", "b"]
    assert constructor("NMTOKENS")(None) == ()
    item = constructor_item("date")
    assert item is not None
    assert repr(item) == "xs:date#1"
    assert str(item.returns) == "xs:date?"
    assert constructor_item("NOTATION") is None
    assert constructor_item("anyAtomicType") is None
