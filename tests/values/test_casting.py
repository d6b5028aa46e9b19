"""Casts: lexical spaces, canonical strings, forbidden pairs (F&O 3.1 §19)."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import DynamicError
from xylem.values import atomic_type as at
from xylem.values.atomic import CLASS_OF, NOT_PROMOTABLE, TYPE_OF_CLASS, promote, type_of
from xylem.values.atomic_type import ATOMIC_TYPES
from xylem.values.casting import cast, castable, string_of
from xylem.values.casting_lists import cast_to_list
from xylem.values.numbers import Byte, Float, Int
from xylem.values.qname import QName
from xylem.values.strings import AnyURI, NCName, Token, UntypedAtomic


def make(type_name: str, value: Any) -> Any:
    return cast(value, ATOMIC_TYPES[type_name])


def code_of(type_name: str, value: Any) -> str:
    with pytest.raises(DynamicError) as caught:
        make(type_name, value)
    return caught.value.code


@pytest.mark.parametrize(
    ("type_name", "text", "canonical"),
    [
        ("boolean", " 1 ", "true"),
        ("boolean", "false", "false"),
        ("decimal", "+001.500", "1.5"),
        ("decimal", "-0.0", "0"),
        ("decimal", ".5", "0.5"),
        ("decimal", "5.", "5"),
        ("integer", "-007", "-7"),
        ("integer", "9" * 6000, "9" * 6000),
        ("double", "1e0", "1"),
        ("double", "-0", "-0"),
        ("double", "+INF", "INF"),
        ("double", "1e999", "INF"),
        ("double", "NaN", "NaN"),
        ("double", "1000000", "1.0E6"),
        ("double", "999999.5", "999999.5"),
        ("double", "0.000001", "0.000001"),
        ("double", "1.25e-7", "1.25E-7"),
        ("double", "123456789", "1.23456789E8"),
        ("float", "0.1", "0.1"),
        ("float", "16777217", "1.6777216E7"),
        ("float", "3.4028235E38", "3.4028235E38"),
        ("float", "1e-45", "1.0E-45"),
        ("float", "0.000001", "0.000001"),
        ("float", "-INF", "-INF"),
        ("duration", "P1Y13M2DT25H61.50S", "P2Y1M3DT1H1M1.5S"),
        ("duration", "-PT0S", "PT0S"),
        ("yearMonthDuration", "P0Y", "P0M"),
        ("yearMonthDuration", "-P13M", "-P1Y1M"),
        ("dayTimeDuration", "PT36H", "P1DT12H"),
        ("dateTime", "1999-12-31T24:00:00Z", "2000-01-01T00:00:00Z"),
        ("dateTime", "-0001-01-01T01:02:03.400-00:00", "-0001-01-01T01:02:03.4Z"),
        ("dateTimeStamp", "2000-01-01T00:00:00+14:00", "2000-01-01T00:00:00+14:00"),
        ("date", "0000-02-29", "0000-02-29"),
        ("date", "12000-01-01-05:30", "12000-01-01-05:30"),
        ("time", "24:00:00", "00:00:00"),
        ("gYearMonth", "2000-02Z", "2000-02Z"),
        ("gYear", "-0044", "-0044"),
        ("gMonthDay", "--02-29", "--02-29"),
        ("gDay", "---31", "---31"),
        ("gMonth", "--12+01:00", "--12+01:00"),
        ("hexBinary", "0aFf", "0AFF"),
        ("base64Binary", " Y Q = = ", "YQ=="),
        ("anyURI", "  a  b ", "a b"),
        ("normalizedString", "a\tb\n", "a b "),
        ("token", "  a \t b ", "a b"),
        ("language", "en-GB", "en-GB"),
        ("NMTOKEN", "1:a", "1:a"),
        ("Name", ":a", ":a"),
        ("NCName", " é ", "é"),
        ("unsignedByte", "255", "255"),
        ("nonPositiveInteger", "-0", "0"),
    ],
)
def test_texts_and_their_canonical_form(type_name: str, text: str, canonical: str) -> None:
    value = make(type_name, text)
    assert type(value) is CLASS_OF[ATOMIC_TYPES[type_name]]
    assert string_of(value) == canonical
    assert type(string_of(value)) is str


@pytest.mark.parametrize(
    ("type_name", "text"),
    [
        ("boolean", "TRUE"),
        ("decimal", "1e0"),
        ("decimal", "."),
        ("integer", "1.0"),
        ("integer", "1_000"),
        ("integer", "١"),
        ("double", "Infinity"),
        ("double", "inf"),
        ("double", "1_0"),
        ("double", "-NaN"),
        ("double", ""),
        ("duration", "P"),
        ("duration", "P1YT"),
        ("duration", "P-1Y"),
        ("duration", "P1.5D"),
        ("yearMonthDuration", "P1Y1D"),
        ("dayTimeDuration", "P1M"),
        ("dateTime", "2000-01-01"),
        ("dateTime", "2000-01-01T24:00:01"),
        ("dateTimeStamp", "2000-01-01T00:00:00"),
        ("date", "1999-02-29"),
        ("date", "+2000-01-01"),
        ("date", "02000-01-01"),
        ("date", "2000-01-01+14:01"),
        ("time", "12:60:00"),
        ("gMonthDay", "--02-30"),
        ("gMonth", "--13"),
        ("hexBinary", "abc"),
        ("base64Binary", "YR=="),
        ("base64Binary", "YQ="),
        ("base64Binary", "Y==="),
        ("base64Binary", "===="),
        ("base64Binary", "YQ==YQ=="),
        ("NCName", "a:b"),
        ("language", "englishman"),
        ("byte", "128"),
        ("positiveInteger", "0"),
        ("error", "anything"),
        ("numeric", "one"),
    ],
)
def test_texts_outside_the_lexical_space(type_name: str, text: str) -> None:
    assert code_of(type_name, text) == "FORG0001"
    assert not castable(text, ATOMIC_TYPES[type_name])


@pytest.mark.parametrize(
    ("type_name", "value"),
    [
        ("date", 1),
        ("integer", AnyURI("1")),
        ("anyURI", 1),
        ("dateTime", make("time", "12:00:00")),
        ("time", make("date", "2000-01-01")),
        ("gYear", make("gYearMonth", "2000-01")),
        ("QName", 1),
        ("hexBinary", 1.0),
        ("boolean", make("duration", "P1Y")),
        ("double", QName("", "a")),
    ],
)
def test_forbidden_pairs(type_name: str, value: Any) -> None:
    assert code_of(type_name, value) == "XPTY0004"


def test_numbers_to_numbers() -> None:
    assert make("integer", -1.9) == -1
    assert make("integer", Decimal("1.9")) == 1
    assert make("decimal", 0.5) == Decimal("0.5")
    assert make("decimal", 1.1) == Decimal.from_float(1.1)
    assert make("double", 10**400) == math.inf
    assert make("boolean", math.nan) is False
    assert make("boolean", Decimal("0.1")) is True
    assert type(make("byte", 1.7)) is Byte
    assert code_of("integer", math.nan) == code_of("decimal", math.inf) == "FOCA0002"
    assert code_of("byte", 1000) == "FORG0001"
    assert math.copysign(1, make("double", make("decimal", "-0"))) == 1


def test_dates_to_their_parts() -> None:
    moment = make("dateTime", "2004-02-29T12:30:00+01:00")
    assert [str(make(t, moment)) for t in ("date", "time", "gYearMonth", "gYear", "gMonthDay", "gDay", "gMonth")] == [
        "2004-02-29+01:00",
        "12:30:00+01:00",
        "2004-02+01:00",
        "2004+01:00",
        "--02-29+01:00",
        "---29+01:00",
        "--02+01:00",
    ]
    assert str(make("dateTime", make("date", "2000-01-01Z"))) == "2000-01-01T00:00:00Z"
    duration = make("duration", "P1Y2DT3S")
    assert str(make("yearMonthDuration", duration)) == "P1Y"
    assert str(make("dayTimeDuration", duration)) == "P2DT3S"
    assert str(make("dayTimeDuration", make("yearMonthDuration", "P1Y"))) == "PT0S"


def test_qnames_need_namespaces() -> None:
    name = cast(" p:a ", at.QNAME, {"p": "urn:p", "": "urn:d"})
    assert (name.uri, name.local, name.prefix) == ("urn:p", "a", "p")
    assert cast("a", at.QNAME, {"": "urn:d"}).uri == "urn:d"
    assert cast("xml:lang", at.QNAME).prefix == "xml"
    assert code_of("QName", "q:a") == "FONS0004"
    assert code_of("QName", "a:") == "FORG0001"
    assert string_of(name) == "p:a"


def test_numeric_union() -> None:
    assert type(make("numeric", "12")) is float
    assert type(make("numeric", 12)) is int
    assert type(make("numeric", Float(1.0))) is Float
    assert make("numeric", True) == 1.0
    assert code_of("numeric", make("date", "2000-01-01")) == "FORG0001"


def test_list_types() -> None:
    assert cast_to_list(" a b\tc ", "NMTOKENS") == ["a", "b", "c"]
    for text in ("", "a 1"):
        with pytest.raises(DynamicError, match="FORG0001"):
            cast_to_list(text, "IDREFS")


def test_targets_without_values() -> None:
    for target in (at.ANY_ATOMIC, at.NOTATION):
        with pytest.raises(DynamicError, match="XPST0080"):
            castable("a", target)


def test_promotion() -> None:
    assert type(promote(1, at.DOUBLE)) is float
    assert type(promote(Decimal(1), at.FLOAT)) is Float
    assert type(promote(AnyURI("a"), at.STRING)) is str
    assert promote(1.0, at.FLOAT) is NOT_PROMOTABLE
    assert promote(Int(1), at.INTEGER) == 1
    assert promote(UntypedAtomic("1"), at.DOUBLE) is NOT_PROMOTABLE
    assert promote(True, at.DOUBLE) is NOT_PROMOTABLE
    assert type(promote(NCName("a"), at.TOKEN)) is NCName


def test_every_class_has_its_type() -> None:
    assert len(TYPE_OF_CLASS) == len(CLASS_OF) == len(ATOMIC_TYPES) - 4  # two abstract, two unions
    assert type_of([]) is None
    assert type_of(Token("a")) is at.TOKEN
    assert type_of(True) is at.BOOLEAN


@given(st.floats())
def test_doubles_read_back(value: float) -> None:
    back = make("double", string_of(value))
    assert back == value or (back != back and value != value)


@given(st.floats(width=32))
def test_floats_read_back(value: float) -> None:
    single = Float(value)
    back = make("float", string_of(single))
    assert back == single or (back != back and single != single)
    assert len(string_of(single)) <= 16


@given(st.decimals(allow_nan=False, allow_infinity=False, places=None))
def test_decimals_read_back(value: Decimal) -> None:
    text = string_of(value)
    assert make("decimal", text) == value
    assert "E" not in text
    assert not (text.endswith("0") and "." in text)


@given(st.datetimes(), st.none() | st.integers(-840, 840))
def test_moments_read_back(moment: Any, timezone: int | None) -> None:
    value = make("dateTime", moment.isoformat())
    value.timezone_minutes = timezone
    back = make("dateTime", string_of(value))
    assert back == value
    assert hash(back) == hash(value)
    assert back.timezone_minutes == timezone


@given(st.integers(-(10**9), 10**9), st.decimals(0, 10**9, places=6))
def test_durations_read_back(months: int, seconds: Decimal) -> None:
    from xylem.values.durations import Duration

    value = Duration(months, seconds if months >= 0 else -seconds)
    assert make("duration", string_of(value)) == value


@given(st.binary())
def test_binaries_read_back(octets: bytes) -> None:
    hexadecimal = make("hexBinary", octets.hex())
    assert make("hexBinary", make("base64Binary", hexadecimal)) == hexadecimal
    assert make("base64Binary", string_of(make("base64Binary", hexadecimal))).value == octets


@given(st.text())
def test_no_text_breaks_a_cast(text: str) -> None:
    for target in ATOMIC_TYPES.values():
        if target not in (at.ANY_ATOMIC, at.NOTATION):
            castable(text, target)
