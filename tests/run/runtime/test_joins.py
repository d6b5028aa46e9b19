"""The index of a join finds what comparing all pairs finds, and fails where that fails."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import XylemError
from xylem.run.runtime.joins import JoinIndex
from xylem.values.atomic_type import DATE
from xylem.values.casting import cast
from xylem.values.general_comparison import general_compare
from xylem.values.strings import AnyURI, UntypedAtomic
from xylem.values.value_comparison import OPERATORS

TEXTS = st.sampled_from(["", "a", "b", "1", "01", "1.0", "NaN", "-1", "2"])
STRINGS = TEXTS
UNTYPED = TEXTS.map(UntypedAtomic)
URIS = TEXTS.map(AnyURI)
INTEGERS = st.integers(-2, 2) | st.just(2**53 + 1)
DECIMALS = st.sampled_from([Decimal("1"), Decimal("0.1"), Decimal("-1"), Decimal(2**53 + 1)])
DOUBLES = st.sampled_from([0.1, 1.0, -1.0, float("nan"), float("inf"), 2.0**53])
DATES = st.sampled_from([cast(text, DATE) for text in ("2020-01-01", "2020-01-01Z", "2020-01-02+01:00", "2019-01-01")])
KINDS = {
    "strings": STRINGS,
    "untyped": UNTYPED,
    "strings and untyped": STRINGS | UNTYPED | URIS,
    "integers": INTEGERS,
    "numbers": INTEGERS | DECIMALS | DOUBLES,
    "doubles and untyped numbers": DOUBLES | st.sampled_from(["1", "01", "-1", "NaN"]).map(UntypedAtomic),
    "booleans": st.booleans(),
    "dates": DATES,
    "all": STRINGS | UNTYPED | INTEGERS | DOUBLES | st.booleans() | DATES,
}
OPS = ["=", "!=", "<", "<=", ">", ">="]


def outcome(action: Any) -> Any:
    try:
        return action()
    except XylemError as error:
        return error.code


def pairs(rows: list[list[Any]], asked: list[Any], op: str, negated: bool) -> list[int]:
    return [number for number, keys in enumerate(rows) if general_compare(op, keys, asked) is not negated]


def some_pair_fails(rows: list[list[Any]], asked: list[Any], op: str) -> bool:
    pairs = [(key, one) for keys in rows for key in keys for one in asked]
    each = [outcome(lambda a=a, b=b: general_compare(op, [a], [b])) for a, b in pairs]
    return any(isinstance(found, str) for found in each)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(data=st.data(), op=st.sampled_from(OPS), negated=st.booleans())
def test_as_comparing_all_pairs(kind: str, data: st.DataObject, op: str, negated: bool) -> None:
    values = KINDS[kind]
    rows = data.draw(st.lists(st.lists(values, max_size=2), max_size=6))
    asked = data.draw(st.lists(values, max_size=2))
    index = JoinIndex(op, negated).build((keys, number) for number, keys in enumerate(rows))
    expected = outcome(lambda: pairs(rows, asked, op, negated))
    if isinstance(expected, str) or some_pair_fails(rows, asked, op):
        # Comparing all pairs stops at the first that holds: whether it meets one that fails is chance.
        return
    assert list(index.matches(asked, 0)) == expected
    assert list(index.positions_and_matches(asked, 0)) == [(number + 1, number) for number in expected]
    assert index.count(asked, 0) == len(expected)
    assert index.any(asked, 0) is bool(expected)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(data=st.data(), op=st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]))
def test_value_comparisons(kind: str, data: st.DataObject, op: str) -> None:
    values = KINDS[kind]
    rows = data.draw(st.lists(st.lists(values, max_size=1), max_size=6))
    asked = data.draw(st.lists(values, max_size=1))

    def compared() -> list[int]:
        compare = OPERATORS[op]
        return [n for n, keys in enumerate(rows) if keys and asked and compare(keys[0], asked[0], None, 0)]

    expected = outcome(compared)
    if not isinstance(expected, str):
        index = JoinIndex(op).build((keys, number) for number, keys in enumerate(rows))
        assert list(index.matches(asked, 0)) == expected
        assert index.count(asked, 0) == len(expected)
        assert index.any(asked, 0) is bool(expected)


def test_a_value_comparison_takes_one_value() -> None:
    with pytest.raises(XylemError, match="XPTY0004"):
        JoinIndex("eq").build([(["a", "b"], 1)])
    index = JoinIndex("eq").build([(["a"], 1)])
    with pytest.raises(XylemError, match="XPTY0004"):
        list(index.matches(["a", "b"], 0))


def test_values_that_cannot_be_compared() -> None:
    index = JoinIndex("=").build([([1], 1)])
    with pytest.raises(XylemError, match="XPTY0004"):
        list(index.matches(["a"], 0))
    with pytest.raises(XylemError, match="FORG0001"):
        list(index.matches([UntypedAtomic("x")], 0))


def test_a_build_that_fails_leaves_nothing() -> None:
    def rows() -> Any:
        yield [1], 1
        raise ValueError

    index = JoinIndex("=")
    with pytest.raises(ValueError):
        index.build(rows())
    assert not index.built
    assert list(index.build([([1], 2)]).matches([1], 0)) == [2]
