"""Generated joins give what the definitions of the thesis say, on the tree and streamed, and obey the laws of the
operators.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

import pytest
import xylem

from .oracle import Case, document_of, pairs_of, query_of, random_case

QUERIES = 20_000 if os.environ.get("XYLEM_CAMPAIGN") else 620
BLOCK = 62
DATA = 5
"""Data sets for each query: 3,100 joins, 100,000 in a campaign."""


def read(pairs: Iterable[str]) -> list[tuple[int, ...]]:
    return [tuple(map(int, pair.split())) for pair in pairs]


def answer(case: Case) -> list[tuple[int, ...]]:
    return read(xylem.compile(query_of(case)).run(xylem.parse(document_of(case))))


@pytest.mark.parametrize("start", range(0, QUERIES, BLOCK))
@pytest.mark.share(3)
def test_generated_joins(start: int) -> None:
    for seed in range(start, start + BLOCK):
        query = xylem.compile(query_of(random_case(seed)))
        for data in range(DATA):
            case = random_case(seed, data=data)
            found = read(query.run(xylem.parse(document_of(case))))
            assert found == pairs_of(case), f"seed {seed}, {data}: {query_of(case)}\n{document_of(case)}"


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.share(3)
def test_streamed(seed: int) -> None:
    case = random_case(10_000_000 + seed)
    streamed = xylem.compile(query_of(case)).stream(document_of(case).encode())
    assert read(streamed) == pairs_of(case)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.share(3)
def test_laws(seed: int) -> None:
    case = replace(random_case(20_000_000 + seed), left_is_first=True)
    inner, left, right, full = (set(answer(replace(case, kind=kind))) for kind in ("inner", "left", "right", "full"))
    assert inner <= left & right
    assert full == left | right
    mirrored = replace(case, kind="left").mirrored
    assert {(j, i) for i, j in answer(mirrored)} == left


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.share(3)
def test_a_limit_filters_the_join_without_it(seed: int) -> None:
    case = random_case(30_000_000 + seed)
    free = replace(case, orders=[replace(order, limit=None) for order in case.orders], best=1)
    bound = replace(case, best=1)

    def within(pair: tuple[int, ...]) -> bool:
        r, s = case.left[pair[0]], case.right[pair[1]]
        for order in case.orders:
            value = order.value(r, s)
            assert value is not None
            if order.limit is not None and (value > order.limit if order.direction == "min" else value < order.limit):
                return False
        return True

    assert [pair for pair in answer(free) if within(pair)] == answer(bound)
