"""Generated joins give what the definitions of the thesis say, on the tree and streamed, and obey the laws of the
operators.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import xylem
from xylem.run.best_match import numeric_join
from xylem.run.best_match.reference import reference_pairs
from xylem.run.best_match.side_rows import Column, numbers_of
from xylem.source.kernel import kernel_pairs

from tests.turns import is_campaign, today

from .oracle import Case, document_of, pairs_of, query_of, random_case

BLOCK = 31
QUERIES, DATA = (20_026, 5) if is_campaign() else (155, 20)
"""How many queries, and data sets for each: 3,100 joins on any day, of other queries on each of four days; 100,000 in a
campaign. Most of the time goes into compiling."""
LOOKUPS = ("", "boxes", "grid", "nested loops")




def by_nested_loops(kind: str, best: int, orders: Any, conditions: Any, *rest: Any) -> Any:
    left, left_items, right, right_items, keys = rest
    columns = [[numbers_of(Column("double", column)) for column in side] for side in (left, right)]
    return reference_pairs(kind, best, orders, conditions, columns[0], left_items, columns[1], right_items, keys)


LOOKED_UP = {name: partial(kernel_pairs, by=name) for name in LOOKUPS[:-1]} | {"nested loops": by_nested_loops}


def read(pairs: Iterable[str]) -> list[tuple[int, ...]]:
    return [tuple(map(int, pair.split())) for pair in pairs]


def answer(case: Case) -> list[tuple[int, ...]]:
    return read(xylem.compile(query_of(case)).run(xylem.parse(document_of(case))))


@pytest.mark.parametrize("start", range(0, QUERIES, BLOCK))
def test_generated_joins(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By boxes, by the grid, by nested loops, and by what is chosen among them."""
    first = start if is_campaign() else today() % 4 * QUERIES + start
    for seed in range(first, first + BLOCK):
        query = xylem.compile(query_of(random_case(seed)))
        for data in range(DATA):
            case = random_case(seed, data=data)
            lookup = LOOKUPS[(seed + data) % len(LOOKUPS)]
            monkeypatch.setattr(numeric_join, "kernel_pairs", LOOKED_UP[lookup])
            found = read(query.run(xylem.parse(document_of(case))))
            assert found == pairs_of(case), f"seed {seed}, {data}, {lookup}: {query_of(case)}\n{document_of(case)}"


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
