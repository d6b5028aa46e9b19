"""fn:sort and array:sort."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.functions.context import Context
from xylem.functions.sorting import array_sort, sort
from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.function_item import FunctionItem
from xylem.values.qname import QName
from xylem.values.sequence_type import ANY_ITEM, AtomicItem, Occurrence, SequenceType
from xylem.values.strings import UntypedAtomic

HTML_ASCII = "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive"


def by(key: Any) -> FunctionItem:
    keys = SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.MANY)
    return FunctionItem(None, (SequenceType(ANY_ITEM),), keys, key)


def test_plain_values(ctx: Context) -> None:
    assert sort(ctx, [3, 1, Decimal("1.5"), 2.0]) == [1, Decimal("1.5"), 2.0, 3]
    assert sort(ctx, ["b", UntypedAtomic("a"), "B"]) == ["B", "a", "b"]
    assert sort(ctx, ["b", "a", "B"], HTML_ASCII) == ["a", "b", "B"]
    result = sort(ctx, [1, math.nan, -math.inf])
    assert math.isnan(result[0])
    assert result[1:] == [-math.inf, 1]


def test_keys_of_several_values_and_stability(ctx: Context) -> None:
    items = ["b2", "a1", "b1", "a2", "a1x"]
    assert sort(ctx, items, None, by(lambda s: [s[0], int(s[1])])) == ["a1", "a1x", "a2", "b1", "b2"]
    assert sort(ctx, items, None, by(lambda s: [s[0]])) == ["a1", "a2", "a1x", "b2", "b1"]


def test_shorter_keys_come_first(ctx: Context) -> None:
    assert sort(ctx, ["x", "", "xy"], None, by(list)) == ["", "x", "xy"]
    members = array_sort(ctx, XArray([(2, 1), (), (2,), (1, 9)]))
    assert list(members) == [(), (1, 9), (2,), (2, 1)]


def test_only_the_deciding_comparison_needs_an_order(ctx: Context) -> None:
    keys = {"a": [2, "x"], "b": [1, 5]}
    assert sort(ctx, ["a", "b"], None, by(keys.__getitem__)) == ["b", "a"]
    name = QName("", "n")
    assert sort(ctx, [name, name]) == [name, name]
    for values in ([1, "a"], [name, QName("", "m")]):
        with pytest.raises(DynamicError) as caught:
            sort(ctx, values)
        assert caught.value.code == "XPTY0004"
