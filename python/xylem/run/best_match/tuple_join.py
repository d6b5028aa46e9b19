"""A best-match join over tuples that exist already, because one loop depends on the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .best_pairs import Candidate, best_of
from .criteria import Criterion, Row

_COMPETING: dict[str, list[tuple[int, ...]]] = {"inner": [()], "left": [(1,)], "right": [(2,)], "full": [(1,), (2,)]}
"""What competing tuples share, besides the turn of the outer loops: nothing, the left item …"""


def best_tuples(
    rows: Sequence[tuple[tuple[int, ...], int, int, Row]], criteria: Sequence[Criterion], kind: str, best: int
) -> Iterator[Any]:
    """Take (turn of the outer loops, left item, right item, variables); return in order the variables of those that no
    other of the same turn beats.

    Several tuples may have the same items, if there are loops in between: they compete like any others.
    """
    items: list[tuple[tuple[int, ...], int, int]] = []
    candidates: list[Candidate] = []
    owners: list[Row] = []
    for turn, left, right, row in rows:
        keys = tuple(order.of(row, row) for order in criteria)
        if not any(key is None for key in keys):
            items.append((turn, left, right))
            candidates.append(Candidate(len(owners), len(owners), keys))
            owners.append(row)
    found: set[int] = set()
    for competing in _COMPETING[kind]:
        groups: dict[tuple[Any, ...], list[Candidate]] = {}
        for item, candidate in zip(items, candidates, strict=True):
            groups.setdefault((item[0], *(item[place] for place in competing)), []).append(candidate)
        for group in groups.values():
            found.update(one for one, _ in best_of(group, criteria, best))
    for number in sorted(found):
        yield owners[number]
