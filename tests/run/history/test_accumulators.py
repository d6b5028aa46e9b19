"""Aggregates that take back what they were given, against the functions themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from xylem.functions.aggregate_functions import avg, sum_
from xylem.functions.context import Context, RunPart, StaticPart
from xylem.functions.extreme_values import max_, min_
from xylem.run.history.accumulators import accumulator
from xylem.run.program import current_time
from xylem.source.resources import FileResources
from xylem.values.strings import UntypedAtomic

CONTEXT = Context(StaticPart(), RunPart(FileResources(), current_time()))
FOLDS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "sum": sum_,
    "avg": avg,
    "min": partial(min_, CONTEXT),
    "max": partial(max_, CONTEXT),
}
VALUES: dict[str, Callable[[random.Random], Any]] = {
    "integers": lambda rng: rng.randint(-9, 9),
    "quarters": lambda rng: rng.randint(-40, 40) / 4,
    "tenths": lambda rng: rng.randint(-40, 40) / 10,
    "untyped": lambda rng: UntypedAtomic(str(rng.randint(0, 40) / 10)),
    "decimals": lambda rng: Decimal(rng.randint(-99, 99)) / 10,
    "mixed": lambda rng: rng.choice((1, 0.5, Decimal("0.1"), float("nan"), -0.0, 0.0, UntypedAtomic("3"))),
    "large": lambda rng: rng.choice((1e300, -1e300, 1e-300, 2.0**60, 0.25, float("inf"))),
}


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("kind", VALUES)
def test_equals_the_function_to_the_last_bit(name: str, kind: str) -> None:
    rng = random.Random(f"{name} {kind}")
    fold = FOLDS[name]
    kept = accumulator(name, fold)
    held: dict[int, tuple[Any, ...]] = {}
    for _ in range(300):
        key = rng.randrange(20)
        new = tuple(VALUES[kind](rng) for _ in range(rng.choice((0, 1, 1, 2))))
        kept.replace((key,), held.get(key, ()), new)
        held[key] = new
        values = [value for key in sorted(held) for value in held[key]]
        found = fold(values)
        assert [(type(one), repr(one)) for one in kept.result()] == (
            [] if found is None else [(type(found), repr(found))]
        )


def test_counts_are_of_numbers_of_items() -> None:
    kept = accumulator("exists", len)
    kept.replace((1,), (), (2,))
    assert kept.result() == [True]
    kept.replace((1,), (2,), (0,))
    assert kept.result() == [False]
