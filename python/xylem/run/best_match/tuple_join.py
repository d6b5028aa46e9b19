"""A best-match join over tuples that are there already: where one loop depends on the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .best_pairs import Candidate, best_of
from .criteria import Criterion, Row


def best_tuples(
    rows: Sequence[tuple[int, int, Row]], criteria: Sequence[Criterion], kind: str, best: int
) -> Iterator[Any]:
    """Of (left item, right item, variables), the variables of those that no other one beats, in their order.

    Several tuples may have the same items, where loops stand between: they compete like any others.
    """
    items: list[tuple[int, int]] = []
    candidates: list[Candidate] = []
    owners: list[Row] = []
    for left, right, row in rows:
        keys = tuple(order.of(row, row) for order in criteria)
        if not any(key is None for key in keys):
            items.append((left, right))
            candidates.append(Candidate(len(owners), len(owners), keys))
            owners.append(row)
    found: set[int] = set()
    if kind == "inner":
        found.update(one for one, _ in best_of(candidates, criteria, best))
    for side, index in (("left", 0), ("right", 1)):
        if kind in (side, "full"):
            groups: dict[int, list[Candidate]] = {}
            for pair, candidate in zip(items, candidates, strict=True):
                groups.setdefault(pair[index], []).append(candidate)
            for group in groups.values():
                found.update(one for one, _ in best_of(group, criteria, best))
    for number in sorted(found):
        yield owners[number]
