"""Arithmetic: result types, IEEE specials, exact decimals, dates and durations (F&O 3.1 §4.2, §8.4, §9.7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import DynamicError
from xylem.values.arithmetic import add, divide, integer_divide, modulo, multiply, negate, plus, subtract
from xylem.values.atomic_type import ATOMIC_TYPES
from xylem.values.casting import cast, string_of
from xylem.values.numbers import Byte, Float
from xylem.values.strings import UntypedAtomic

D = Decimal


def make(type_name: str, value: Any) -> Any:
    return cast(value, ATOMIC_TYPES[type_name])


def code_of(operation: Callable[..., Any], *operands: Any) -> str:
    with pytest.raises(DynamicError) as caught:
        operation(*operands)
    return caught.value.code


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        (1, 2, int),
        (Byte(1), Byte(2), int),
        (1, D("0.5"), D),
        (D(1), Float(2), Float),
        (Float(1), 2.0, float),
        (1, Float(1), Float),
        (UntypedAtomic("1"), 2, float),
    ],
)
def test_result_types(a: Any, b: Any, result: type) -> None:
    for operation in (add, subtract, multiply, modulo):
        assert type(operation(a, b)) is result
        assert type(operation(b, a)) is result
    assert type(integer_divide(a, b)) is int
    assert type(divide(a, b)) is (D if result is int else result)


def test_integer_division_truncates() -> None:
    assert [integer_divide(a, b) for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [3, -3, -3, 3]
    assert [modulo(a, b) for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [1, -1, 1, -1]
    assert integer_divide(D("-3.5"), D("0.5")) == -7
    assert integer_divide(1e0, math.inf) == 0
    assert type(integer_divide(Byte(7), Byte(2))) is int
    assert integer_divide(7, Float(0.1)) == 70


def test_decimal_division() -> None:
    assert string_of(divide(1, 3)).startswith("0.333333333333333333")
    assert divide(10, 4) == D("2.5")
    assert string_of(divide(100, 10)) == "10"
    big = 10**50 + 1
    assert multiply(divide(big, 2), 2) == big
    assert string_of(multiply(D(-1), D(0))) == "0"
    third = divide(1, 3)
    assert len(string_of(divide(third, 3))) <= len(string_of(third)) + 2


def test_division_by_zero() -> None:
    assert code_of(divide, 1, 0) == code_of(modulo, D(1), 0) == code_of(integer_divide, 1.0, 0.0) == "FOAR0001"
    assert divide(1.0, -0.0) == -math.inf
    assert math.isnan(divide(0.0, 0.0))
    assert math.isnan(modulo(1.0, 0.0))
    assert code_of(integer_divide, math.nan, 1.0) == code_of(integer_divide, math.inf, 1) == "FOAR0002"
    assert code_of(integer_divide, 1e308, 1e-300) == "FOAR0002"


def test_ieee_specials() -> None:
    assert multiply(1e308, 10.0) == math.inf
    assert math.isnan(subtract(math.inf, math.inf))
    assert modulo(5.0, math.inf) == 5.0
    assert math.isnan(modulo(math.inf, 5.0))
    assert math.copysign(1, modulo(-4.0, 2.0)) == -1
    assert math.copysign(1, negate(0.0)) == -1
    assert multiply(Float(3e38), Float(10.0)) == math.inf
    assert add(Float(0.1), Float(0.2)) == Float(0.1 + 0.2)


def test_signs() -> None:
    assert negate(UntypedAtomic("1")) == -1.0
    assert type(plus(Byte(1))) is int
    assert plus(D(1)) == 1
    assert type(negate(Byte(1))) is int
    assert type(negate(Float(1.0))) is Float
    assert code_of(negate, "1") == code_of(plus, True) == "XPTY0004"


@pytest.mark.parametrize(
    ("operation", "a", "b", "result"),
    [
        (add, ("date", "2000-01-31"), ("yearMonthDuration", "P1M"), "2000-02-29"),
        (add, ("yearMonthDuration", "-P1Y"), ("date", "2000-02-29Z"), "1999-02-28Z"),
        (subtract, ("date", "0001-01-01"), ("dayTimeDuration", "P1D"), "0000-12-31"),
        (add, ("dateTime", "1999-12-31T23:59:59.5"), ("dayTimeDuration", "PT0.5S"), "2000-01-01T00:00:00"),
        (subtract, ("dateTime", "2000-03-01T00:00:00"), ("yearMonthDuration", "P1M"), "2000-02-01T00:00:00"),
        (add, ("time", "23:00:00+01:00"), ("dayTimeDuration", "PT2H"), "01:00:00+01:00"),
        (subtract, ("time", "01:00:00"), ("dayTimeDuration", "P10DT2H"), "23:00:00"),
        (subtract, ("dateTime", "2000-01-01T00:00:00Z"), ("dateTime", "2000-01-01T00:00:00+01:00"), "PT1H"),
        (subtract, ("date", "2000-01-01"), ("date", "2001-01-01"), "-P366D"),
        (subtract, ("time", "11:00:00.5"), ("time", "12:00:00"), "-PT59M59.5S"),
        (add, ("yearMonthDuration", "P1Y"), ("yearMonthDuration", "-P13M"), "-P1M"),
        (subtract, ("dayTimeDuration", "P1D"), ("dayTimeDuration", "PT1S"), "PT23H59M59S"),
        (multiply, ("dayTimeDuration", "PT2H10M"), ("double", "2.1"), "PT4H33M"),
        (multiply, ("decimal", "2.5"), ("yearMonthDuration", "P1M"), "P3M"),
        (multiply, ("yearMonthDuration", "-P1M"), ("decimal", "2.5"), "-P2M"),
        (divide, ("yearMonthDuration", "P2Y11M"), ("decimal", "1.5"), "P1Y11M"),
        (divide, ("dayTimeDuration", "P1D"), ("double", "INF"), "PT0S"),
        (divide, ("yearMonthDuration", "P3Y4M"), ("yearMonthDuration", "-P1Y4M"), "-2.5"),
        (divide, ("dayTimeDuration", "P1D"), ("dayTimeDuration", "PT1H"), "24"),
    ],
)
def test_dates_and_durations(
    operation: Callable[..., Any], a: tuple[str, str], b: tuple[str, str], result: str
) -> None:
    assert string_of(operation(make(*a), make(*b))) == result


def test_implicit_timezone_of_differences() -> None:
    a, b = make("dateTime", "2000-01-01T00:00:00Z"), make("dateTime", "2000-01-01T00:00:00")
    assert str(subtract(a, b, -300)) == "-PT5H"


def test_limits() -> None:
    year = make("yearMonthDuration", "P1Y")
    assert code_of(make, "date", "2147483648-01-01") == code_of(make, "gYear", "9" * 30) == "FODT0001"
    assert code_of(make, "dateTime", "2147483647-12-31T24:00:00") == "FODT0001"
    assert code_of(add, make("date", "2147483647-01-01"), year) == "FODT0001"
    assert code_of(add, make("date", "2000-01-01"), make("dayTimeDuration", "P999999999999D")) == "FODT0001"
    assert code_of(make, "duration", "-P768614336404564651Y") == "FODT0002"
    assert code_of(multiply, make("yearMonthDuration", "P768614336404564650Y"), 2) == "FODT0002"


def test_duration_faults() -> None:
    day, year = make("dayTimeDuration", "P1D"), make("yearMonthDuration", "P1Y")
    assert code_of(multiply, day, math.nan) == code_of(divide, year, math.nan) == "FOCA0005"
    assert code_of(multiply, day, math.inf) == code_of(divide, year, 0) == "FODT0002"
    assert code_of(divide, day, make("dayTimeDuration", "PT0S")) == "FOAR0001"
    for a, b in ((day, year), (make("date", "2000-01-01"), make("date", "2000-01-01")), ("1", 1), (True, 1)):
        assert code_of(add, a, b) == "XPTY0004"
    assert code_of(subtract, make("gYear", "2000"), make("gYear", "2000")) == "XPTY0004"
    assert code_of(add, make("time", "12:00:00"), year) == "XPTY0004"
    assert code_of(integer_divide, day, day) == "XPTY0004"
    assert code_of(add, UntypedAtomic("x"), 1) == "FORG0001"


NUMBERS = st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=10) | st.floats(allow_nan=False)
EXACT = st.integers() | st.decimals(-(10**40), 10**40, places=20)


@given(NUMBERS, NUMBERS)
def test_sums_and_products_commute(a: Any, b: Any) -> None:
    for operation in (add, multiply):
        x, y = operation(a, b), operation(b, a)
        assert x == y or (x != x and y != y)


@given(EXACT, EXACT)
def test_exact_identities(a: Any, b: Any) -> None:
    assert subtract(add(a, b), b) == a
    if b:
        assert add(multiply(integer_divide(a, b), b), modulo(a, b)) == a


@given(st.dates(), st.integers(-(10**6), 10**6))
def test_days_there_and_back(date: Any, days: int) -> None:
    start, shift = make("date", date.isoformat()), multiply(make("dayTimeDuration", "P1D"), days)
    moved = add(start, shift)
    assert subtract(moved, shift) == start
    assert subtract(moved, start) == shift


@given(st.integers(-(10**12), 10**12))
def test_the_calendar_is_its_own_inverse(days: int) -> None:
    from xylem.values.calendar import date_from_days, days_from_date

    assert days_from_date(*date_from_days(days)) == days
