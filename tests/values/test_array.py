"""XArray: appending shares members without showing them to shorter arrays."""

from __future__ import annotations

import pickle

import pytest
from xylem.values.array import XArray


def test_appending_to_the_same_array_twice() -> None:
    base = XArray([(1,)]).appended((2,))
    left, right = base.appended((3,)), base.appended((4,))
    assert list(base) == [(1,), (2,)]
    assert list(left) == [(1,), (2,), (3,)]
    assert list(right) == [(1,), (2,), (4,)]


def test_reading_while_appending_ends() -> None:
    array = XArray().appended((1,))
    count = 0
    for _ in array:
        count += 1
        array.appended((2,))
    assert count == 1


def test_members_are_counted_from_zero_and_never_from_the_end() -> None:
    array = XArray([(1,), (2,)]).appended((3,))
    assert array[2] == (3,)
    for index in (-1, 3):
        with pytest.raises(IndexError):
            array[index]
    assert array.members(1) == [(2,), (3,)]
    assert array.members(0, 9) == [(1,), (2,), (3,)]


def test_pickles() -> None:
    assert list(pickle.loads(pickle.dumps(XArray([(1,), ()])))) == [(1,), ()]
