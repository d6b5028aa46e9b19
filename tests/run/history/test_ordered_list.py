"""Sorted lists that count, against a list of Python, over places that are added anywhere."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from xylem.run.history.ordered_list import OrderedList
from xylem.run.history.places import Order, Place


def _composed(place: Place) -> Any:
    return b"", place


def _itself(place: Place) -> Any:
    return place


@pytest.mark.parametrize("is_placed", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_like_a_list(seed: int, is_placed: bool) -> None:
    rng = random.Random(seed)
    order = Order()
    if is_placed:
        # Little room: labels move again and again.
        order.insert_after(order.first)[0] = 64
    counted: OrderedList[Place] = OrderedList(order if is_placed else None)
    key = _itself if is_placed else _composed
    expected: list[tuple[Place, int]] = []
    for _ in range(rng.choice((30, 900))):
        kind = rng.random()
        if kind < 0.62 or not expected:
            at = rng.choice((0, len(expected), rng.randint(0, len(expected)), min(3, len(expected))))
            place = order.insert_after(expected[at - 1][0] if at else order.first)
            weight = rng.randint(0, 3)
            expected.insert(at, (place, weight))
            if weight == 1:
                assert counted.put(key(place), place, is_new=True) == sum(weight for _, weight in expected[:at])
            else:
                counted.add(key(place), place, weight)
        elif kind < 0.9:
            at = rng.choice((0, len(expected) - 1, rng.randrange(len(expected))))
            place, _ = expected.pop(at)
            assert counted.take(key(place)) == (place, sum(weight for _, weight in expected[:at]))
            order.remove(place)
        else:
            at, weight = rng.randrange(len(expected)), rng.randint(0, 4)
            expected[at] = expected[at][0], weight
            counted.replace(key(expected[at][0]), expected[at][0], weight)
            if weight == 1:
                found = counted.put(key(expected[at][0]), expected[at][0], is_new=False)
                assert found == sum(weight for _, weight in expected[:at])
        if rng.random() < 0.1:
            _check(counted, expected, rng, key)
    assert order.relabelled or not is_placed or len(expected) < 20


def _check(
    counted: OrderedList[Place],
    expected: list[tuple[Place, int]],
    rng: random.Random,
    key: Callable[[Place], Any],
) -> None:
    places = [place for place, _ in expected]
    assert [id(one) for one in counted] == [id(one) for one in places]
    assert all(a < b for a, b in pairwise(places))
    assert (counted.size, counted.weight) == (len(expected), sum(weight for _, weight in expected))
    assert counted.first() is (places[0] if places else None)
    assert counted.last() is (places[-1] if places else None)
    starts: list[tuple[int, int]] = []
    items = 0
    wanted = rng.randint(0, counted.weight)
    for place, weight in expected:
        if items + weight > wanted:
            starts.append((id(place), items))
        items += weight
    assert [(id(one), start) for one, start in counted.from_item(wanted)] == starts
    if places:
        at = rng.randrange(len(places))
        before, items = counted.before(key(places[at]))
        assert before is (places[at - 1] if at else None)
        assert counted.get(key(places[at]), places[at - 1]) is places[at]
        assert items == sum(weight for _, weight in expected[:at])


def test_what_is_not_there_cannot_be_taken_out() -> None:
    counted: OrderedList[int] = OrderedList()
    counted.add(1, 1)
    with pytest.raises(KeyError):
        counted.remove(2)
    order = Order()
    places = [order.append() for _ in range(3)]
    placed: OrderedList[int] = OrderedList(order)
    placed.add(places[0], 1)
    placed.add(places[2], 1)
    with pytest.raises(KeyError):
        placed.remove(places[1])


def test_insertions_at_one_spot_relabel_few() -> None:
    order = Order()
    first = order.append()
    for _ in range(20_000):
        order.insert_after(first)
    # O(log n) each, amortised.
    assert order.relabelled < 20 * 20_000
