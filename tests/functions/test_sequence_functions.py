"""fn: functions on sequences stop reading as early as they can."""

from __future__ import annotations

from itertools import count
from math import inf, nan

import pytest
from xylem.errors import DynamicError
from xylem.functions import sequence_functions as fn

ENDLESS = 10**12


def numbers() -> count[int]:
    return count(1)


def test_endless_sequences_are_read_as_far_as_needed() -> None:
    assert fn.head(numbers()) == 1
    assert fn.exists(numbers())
    assert not fn.empty(numbers())
    assert list(fn.subsequence(numbers(), 2, 3)) == [2, 3, 4]
    assert next(iter(fn.tail(numbers()))) == 2
    assert next(iter(fn.one_or_more(numbers()))) == 1
    inserted = iter(fn.insert_before(numbers(), 2, ["x"]))
    assert [next(inserted) for _ in range(3)] == [1, "x", 2]
    removed = iter(fn.remove(numbers(), 2))
    assert [next(removed) for _ in range(3)] == [1, 3, 4]
    for function in (fn.zero_or_one, fn.exactly_one):
        with pytest.raises(DynamicError):
            function(numbers())


def test_ranges_stay_ranges() -> None:
    huge = range(1, ENDLESS)
    assert fn.reverse(huge) == range(ENDLESS - 1, 0, -1)
    assert fn.subsequence(huge, ENDLESS - 2) == range(ENDLESS - 2, ENDLESS)
    assert fn.tail(huge) == range(2, ENDLESS)


@pytest.mark.parametrize(
    ("start", "length", "result"),
    [
        (1, inf, [1, 2, 3, 4, 5]),
        (4, inf, [4, 5]),
        (1.5, 1, [2]),
        (2.5, 2.5, [3, 4, 5]),
        (0, 3, [1, 2]),
        (-1, 3, [1]),
        (-5, 3, []),
        (nan, 3, []),
        (1, nan, []),
        (-inf, inf, []),
        (-inf, None, [1, 2, 3, 4, 5]),
        (nan, None, []),
        (-inf, 3, []),
        (-3, inf, [1, 2, 3, 4, 5]),
        (inf, 1, []),
        (9, 1, []),
        (1, 0, []),
        (1e300, 1e300, []),
    ],
)
def test_subsequence_rounds(start: float, length: float | None, result: list[int]) -> None:
    for source in ([1, 2, 3, 4, 5], iter((1, 2, 3, 4, 5)), range(1, 6)):
        assert list(fn.subsequence(source, start, length)) == result


@pytest.mark.parametrize(
    ("position", "inserted", "removed"),
    [(-3, "xab", "ab"), (0, "xab", "ab"), (1, "xab", "b"), (2, "axb", "a"), (3, "abx", "ab"), (9, "abx", "ab")],
)
def test_positions_outside_count_as_the_ends(position: int, inserted: str, removed: str) -> None:
    for source in (list("ab"), iter("ab")):
        assert "".join(fn.insert_before(source, position, ["x"])) == inserted
    for source in (list("ab"), iter("ab")):
        assert "".join(fn.remove(source, position)) == removed


@pytest.mark.parametrize(
    ("function", "sequence", "code"),
    [
        (fn.zero_or_one, [1, 2], "FORG0003"),
        (fn.one_or_more, [], "FORG0004"),
        (fn.one_or_more, iter(()), "FORG0004"),
        (fn.exactly_one, [], "FORG0005"),
        (fn.exactly_one, [1, 2], "FORG0005"),
    ],
)
def test_counted(function: object, sequence: object, code: str) -> None:
    assert callable(function)
    with pytest.raises(DynamicError) as caught:
        function(sequence)
    assert caught.value.code == code
