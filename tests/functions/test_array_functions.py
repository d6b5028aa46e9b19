"""array: functions; positions outside are errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.functions import array_functions as fn
from xylem.values.array import XArray

ARRAY = XArray([("a",), (), ("b", "c")])


def members(array: XArray) -> list[list[Any]]:
    return [list(member) for member in array]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (fn.put(ARRAY, 2, ("x",)), [["a"], ["x"], ["b", "c"]]),
        (fn.append(ARRAY, ()), [["a"], [], ["b", "c"], []]),
        (fn.subarray(ARRAY, 2), [[], ["b", "c"]]),
        (fn.subarray(ARRAY, 4), []),
        (fn.subarray(ARRAY, 2, 1), [[]]),
        (fn.subarray(ARRAY, 4, 0), []),
        (fn.remove(ARRAY, [1, 3, 1]), [[]]),
        (fn.remove(ARRAY, []), [["a"], [], ["b", "c"]]),
        (fn.insert_before(ARRAY, 4, ("x",)), [["a"], [], ["b", "c"], ["x"]]),
        (fn.tail(ARRAY), [[], ["b", "c"]]),
        (fn.reverse(ARRAY), [["b", "c"], [], ["a"]]),
        (fn.join([ARRAY, XArray(), XArray([(1,)])]), [["a"], [], ["b", "c"], [1]]),
    ],
)
def test_arrays(result: XArray, expected: list[list[Any]]) -> None:
    assert members(result) == expected


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: fn.get(ARRAY, 0), "FOAY0001"),
        (lambda: fn.get(ARRAY, 4), "FOAY0001"),
        (lambda: fn.put(ARRAY, 4, ()), "FOAY0001"),
        (lambda: fn.subarray(ARRAY, 5), "FOAY0001"),
        (lambda: fn.subarray(ARRAY, 2, 3), "FOAY0001"),
        (lambda: fn.subarray(ARRAY, 2, -1), "FOAY0002"),
        (lambda: fn.remove(ARRAY, [4]), "FOAY0001"),
        (lambda: fn.insert_before(ARRAY, 5, ()), "FOAY0001"),
        (lambda: fn.head(XArray()), "FOAY0001"),
        (lambda: fn.tail(XArray()), "FOAY0001"),
    ],
)
def test_positions_outside(call: Callable[[], object], code: str) -> None:
    with pytest.raises(DynamicError) as caught:
        call()
    assert caught.value.code == code


def test_flatten_reaches_any_depth() -> None:
    deep = XArray([(1,)])
    for i in range(5000):
        deep = XArray([(deep,), (i, XArray())])
    flat = list(fn.flatten([0, deep, "z"]))
    assert flat == [0, 1, *range(5000), "z"]
