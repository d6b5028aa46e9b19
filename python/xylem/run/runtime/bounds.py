"""Find rows between two bounds, by two order comparisons of their keys at once.

Holds:  the rows in the order of their first key; if the second order compares another key, also a tree with the extreme
        second key of each run of these rows.
Cost:   the logarithm of the number of rows for each row found; a single run if both orders compare one key.

`$x/from <= $t and $t < $x/to` asks for this, and so does `$x/t >= $a and $x/t < $b`. If keys have no order, or an item
has several of them, the result is the intersection of two indexes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .joins import JoinIndex, Rows, Run

_PASSES: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Bounds:
    """Rows by one order or two; `is_one_key` means that both compare the same key."""

    __slots__ = ("_indexes", "_trees")

    def __init__(self, indexes: Sequence[JoinIndex], is_one_key: bool) -> None:
        """Indexes of the same rows."""
        if is_one_key:
            indexes[1].share_keys(indexes[0])
        self._indexes = indexes
        self._trees: dict[tuple[int, int], _Extremes] = {}
        """By the two directions in which keys have been sorted."""

    def count(self, asked: Sequence[Sequence[Any]], implicit_timezone: int) -> int:
        if len(self._indexes) == 1:
            return self._indexes[0].count(asked[0], implicit_timezone)
        runs = self._runs(asked, implicit_timezone)
        if runs is not None and runs[0].places is runs[1].places:
            start, end = _overlap(*runs)
            return end - start
        return len(self.rows(asked, implicit_timezone))

    def row_at(self, place: int, asked: Sequence[Any], implicit_timezone: int) -> int | None:
        """The first (0) or last (-1) of the rows that pass one order."""
        (index,) = self._indexes
        values = index.as_asked(asked)
        run = index.run(values[0], implicit_timezone) if len(values) == 1 and index.is_single else None
        if run is not None and type(run.asked) is tuple:
            # Rows are in document order, and so are their keys.
            return None if run.start >= run.end else int(index.item(run.places[(run.start, run.end - 1)[place]]))
        rows = self.rows([asked], implicit_timezone)
        return rows[place] if rows else None

    def rows(self, asked: Sequence[Sequence[Any]], implicit_timezone: int) -> Rows:
        """The rows, in order, whose keys all compare this way with one of the given values."""
        if len(self._indexes) == 1:
            return list(self._indexes[0].matches(asked[0], implicit_timezone))
        runs = self._runs(asked, implicit_timezone)
        first, second = self._indexes
        if runs is None:
            by_first = set(first.matches(asked[0], implicit_timezone))
            return sorted(by_first.intersection(second.matches(asked[1], implicit_timezone)))
        by_first_key = runs[0]
        places: Iterable[int]
        if by_first_key.places is runs[1].places:
            start, end = _overlap(*runs)
            places = by_first_key.places[start:end]
        else:
            found = self._tree(*runs).places(by_first_key.start, by_first_key.end, _PASSES[second.op], runs[1].asked)
            places = map(by_first_key.places.__getitem__, found)
        return sorted(map(first.item, places))

    def _runs(self, asked: Sequence[Sequence[Any]], implicit_timezone: int) -> tuple[Run, Run] | None:
        """The rows that pass each order; None if one of them is not a single run of sorted rows."""
        found = []
        for index, values in zip(self._indexes, asked, strict=True):
            values = index.as_asked(values)
            run = index.run(values[0], implicit_timezone) if len(values) == 1 and index.is_single else None
            if run is None:
                return None
            found.append(run)
        return found[0], found[1]

    def _tree(self, first: Run, second: Run) -> _Extremes:
        key = id(first.places), id(second.places)  # The indexes hold these lists.
        known = self._trees.get(key)
        if known is None:
            value_at = dict(zip(second.places, second.values, strict=True))
            best = max if self._indexes[1].op in (">", ">=") else min
            known = self._trees[key] = _Extremes([value_at.get(place) for place in first.places], best)
        return known


def _overlap(first: Run, second: Run) -> tuple[int, int]:
    start, end = max(first.start, second.start), min(first.end, second.end)
    return start, max(start, end)


class _Extremes:
    """Values, some of them missing, and the extreme one of each run of them: a complete binary tree in a list."""

    __slots__ = ("_leaves", "_tree")

    def __init__(self, values: list[Any], best: Callable[[Any, Any], Any]) -> None:
        self._leaves = leaves = 1 << max(len(values) - 1, 0).bit_length()
        self._tree = tree = [None] * leaves + values + [None] * (leaves - len(values))
        for node in range(leaves - 1, 0, -1):
            left, right = tree[2 * node], tree[2 * node + 1]
            tree[node] = right if left is None else left if right is None else best(left, right)

    def places(self, start: int, end: int, passes: Callable[[Any, Any], bool], asked: Any) -> Iterator[int]:
        """The places from start to end whose value passes. Subtrees whose extreme value does not pass are skipped."""
        tree, leaves = self._tree, self._leaves
        waiting = self._runs(start, end)
        while waiting:
            node = waiting.pop()
            value = tree[node]
            if value is None or not passes(value, asked):
                continue
            if node >= leaves:
                yield node - leaves
            else:
                waiting += (2 * node, 2 * node + 1)

    def _runs(self, start: int, end: int) -> list[int]:
        """The smallest set of nodes that covers the leaves from start to end."""
        found = []
        low, high = start + self._leaves, end + self._leaves
        while low < high:
            if low & 1:
                found.append(low)
                low += 1
            if high & 1:
                high -= 1
                found.append(high)
            low, high = low >> 1, high >> 1
        return found
