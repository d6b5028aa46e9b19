"""map: functions."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError
from xylem.functions import map_functions as fn
from xylem.values.array import XArray
from xylem.values.map import XMap

FIRST = XMap.of([("a", (1,)), ("b", (2,))])
SECOND = XMap.of([("b", (3,)), ("c", (4,))])


def options(value: object) -> XMap:
    return XMap.of([("duplicates", (value,)), ("other", ())])


@pytest.mark.parametrize(
    ("duplicates", "value"),
    [("use-first", [2]), ("use-any", [2]), ("use-last", [3]), ("combine", [2, 3])],
)
def test_merging_duplicates(duplicates: str, value: list[int]) -> None:
    merged = fn.merge([FIRST, SECOND], options(duplicates))
    assert list(merged.keys()) == ["a", "b", "c"]
    assert list(merged.get("b") or ()) == value


@pytest.mark.parametrize(("value", "code"), [("reject", "FOJS0003"), ("never", "FOJS0005"), (1, "XPTY0004")])
def test_merging_is_refused(value: object, code: str) -> None:
    with pytest.raises(DynamicError) as caught:
        fn.merge([FIRST, SECOND], options(value))
    assert caught.value.code == code


def test_merging_without_options() -> None:
    assert dict(fn.merge([FIRST, SECOND]).items()) == {"a": (1,), "b": (2,), "c": (4,)}
    assert len(fn.merge([])) == 0
    big = XMap.of((i, (i,)) for i in range(100)).put("x", ())
    assert len(fn.merge([big, FIRST])) == 103


def test_find_looks_inside() -> None:
    inner = XMap.of([("a", (5, 6))])
    outer = XMap.of([("x", (inner,)), ("a", (1, inner))])
    found = fn.find([outer, XArray([(inner,), ("a",)]), 7], "a")
    assert [list(value) for value in found] == [[1, inner], [5, 6], [5, 6], [5, 6]]


def test_empty_values_are_values() -> None:
    one = fn.entry("k", ())
    assert fn.contains(one, "k")
    assert fn.get(one, "k") == ()
    assert fn.size(fn.remove(one, ["k", "k", "z"])) == 0
