"""Bounds on the result of operations on a number, as bounds on the number: held against trying."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from xylem.network.composed_values import Step, bounds_of, result_of

COMPARED = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
NUMBERS = [0.0, 1.0, 2.0, 0.1, 0.3, -1.5, 3.0, 1e-300, 1e300, 9007199254740993.0, 1 / 3]


def steps(draw: random.Random) -> tuple[Step, ...]:
    made: list[Step] = []
    for _ in range(draw.choice([1, 1, 2, 3])):
        op = draw.choice(["+", "-", "from", "*", "div", "turn", "round", "floor", "ceiling"])
        number = draw.choice([one for one in NUMBERS if one or op in ("+", "-", "from")])
        made.append((op, number if op in ("+", "-", "from", "*", "div") else 0.0))
    return tuple(made)


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_on_the_result_is_one_on_the_number(seed: int) -> None:
    draw = random.Random(f"composed {seed}")
    for _ in range(40):
        done, op, limit = steps(draw), draw.choice(list(COMPARED)), draw.choice(NUMBERS)
        known = bounds_of(done, op, Fraction(limit))
        tried = [*NUMBERS, *(-one for one in NUMBERS), math.inf, -math.inf, draw.uniform(-5, 5)]
        if not isinstance(known, bool):
            at = float(known[1])
            tried += [at, math.nextafter(at, math.inf), math.nextafter(at, -math.inf)]
        for value in tried:
            expected = COMPARED[op](result_of(done, value), limit)
            found = known if isinstance(known, bool) else COMPARED[known[0]](value, known[1])
            assert found == expected, (done, op, limit, known, value)


def test_bounds_are_in_the_shorter_words() -> None:
    assert bounds_of((("-", 1.0),), ">", Fraction(1)) == (">", 2)
    assert bounds_of((("turn", 0.0),), "<", Fraction(-2)) == (">", 2)
    assert bounds_of((("round", 0.0),), ">=", Fraction(3)) == (">=", Fraction(5, 2))
