"""Values keep their meaning across the border to Python, in both directions."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import InputError
from xylem.values.array import XArray
from xylem.values.binary import Base64Binary
from xylem.values.datetimes import Date, DateTime, Time
from xylem.values.durations import DayTimeDuration, YearMonthDuration
from xylem.values.map import XMap
from xylem.values.numbers import Float
from xylem.values.python_values import item_from_python, python_from_item, python_from_sequence, sequence_from_python
from xylem.values.strings import UntypedAtomic

zones = st.none() | st.integers(-840, 840).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
texts = st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"))
atoms = (
    texts
    | st.integers()
    | st.floats(allow_nan=False)
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.binary()
    | st.dates()
    | st.datetimes(timezones=zones)
    | st.times()
    | st.timedeltas()
)


@given(atoms)
def test_atomic_values_come_back(value: Any) -> None:
    back = python_from_item(item_from_python(value))
    assert type(back) is type(value)
    assert back == value


@given(st.dictionaries(texts, st.integers() | st.none() | st.lists(texts, min_size=2)))
def test_dictionaries_come_back(value: dict[str, Any]) -> None:
    assert python_from_item(item_from_python(value)) == value


@pytest.mark.parametrize(
    ("value", "items"),
    [
        (None, []),
        ([], []),
        ("abc", ["abc"]),
        ([1, None, 2], [1, 2]),
        ((x for x in "ab"), ["a", "b"]),
        (range(3), [0, 1, 2]),
    ],
)
def test_sequences(value: Any, items: list[Any]) -> None:
    assert list(sequence_from_python(value)) == items


def test_a_list_inside_a_list_is_an_array() -> None:
    (array,) = sequence_from_python([[1, [2], None]])
    assert isinstance(array, XArray)
    assert python_from_item(array) == [1, [2], None]


def test_subclasses_become_what_xquery_knows() -> None:
    class Colour(IntEnum):
        RED = 3

    assert type(item_from_python(Colour.RED)) is int
    assert type(python_from_item(UntypedAtomic("x"))) is str
    assert type(python_from_item(Float(1.5))) is float
    assert item_from_python(b"ab") == Base64Binary(b"ab")


@pytest.mark.parametrize(
    "item",
    [
        Date(2024, 1, 1, 60),
        Date(-5, 1, 1),
        DateTime(12024, 1, 1, 0, 0, Decimal(0)),
        Time(1, 2, Decimal("3.00000001")),
        DayTimeDuration(Decimal("0.0000001")),
        DayTimeDuration(10**30),
        YearMonthDuration(3),
    ],
)
def test_what_python_cannot_hold_exactly_stays_an_item(item: Any) -> None:
    assert python_from_item(item) is item


def test_keys_that_only_python_confuses_lose_nothing() -> None:
    confused = XMap.of([(True, ("a",)), (1, ("b",))])
    assert python_from_item(confused) is confused


@pytest.mark.parametrize("value", [Path("x.xml"), object(), Decimal("NaN"), 1j])
def test_what_has_no_meaning_is_refused(value: Any) -> None:
    with pytest.raises(InputError) as caught:
        item_from_python(value)
    assert caught.value.code == "XYIN0005"


def test_single_values_are_not_wrapped() -> None:
    assert python_from_sequence((UntypedAtomic("a"),)) == "a"


class Named(str):
    """A text of the user's own class."""


@pytest.mark.parametrize("text", ["\0", "a\x0bb", "\ud800", "\ufffe", UntypedAtomic("\x01"), Named("\0")])
def test_texts_that_xml_cannot_hold_are_refused(text: str) -> None:
    for value in (text, [text], {text: 1}, {"a": [1, text]}):
        with pytest.raises(InputError, match=r"XYIN0005.*the character U\+[0-9A-F]{4} is not allowed"):
            list(sequence_from_python(value))


def test_other_texts_are_not() -> None:
    texts = ["a\tb\r\nc", "\x7f\x85", "\u200b\U0001f600\ue000"]
    assert list(sequence_from_python(texts)) == texts
