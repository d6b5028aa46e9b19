"""fn: functions on numbers keep types, signs of zero and every digit."""

from __future__ import annotations

import math
from decimal import Decimal as D
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.functions import numeric_functions as fn
from xylem.values.numbers import Byte, Float
from xylem.values.strings import UntypedAtomic

LONG = D("12345678901234567890123456789012345678901234567890.5")


def same(a: Any, b: Any) -> bool:
    """Equal, of the same type, and the same zero."""
    if type(a) is not type(b):
        return False
    return str(a) == str(b)


@pytest.mark.parametrize(
    ("value", "precision", "expected"),
    [
        (D("2.5"), 0, D(3)),
        (D("2.4999"), 0, D(2)),
        (D("-2.5"), 0, D(-2)),
        (D("1.125"), 2, D("1.13")),
        (D("-0.4"), 0, D(0)),
        (LONG, 0, D("12345678901234567890123456789012345678901234567891")),
        (D("0.5"), 10**12, D("0.5")),
        (D("149"), -2, D(100)),
        (D("150"), -2, D(200)),
        (D("5"), -(10**12), D(0)),
        (8452, -2, 8500),
        (-25, -1, -20),
        (25, 5, 25),
        (25, -(10**12), 0),
        (10**400 + 1, -1, 10**400),
        (-2.5, 0, -2.0),
        (-0.4, 0, -0.0),
        (3.1415, 2, 3.14),
        (1e300, 5, 1e300),
        (1e-300, 2, 0.0),
        (0.49999999999999994, 0, 0.0),
        (math.inf, -3, math.inf),
        (-0.0, 2, -0.0),
        (Float(2.5), 0, Float(3)),
        (Byte(15), -1, 20),
    ],
)
def test_round(value: Any, precision: int, expected: Any) -> None:
    assert same(fn.round_half_up(value, precision), expected)


@pytest.mark.parametrize(
    ("value", "precision", "expected"),
    [
        (D("0.5"), 0, D(0)),
        (D("1.5"), 0, D(2)),
        (D("2.5"), 0, D(2)),
        (3567.812, 2, 3567.81),
        (4.7564e-3, 2, 0.0),
        (D("35612.25"), -2, D(35600)),
        (25, -1, 20),
        (35, -1, 40),
        (-25, -1, -20),
        (-0.5, 0, -0.0),
        (math.nan, 0, math.nan),
    ],
)
def test_round_half_to_even(value: Any, precision: int, expected: Any) -> None:
    assert same(fn.round_half_to_even(value, precision), expected)


@pytest.mark.parametrize(
    ("value", "ceiling", "floor", "absolute"),
    [
        (D("-10.5"), D(-10), D(-11), D("10.5")),
        (D("-0.5"), D(0), D(-1), D("0.5")),
        (-0.5, -0.0, -1.0, 0.5),
        (-0.0, -0.0, -0.0, 0.0),
        (0.5, 1.0, 0.0, 0.5),
        (1e300, 1e300, 1e300, 1e300),
        (math.inf, math.inf, math.inf, math.inf),
        (Float(1.5), Float(2), Float(1), Float(1.5)),
        (Byte(-3), -3, -3, 3),
        (
            D("-12345678901234567890123456789012345678901234567890.5"),
            D("-12345678901234567890123456789012345678901234567890"),
            D("-12345678901234567890123456789012345678901234567891"),
            LONG,
        ),
    ],
)
def test_ceiling_floor_and_absolute_value(value: Any, ceiling: Any, floor: Any, absolute: Any) -> None:
    assert same(fn.ceiling(value), ceiling)
    assert same(fn.floor(value), floor)
    assert same(fn.absolute(value), absolute)


def test_number() -> None:
    assert fn.number(12) == 12.0
    assert type(fn.number(12)) is float
    assert fn.number(UntypedAtomic(" 1e2 ")) == 100.0
    assert fn.number(True) == 1.0
    assert fn.number(10**400) == math.inf
    assert math.isnan(fn.number(None))
    assert math.isnan(fn.number("twelve"))
    assert fn.number("INF") == math.inf


@given(st.integers(), st.integers(-30, 5))
def test_integers_round_as_decimals_do(value: int, precision: int) -> None:
    assert fn.round_half_up(value, precision) == fn.round_half_up(D(value), precision)
    assert fn.round_half_to_even(value, precision) == fn.round_half_to_even(D(value), precision)
