"""The order of pairs of pages: each once, within the buffers, and with as few pages read as the thesis has."""

from __future__ import annotations

import random

import pytest
from xylem.run.best_match.page_schedule import Visit, reads, visits

THESIS = {first: [second for second in range(1, 8) if abs(first - second) <= 2] for first in range(1, 8)}
"""Seven pages on each side, of which near ones have partners: the pages of figures 4.9 and 4.10."""


def column_by_column(needed: dict[int, list[int]], buffers: int) -> list[Visit]:
    """All pages for one of the first side, then for the next; the one that was used least recently makes room."""
    held: list[int] = []
    found = []
    for first, seconds in needed.items():
        for second in seconds:
            released: tuple[int, ...] = ()
            if second in held:
                held.remove(second)
            elif len(held) == buffers - 1:
                released = (held.pop(0),)
            held.append(second)
            found.append(Visit(first, second, released))
    return found


def test_the_example_of_the_thesis() -> None:
    assert reads(column_by_column(THESIS, 4)) == 30
    planned = list(visits(THESIS, 4))
    assert reads(planned) == 21
    # Figure 4.10: after (2,3) the pages that are there stay, until (5,3); then it goes on at (2,4).
    assert [visit[:2] for visit in planned[5:13]] == [
        (2, 3), (3, 1), (3, 2), (3, 3), (4, 2), (4, 3), (5, 3), (2, 4)
    ]  # fmt: skip


def test_pages_that_fit_are_read_once() -> None:
    near = {first: [second for second in range(7) if abs(first - second) <= 1] for first in range(7)}
    assert reads(list(visits(near, 4))) == 14
    assert reads(list(visits(THESIS, 6))) == 14


@pytest.mark.parametrize("seed", range(300))
def test_each_pair_of_pages_once_and_within_the_buffers(seed: int) -> None:
    chance = random.Random(seed)
    share = chance.random()
    needed = {
        first: [second for second in range(chance.randint(1, 12)) if chance.random() < share]
        for first in range(chance.randint(0, 12))
    }
    buffers = chance.randint(1, 8)
    planned = list(visits(needed, buffers))
    assert sorted(visit[:2] for visit in planned) == [(one, other) for one in needed for other in needed[one]]
    held: set[int] = set()
    for visit in planned:
        assert held.issuperset(visit.released)
        held = held.difference(visit.released) | {visit.second}
        assert len(held) <= max(buffers - 1, 1)
