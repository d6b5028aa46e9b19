"""fn:for-each, fn:filter, the folds, fn:apply and what functions say about themselves."""

from __future__ import annotations

from itertools import count, islice
from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.functions import higher_order_functions as fn
from xylem.values.array import XArray
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.qname import QName
from xylem.values.sequence_type import ANY_SEQUENCE


def item(call: Any, arity: int) -> FunctionItem:
    return FunctionItem(None, (ANY_SEQUENCE,) * arity, ANY_SEQUENCE, call)


def test_endless_input() -> None:
    twice = item(lambda x: (x, x), 1)
    assert list(islice(fn.for_each(count(), twice), 4)) == [0, 0, 1, 1]
    assert list(islice(fn.filter_(count(), item(lambda x: x % 2 == 1, 1)), 2)) == [1, 3]
    pairs = fn.for_each_pair(count(), "ab", item(lambda a, b: (f"{a}{b}",), 2))
    assert list(pairs) == ["0a", "1b"]


def test_folds_take_their_side() -> None:
    sequence = ["a", "b", "c"]
    left = fn.fold_left(sequence, ["0"], item(lambda acc, x: (f"({acc[0]}{x})" for _ in "1"), 2))
    right = fn.fold_right(sequence, ["0"], item(lambda x, acc: (f"({x}{acc[0]})" for _ in "1"), 2))
    assert list(left) == ["(((0a)b)c)"]
    assert list(right) == ["(a(b(c0)))"]
    assert fn.fold_left([], ["0"], item(None, 2)) == ["0"]


def test_apply() -> None:
    assert list(fn.apply(item(lambda a, b: [*a, *b], 2), XArray([(1, 2), (3,)]))) == [1, 2, 3]
    assert list(fn.apply(XMap.of([("k", (1,))]), XArray([("k",)]))) == [1]
    with pytest.raises(DynamicError) as caught:
        fn.apply(item(None, 2), XArray([(1,)]))
    assert caught.value.code == "FOAP0001"


def test_names_and_arities() -> None:
    named = FunctionItem(QName("urn:f", "f", "p"), (), ANY_SEQUENCE, list)
    assert fn.function_name(named) == QName("urn:f", "f")
    assert fn.function_name(XMap()) is None
    assert (fn.function_arity(named), fn.function_arity(XArray())) == (0, 1)
