"""Order keys as bytes sort as `order by` does; grouping keys as bytes meet where `group by` puts tuples together."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from xylem.run.tasks.group_key import exact_key, group_key
from xylem.run.tasks.order_key import column_writer, order_family, order_key
from xylem.values.binary import HexBinary
from xylem.values.collations import HTML_ASCII
from xylem.values.comparison import order_keys
from xylem.values.datetimes import Date, DateTime
from xylem.values.durations import DayTimeDuration, YearMonthDuration
from xylem.values.numbers import Float
from xylem.values.strings import UntypedAtomic

NUMBERS = st.one_of(
    st.integers(),
    st.integers(-3, 3),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.decimals(-2, 2, places=3),
    st.floats(),
    st.floats(width=32, allow_nan=False).map(Float),
    st.integers(-20, 20).map(lambda n: n / 10),
    st.integers(-20, 20).map(lambda n: Decimal(n) / 10),
)
ZONES = st.one_of(st.none(), st.integers(-840, 840))
DAYS = st.builds(Date, st.integers(1990, 2010), st.integers(1, 12), st.integers(1, 28), ZONES)
INSTANTS = st.builds(
    DateTime,
    st.integers(-50, 3000),
    st.integers(1, 12),
    st.integers(1, 28),
    st.integers(0, 23),
    st.integers(0, 59),
    st.decimals(0, Decimal("59.999"), places=3),
    ZONES,
)
STRINGS = st.one_of(st.text(), st.text("ab\0\1é\U00010000"), st.text("ab").map(UntypedAtomic))
FAMILIES = (
    NUMBERS,
    STRINGS,
    DAYS,
    INSTANTS,
    st.booleans(),
    st.integers(-100, 100).map(YearMonthDuration),
    st.decimals(-9999, 9999, places=2).map(DayTimeDuration),
    st.binary(max_size=4).map(HexBinary),
)
COLUMNS = st.one_of(*(st.lists(st.one_of(st.none(), family), max_size=12) for family in FAMILIES))


@given(COLUMNS, st.booleans(), st.booleans())
@example([0.1, Decimal("0.1"), Decimal("0.10"), 1, 1.0, -0.0, 0, 10**400, -(10**400), float("inf")], False, False)
@example([None, float("nan"), 1], True, True)
def test_bytes_sort_as_the_values(column: list[Any], descending: bool, empty_greatest: bool) -> None:
    keys = [order_key(value, None, 90, descending=descending, empty_greatest=empty_greatest) for value in column]
    sortable = order_keys(column, None, 90, empty_greatest=empty_greatest)
    positions = range(len(column))
    expected = sorted(positions, key=sortable.__getitem__, reverse=descending)
    assert sorted(positions, key=keys.__getitem__) == expected


@given(st.one_of(COLUMNS, st.lists(NUMBERS), st.lists(STRINGS)), st.booleans(), st.booleans())
@example([1, True, 1.0, Decimal(1)], False, False)
@example(["a", "a\0", UntypedAtomic("a\0b")], True, False)
def test_columns_are_written_as_values_are(column: list[Any], descending: bool, empty_greatest: bool) -> None:
    write = column_writer(None, 90, descending=descending, empty_greatest=empty_greatest)
    expected = [order_key(value, None, 90, descending=descending, empty_greatest=empty_greatest) for value in column]
    assert write(column) == expected
    assert [write([value]) for value in column] == [[key] for key in expected]


@given(COLUMNS, COLUMNS)
def test_several_keys_follow_each_other(first: list[Any], second: list[Any]) -> None:
    pairs = [(a, b) for a in first for b in second]
    keys = [
        order_key(a, None, 0, descending=True, empty_greatest=False)
        + order_key(b, None, 0, descending=False, empty_greatest=True)
        for a, b in pairs
    ]
    major = order_keys([a for a, _ in pairs], None, 0)
    minor = order_keys([b for _, b in pairs], None, 0, empty_greatest=True)
    expected = sorted(range(len(pairs)), key=minor.__getitem__)
    expected.sort(key=major.__getitem__, reverse=True)
    assert sorted(range(len(pairs)), key=keys.__getitem__) == expected


@given(st.lists(st.text("aBäÄ"), max_size=8))
def test_strings_sort_by_their_collation(column: list[str]) -> None:
    keys = [order_key(text, HTML_ASCII, 0, descending=False, empty_greatest=False) for text in column]
    positions = range(len(column))
    sortable = order_keys(column, HTML_ASCII, 0)
    assert sorted(positions, key=keys.__getitem__) == sorted(positions, key=sortable.__getitem__)


def test_families_tell_what_has_no_common_order() -> None:
    assert order_family(1) == order_family(Decimal(1)) == order_family(1.5)
    assert order_family("a") == order_family(UntypedAtomic("a")) != order_family(1)
    assert order_family(YearMonthDuration(1)) != order_family(DayTimeDuration(1))


@given(st.one_of(*FAMILIES), st.one_of(*FAMILIES))
@example(1, 1.0)
@example(Decimal("0.1"), 0.1)
@example(16777217, 16777216.0)
@example("1", UntypedAtomic("1"))
@example(float("nan"), Float(float("nan")))
@example(-0.0, 0)
@example(YearMonthDuration(0), DayTimeDuration(0))
def test_equal_values_have_equal_group_keys(a: Any, b: Any) -> None:
    if exact_key([a], [None], 60) == exact_key([b], [None], 60):
        assert group_key([a], [None], 60) == group_key([b], [None], 60)


@given(st.lists(st.one_of(st.none(), STRINGS), min_size=2, max_size=2), st.lists(STRINGS, min_size=2, max_size=2))
def test_different_strings_have_different_group_keys(a: list[Any], b: list[Any]) -> None:
    same = exact_key(a, [None, None], 0) == exact_key(b, [None, None], 0)
    assert (group_key(a, [None, None], 0) == group_key(b, [None, None], 0)) == same
