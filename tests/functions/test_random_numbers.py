"""fn:random-number-generator: the same seed, the same numbers."""

from __future__ import annotations

from typing import Any

from xylem.functions.context import Context
from xylem.functions.random_numbers import random_number_generator
from xylem.values.map import XMap


def part(generator: XMap, key: str) -> Any:
    (value,) = generator.get(key) or ()
    return value


def numbers(generator: XMap, count: int) -> list[float]:
    found = []
    for _ in range(count):
        found.append(part(generator, "number"))
        generator = part(generator, "next").call()
    return found


def test_a_seed_decides(ctx: Context) -> None:
    first = numbers(random_number_generator(ctx, 42), 1000)
    assert first == numbers(random_number_generator(ctx, 42), 1000)
    assert first != numbers(random_number_generator(ctx, "42"), 1000)
    assert numbers(random_number_generator(ctx), 5) == numbers(random_number_generator(ctx), 5)
    assert all(0 <= number < 1 for number in first)
    assert len(set(first)) == 1000
    assert 0.45 < sum(first) / 1000 < 0.55


def test_permute_keeps_every_item(ctx: Context) -> None:
    shuffle = part(random_number_generator(ctx, "seed"), "permute").call
    assert sorted(shuffle(range(100))) == list(range(100))
    assert shuffle(range(100)) == shuffle(range(100))
    assert shuffle(range(100)) != list(range(100))
    assert shuffle(()) == []
