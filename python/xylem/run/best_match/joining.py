"""One best-match join: rows of both sides in, the tuples of the join out, in tuple order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .best_pairs import Candidate, Place, best_pairs, in_tuple_order
from .criteria import Criterion, Row
from .join_spec import JoinSpec
from .side_rows import SideRows

Test = Callable[[Row, Row], bool]


class Joining:
    """What a join has besides its rows: limits and constants that were evaluated once, and functions of the query."""

    def __init__(
        self,
        spec: JoinSpec,
        criteria: Sequence[Criterion],
        tests: Sequence[Test],
        limits: Sequence[Any],
        constants: Sequence[Any],
        timezone: int,
    ) -> None:
        self.spec = spec
        self.criteria = criteria
        self.tests = tests
        self.limits = limits
        self.constants = constants
        self.timezone = timezone

    def tuples(self, left: SideRows, right: SideRows) -> Iterator[tuple[Row, Row]]:
        """The rows of each pair of the join."""
        pairs = self.pairs(left, right)
        lefts, rights = left.rows, right.rows
        if not (self.spec.pads_left or self.spec.pads_right):
            for one, other in pairs:
                yield lefts[one], rights[other]
            return
        yield from self._padded(list(pairs), left, right)

    def pairs(self, left: SideRows, right: SideRows) -> Sequence[Place]:
        """The numbers of the rows of each pair."""
        found = best_pairs(self._candidates(left.rows, right.rows), self.criteria, self.spec.kind, self.spec.best)
        return in_tuple_order(found, self.spec.left_is_first)

    def _candidates(self, lefts: Sequence[Row], rights: Sequence[Row]) -> list[Candidate]:
        found = []
        for one, left in enumerate(lefts):
            for other, right in enumerate(rights):
                candidate = self.candidate(one, left, other, right)
                if candidate is not None:
                    found.append(candidate)
        return found

    def candidate(self, one: int, left: Row, other: int, right: Row) -> Candidate | None:
        """A pair with what its orders compare; None where a condition, a limit or a missing value rules it out."""
        if not all(test(left, right) for test in self.tests):
            return None
        keys = []
        for order in self.criteria:
            key = order.of(left, right)
            if key is None:
                return None
            keys.append(key)
        return Candidate(one, other, tuple(keys))

    def _padded(self, pairs: Sequence[Place], left: SideRows, right: SideRows) -> Iterator[tuple[Row, Row]]:
        """The pairs, and items without partner where `allowing empty` asks for them; those of the inner loop come
        last.
        """
        spec = self.spec
        matched_left = {one for one, _ in pairs}
        matched_right = {other for _, other in pairs}
        rows: list[tuple[tuple[float, float], tuple[Row, Row]]] = [
            ((one, other) if spec.left_is_first else (other, one), (left.rows[one], right.rows[other]))
            for one, other in pairs
        ]
        last = float("inf")
        if spec.pads_left:
            for one, row in enumerate(left.rows):
                if one not in matched_left:
                    rows.append(((one, last) if spec.left_is_first else (last, one), (row, right.padding())))
        if spec.pads_right:
            for other, row in enumerate(right.rows):
                if other not in matched_right:
                    rows.append(((last, other) if spec.left_is_first else (other, last), (left.padding(), row)))
        rows.sort(key=lambda row: row[0])
        for _, tuples in rows:
            yield tuples
