"""Several conditions of one join find what comparing all pairs finds."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.run.runtime.many_keys import ManyKeysIndex
from xylem.values.general_comparison import general_compare

from .test_joins import KINDS, some_pair_fails

ORDERS = ["<", "<=", ">", ">="]
TWO = [("=", "="), *((a, b) for a in ["=", *ORDERS] for b in ORDERS)]
OPS = st.sampled_from([*TWO, (">=", "=", "<"), ("<", "<", ">")])


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(data=st.data(), ops=OPS)
def test_as_comparing_all_pairs(kind: str, data: st.DataObject, ops: tuple[str, ...]) -> None:
    values = st.lists(KINDS[kind], max_size=2) | st.lists(KINDS[kind], min_size=1, max_size=1)
    rows = data.draw(st.lists(st.tuples(*(values for _ in ops)), max_size=14))
    asked = data.draw(st.tuples(*(values for _ in ops)))
    if any(some_pair_fails([row[side] for row in rows], asked[side], op) for side, op in enumerate(ops)):
        return
    check(ManyKeysIndex(ops), ops, rows, [asked])


def check(index: ManyKeysIndex, ops: tuple[str, ...], rows: list[Any], questions: list[Any]) -> None:
    index.build((keys, number) for number, keys in enumerate(rows))
    for asked in questions:
        expected = [
            number
            for number, keys in enumerate(rows)
            if all(general_compare(op, keys[side], asked[side]) for side, op in enumerate(ops))
        ]
        assert list(index.matches(asked, 0)) == expected
        assert list(index.positions_and_matches(asked, 0)) == [(number + 1, number) for number in expected]
        assert index.count(asked, 0) == len(expected)
        assert index.any(asked, 0) is bool(expected)


@pytest.mark.parametrize("ops", [("<=", ">"), (">=", "<"), ("=", "<=", ">="), ("=", ">"), ("lt", "ge")])
@pytest.mark.parametrize("count", [1, 7, 64, 65, 200])
def test_many_rows(ops: tuple[str, ...], count: int) -> None:
    """Trees of any size, with keys that are missing, and NaN; asked several times, as loops do."""
    chance = random.Random(count)

    def number() -> list[float]:
        return [] if chance.random() < 0.05 else [chance.choice([float(chance.randint(-9, 9)), float("nan")])]

    rows = [tuple(number() for _ in ops) for _ in range(count)]
    questions = [tuple([float(chance.randint(-9, 9))] for _ in ops) for _ in range(30)]
    general = {"lt": "<", "ge": ">="}
    index = ManyKeysIndex(ops)
    check(index, tuple(general.get(op, op) for op in ops), rows, questions)


@pytest.mark.parametrize("ops", [("<=", ">"), (">=", "<"), ("=", ">=", "<=")])
def test_two_orders_of_one_key(ops: tuple[str, ...]) -> None:
    chance = random.Random(5)
    numbers = [[chance.choice(["1", "2.5", "9", "-3", "NaN", "11"])] for _ in range(80)]
    rows = [tuple([float(one) for one in key] for _ in ops) for key in numbers]
    questions = [tuple([chance.choice([1.0, 3.0, -4.0, 9.0, float("nan")])] for _ in ops) for _ in range(40)]
    check(ManyKeysIndex(ops, is_one_key=True), ops, rows, questions)
