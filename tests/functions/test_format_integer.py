"""fn:format-integer: digit patterns, sequences, words and ordinals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import DynamicError
from xylem.functions.context import Context
from xylem.functions.english_numbers import ordinal_words, words
from xylem.functions.format_integer import format_integer, format_integer_token


@pytest.mark.parametrize(
    ("value", "picture", "expected"),
    [
        (123, "0000", "0123"),
        (0, "00", "00"),
        (-123, "999", "-123"),
        (1500000, "#,###,000", "1,500,000"),
        (12345678901, "# 000", "12 345 678 901"),
        (123456789, "0,0,00,0", "12345,6,78,9"),
        (602347826, "#(000)000-000", "602)347-826"),
        (1234, "#,𐒠𐒠𐒠", "𐒡,𐒢𐒣𐒤"),
        (28, "a", "ab"),
        (702, "A", "ZZ"),
        (0, "A", "0"),
        (1999, "I", "MCMXCIX"),
        (4, "i", "iv"),
        (24, "α", "ω"),
        (12, "①", "⑫"),
        (21, "①", "21"),
        (1234, "#", "1234"),
        (1234, "unknown", "1234"),
        (0, "Ww", "Zero"),
        (123, "w", "one hundred and twenty-three"),
        (2, "W;o", "SECOND"),
        (-5, "Ww;o", "-Fifth"),
        (100, "w;o", "one hundredth"),
        (-8500, "#,##1;o", "-8,500th"),
        (1, "1;o(-en)", "1st"),
        (112, "1;o", "112th"),
        (1, "001;", "001"),
        (1, "a;ca", "a"),
        (None, "1", ""),
    ],
)
def test_pictures(ctx: Context, value: int | None, picture: str, expected: str) -> None:
    assert format_integer(ctx, value, picture) == expected


def test_very_long_integers(ctx: Context) -> None:
    assert format_integer(ctx, 10**5000, "1") == "1" + "0" * 5000


@pytest.mark.parametrize(
    "picture", ["", ";", ";o", "0,000,", ",123", "0,00,,000", "11#0,000", "0#", "123١", "1o", "1;x", "Ww;o(", "Ww;o()("]
)
def test_faulty_pictures(ctx: Context, picture: str) -> None:
    for value in (1, None):
        with pytest.raises(DynamicError, match="FODF1310"):
            format_integer(ctx, value, picture)


def test_ordinals_of_other_languages() -> None:
    assert format_integer_token(3, "1", "", "de") == "3."
    assert format_integer_token(3, "01", None, "de-AT") == "03"


@pytest.mark.parametrize(
    ("value", "cardinal", "ordinal"),
    [
        (1, "one", "first"),
        (12, "twelve", "twelfth"),
        (20, "twenty", "twentieth"),
        (1001, "one thousand and one", "one thousand and first"),
        (2_000_300, "two million three hundred", "two million three hundredth"),
    ],
)
def test_english(value: int, cardinal: str, ordinal: str) -> None:
    assert words(value) == cardinal
    assert ordinal_words(value) == ordinal


@given(st.integers(0, 10**30))
def test_words_differ(value: int) -> None:
    assert words(value) != words(value + 1)
