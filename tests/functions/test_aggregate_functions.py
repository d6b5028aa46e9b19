"""fn:count, fn:sum, fn:avg, fn:max, fn:min: promotion, errors, and huge ranges."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.functions.aggregate_functions import avg, count, sum_
from xylem.functions.context import Context
from xylem.functions.extreme_values import max_, min_
from xylem.values.datetimes import Date
from xylem.values.durations import DayTimeDuration, Duration, YearMonthDuration
from xylem.values.numbers import Float, UnsignedByte
from xylem.values.qname import QName
from xylem.values.strings import AnyURI, NCName, UntypedAtomic

HTML_ASCII = "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive"


def test_ranges_are_not_read(ctx: Context) -> None:
    huge = range(1, 10**15 + 1)
    assert count(huge) == 10**15
    assert sum_(huge) == 10**15 * (10**15 + 1) // 2
    assert avg(huge) == Decimal(10**15 + 1) / 2
    assert (max_(ctx, huge), min_(ctx, huge[::-1])) == (10**15, 1)
    assert (sum_(range(0)), avg(range(0)), max_(ctx, range(0))) == (0, None, None)


@pytest.mark.parametrize(
    ("values", "total", "mean"),
    [
        ([1, 2], 3, Decimal("1.5")),
        ([1, Decimal("0.5")], Decimal("1.5"), Decimal("0.75")),
        ([1, 2.0], 3.0, 1.5),
        ([Decimal(1), Float(0.5)], Float(1.5), Float(0.75)),
        ([Float(0.5), 1.0], 1.5, 0.75),
        ([UntypedAtomic("1"), 2], 3.0, 1.5),
        ([UntypedAtomic("1"), UntypedAtomic("2")], 3.0, 1.5),
        ([YearMonthDuration(1), YearMonthDuration(2)], YearMonthDuration(3), YearMonthDuration(2)),
        ([DayTimeDuration(1), DayTimeDuration(2)], DayTimeDuration(3), DayTimeDuration(Decimal("1.5"))),
        ([1] * 5000 + [0.5], 5000.5, 5000.5 / 5001),
    ],
)
def test_sums(values: list[Any], total: Any, mean: Any) -> None:
    assert sum_(iter(values)) == total
    assert type(sum_(values)) is type(total)
    assert avg(values) == mean
    assert type(avg(values)) is type(mean)


def test_sum_of_nothing_and_of_negative_zero() -> None:
    assert sum_([]) == 0
    assert sum_([], None) is None
    assert sum_([], "zero") == "zero"
    assert math.copysign(1, sum_([-0.0])) == -1
    assert type(sum_([UnsignedByte(3)])) is UnsignedByte
    assert avg([]) is None


@pytest.mark.parametrize(
    "values",
    [
        ["a"],
        [1, "a"],
        [True],
        [Duration(1, 1)],
        [1, YearMonthDuration(1)],
        [YearMonthDuration(1), DayTimeDuration(1)],
        [1] * 5000 + [DayTimeDuration(1)],
        [DayTimeDuration(1)] * 5000 + [UntypedAtomic("1")],
    ],
)
def test_what_cannot_be_summed(values: list[Any]) -> None:
    for function in (sum_, avg):
        with pytest.raises(DynamicError) as caught:
            function(values)
        assert caught.value.code == "FORG0006"


@pytest.mark.parametrize(
    ("values", "largest", "smallest"),
    [
        ([1, 3, 2], 3, 1),
        ([1, 2.5, Decimal(3)], 3.0, 1.0),
        ([1, Float(2.5)], Float(2.5), Float(1)),
        ([1, Decimal("0.5")], 1, Decimal("0.5")),
        ([UntypedAtomic("10"), UntypedAtomic("9")], 10.0, 9.0),
        (["a", "B"], "a", "B"),
        ([AnyURI("a"), AnyURI("b")], AnyURI("b"), AnyURI("a")),
        ([AnyURI("a"), "b"], "b", "a"),
        ([NCName("a"), "b"], "b", NCName("a")),
        ([NCName("a"), AnyURI("b")], "b", NCName("a")),
        ([True, False], True, False),
        ([Date(2024, 1, 1), Date(2023, 1, 1)], Date(2024, 1, 1), Date(2023, 1, 1)),
        ([YearMonthDuration(1), YearMonthDuration(2)], YearMonthDuration(2), YearMonthDuration(1)),
        ([], None, None),
    ],
)
def test_extremes(ctx: Context, values: list[Any], largest: Any, smallest: Any) -> None:
    assert max_(ctx, iter(values)) == largest
    assert type(max_(ctx, values)) is type(largest)
    assert min_(ctx, values) == smallest
    assert type(min_(ctx, values)) is type(smallest)


def test_nan_wins(ctx: Context) -> None:
    for values in ([math.nan, 1], [1, math.nan], [math.nan], [1] * 5000 + [Float(math.nan)]):
        assert math.isnan(max_(ctx, values))
        assert math.isnan(min_(ctx, values))
    assert type(max_(ctx, [Float(math.nan), 1])) is Float
    assert type(max_(ctx, [Float(math.nan), 1.0])) is float


def test_collations(ctx: Context, make_context: Callable[..., Context]) -> None:
    assert max_(ctx, ["a", "B"], HTML_ASCII) == "B"
    assert max_(make_context(default_collation=HTML_ASCII), ["a", "B"]) == "B"
    with pytest.raises(DynamicError) as caught:
        min_(ctx, ["a"], "urn:unknown")
    assert caught.value.code == "FOCH0002"


@pytest.mark.parametrize(
    "values",
    [
        ["a", 1],
        [1] * 5000 + ["a"],
        [math.nan, "a"],
        [QName("", "a")],
        [Duration(1, 1)],
        [YearMonthDuration(1), DayTimeDuration(1)],
        [Date(2024, 1, 1), "2024-01-01"],
    ],
)
def test_what_has_no_order(ctx: Context, values: list[Any]) -> None:
    for function in (max_, min_):
        with pytest.raises(DynamicError) as caught:
            function(ctx, values)
        assert caught.value.code == "FORG0006"
