"""fn:format-number, its pictures and the decimal formats it uses."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal as D
from math import inf, nan
from typing import Any

import pytest
import xylem
from xylem.errors import DynamicError, StaticError
from xylem.functions.context import Context
from xylem.functions.decimal_format import DecimalFormat
from xylem.functions.format_number import format_number
from xylem.values.numbers import Float


@pytest.mark.parametrize(
    ("value", "picture", "expected"),
    [
        (D("12345.6"), "#,###.00", "12,345.60"),
        (D("12345678.9"), "9,999.99", "12,345,678.90"),
        (D("123.9"), "9999", "0124"),
        (D("0.14"), "01%", "14%"),
        (D("-6"), "000", "-006"),
        (D("0.5"), "#.#", ".5"),
        (0, "#", "0"),
        (0, "#.#", ".0"),
        (D("2.5"), "0", "2"),
        (642120, "###,##", "6421,20"),
        (642120, "#,##", "64,21,20"),
        (2001, ",##0", "2,001"),
        (D("12345.6789012345"), "#.#,##,#", "12345.6,78,9"),
        (-0.0, "0", "-0"),
        (inf, "<0>", "<Infinity>"),
        (-inf, "<0>", "-<Infinity>"),
        (nan, "<0>", "NaN"),
        (None, "0", "NaN"),
        (-1, "0;(0)", "(1)"),
        (-1e308, "0%", "-Infinity%"),
        (1e100 / 3, "#", "3333333333333333" + "0" * 84),
        (Float(0.1), "0.0##############", "0.1"),
        (D("79228162514264337593543950335"), "0%", "7922816251426433759354395033500%"),
        (D("12345.678"), "9.9999e999", "1.2346e004"),
        (D("12345.678"), "#99.99e99", "12.35e03"),
        (D("12345.678"), "#.99e99", "0.12e05"),
        (D("0.99999999"), "0.0e0", "10.0e-1"),
        (D("0.2"), "#e0", "0.2e0"),
        (D("0.002"), ".0e0", ".2e-2"),
        (0, "#.#e9", "0e0"),
        (D("12345.678"), "9.9999eDog", "12345.6780eDog"),
        (D("12345.678"), "9.9999e99e", "1.2346e04e"),
        (1, "0e", "1e"),
        (1, "0.0,", "1.0"),
    ],
)
def test_pictures(ctx: Context, value: Any, picture: str, expected: str) -> None:
    assert format_number(ctx, value, picture) == expected


@pytest.mark.parametrize(
    "picture",
    ["", "abc", "0;0;0", "0.0.0", "0%%",
     "0%‰", "0#", "0.#0", "0,.0", "0.,0", "0,", "0,,0", "0a0", "0e0e0", "0%e0",
     "0e#", ".e99", "0,e0"],
)  # fmt: skip
def test_faulty_pictures(ctx: Context, picture: str) -> None:
    with pytest.raises(DynamicError, match="FODF1310"):
        format_number(ctx, 1, picture)


def test_named_formats(make_context: Callable[..., Context]) -> None:
    german = DecimalFormat.of({"decimal-separator": ",", "grouping-separator": "."})
    ctx = make_context(decimal_formats={("urn:f", "de"): german}, namespaces={"f": "urn:f"})
    assert format_number(ctx, D("1234.5"), "#.##0,00", " f:de ") == "1.234,50"
    assert format_number(ctx, D("1234.5"), "#.##0,00", "Q{urn:f}de") == "1.234,50"
    for unknown in ("de", "g:de", "f:en", "1"):
        with pytest.raises(DynamicError, match="FODF1280"):
            format_number(ctx, 1, "0", unknown)


def test_other_digits(make_context: Callable[..., Context]) -> None:
    arabic = DecimalFormat.of({"zero-digit": "\u0660", "digit": "!"})
    ctx = make_context(decimal_formats={("", ""): arabic})
    assert format_number(ctx, D("4030201.0506"), "#!!!,!!!,٠٠٠.٠٠٠٠٠٠0") == "#٤,٠٣٠,٢٠١.٠٥٠٦٠٠0"


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ({"decimal-separator": "ab"}, "XQST0097"),
        ({"zero-digit": "1"}, "XQST0097"),
        ({"zero-digit": "x"}, "XQST0097"),
        ({"decimal-separator": "!", "grouping-separator": "!"}, "XQST0098"),
        ({"exponent-separator": "#"}, "XQST0098"),
        ({"digit": "5"}, "XQST0098"),
    ],
)
def test_faulty_formats(properties: dict[str, str], code: str) -> None:
    with pytest.raises(StaticError, match=code):
        DecimalFormat.of(properties)


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ("format-number(1234567.891, '" + "#," * 50_000 + "0')", 13),
        ("format-number(1234567.891, '" + "0,00," * 20_000 + "0." + "0,0" * 20_000 + "0')", 160_003),
        ("format-integer(1234567, '#," + "0,00-" * 20_000 + "0')", 100_001),
    ],
)
def test_long_pictures_take_linear_time(query: str, size: int) -> None:
    began = time.process_time()
    assert len(str(xylem.compile(query).run().value)) == size
    # Half a minute where each separator moved all that followed it.
    assert time.process_time() - began < 5
