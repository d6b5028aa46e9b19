"""Find the candidates of a join that no other candidate beats: the definitions of the thesis, 4.2.2, by nested loops.

A pair beats another one if it is as good by every order and better by at least one. Pairs that are equally good
therefore stay together. `k bestmatch` keeps a pair that fewer than k others beat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .criteria import Criterion

Place = tuple[int, int]
"""The numbers of the left and the right row."""


class Candidate(NamedTuple):
    """A pair that satisfies all limits and conditions, with the values that its orders compare."""

    left: int
    right: int
    keys: tuple[Any, ...]


def beats(one: Candidate, other: Candidate, criteria: Sequence[Criterion]) -> bool:
    """Whether a pair is better than another one (definition 4.2.3, where equal pairs do not beat each other)."""
    pairs = list(zip(criteria, one.keys, other.keys, strict=True))
    return all(order.is_as_good(mine, its) for order, mine, its in pairs) and not all(
        order.is_as_good(its, mine) for order, mine, its in pairs
    )


def best_of(candidates: Sequence[Candidate], criteria: Sequence[Criterion], best: int) -> Iterable[Place]:
    """The candidates that fewer than `best` other candidates beat."""
    if all(getattr(order, "is_transitive", True) for order in criteria):
        return _by_transitivity(candidates, criteria, best)
    return [
        (one.left, one.right)
        for one in candidates
        if sum(beats(other, one, criteria) for other in candidates) < best
    ]


def _by_transitivity(candidates: Sequence[Candidate], criteria: Sequence[Criterion], best: int) -> list[Place]:
    """The same for transitive orders: candidates already beaten are not compared again."""
    kept: list[list[Any]] = []
    for new in candidates:
        beaten_by = 0
        for entry in kept:
            if beats(entry[0], new, criteria):
                beaten_by += 1
                if beaten_by == best:
                    break
        if beaten_by >= best:
            continue
        for entry in kept:
            if beats(new, entry[0], criteria):
                entry[1] += 1
        kept = [entry for entry in kept if entry[1] < best]
        kept.append([new, beaten_by])
    return [(entry[0].left, entry[0].right) for entry in kept]


def best_pairs(candidates: Sequence[Candidate], criteria: Sequence[Criterion], kind: str, best: int) -> set[Place]:
    """The pairs of a join (definitions 4.2.4 to 4.2.6)."""
    if kind == "inner":
        return set(best_of(candidates, criteria, best))
    found: set[Place] = set()
    for side in ("left", "right"):
        if kind in (side, "full"):
            competing: dict[int, list[Candidate]] = {}
            for one in candidates:
                competing.setdefault(getattr(one, side), []).append(one)
            for group in competing.values():
                found.update(best_of(group, criteria, best))
    return found


def in_tuple_order(pairs: Iterable[Place], left_is_first: bool) -> list[Place]:
    """Pairs in the nesting order of the loops."""
    return sorted(pairs) if left_is_first else sorted(pairs, key=lambda pair: (pair[1], pair[0]))
