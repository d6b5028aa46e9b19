"""Difference bounds: conjunctions of x - y ≤ c and x - y < c, closed under implication.

A bound on one variable is a difference from ZERO. Numbers are exact (`Fraction`): a bound on doubles is a bound on the
real numbers they are, and no sum rounds. Infinite doubles obey the same rules, because differences of doubles occur
only with c = 0: the bounds state only their order among each other and against finite constants. (After Dill, "Timing
assumptions and verification of finite-state concurrent systems": zones and their closure.)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction

ZERO = None
"""The number 0."""

Node = Hashable | None
Bound = tuple[Fraction, bool]
"""(c, strict): below c, or at most c."""


def is_tighter(one: Bound, other: Bound) -> bool:
    """Whether a bound is at least as strong as the other."""
    return one[0] < other[0] or (one[0] == other[0] and (one[1] or not other[1]))


class DifferenceBounds:
    """An immutable set of satisfiable bounds, with all their consequences."""

    __slots__ = ("_bounds", "_nodes")

    def __init__(self, bounds: Mapping[tuple[Node, Node], Bound] | None = None) -> None:
        self._bounds = dict(bounds or {})
        self._nodes = {node for pair in self._bounds for node in pair}

    def __bool__(self) -> bool:
        return bool(self._bounds)

    def __iter__(self) -> Iterator[tuple[Node, Node, Bound]]:
        """The bounds (x, y, c): x - y ≤ c."""
        return ((x, y, bound) for (x, y), bound in self._bounds.items())

    def bound(self, x: Node, y: Node) -> Bound | None:
        """The tightest bound of x - y; None if there is none."""
        return self._bounds.get((x, y))

    def entails(self, x: Node, y: Node, bound: Bound) -> bool:
        found = self._bounds.get((x, y))
        return found is not None and is_tighter(found, bound)

    def entails_all(self, other: DifferenceBounds) -> bool:
        mine = self._bounds
        for pair, bound in other._bounds.items():
            found = mine.get(pair)
            if found is None or not is_tighter(found, bound):
                return False
        return True

    def with_bound(self, x: Node, y: Node, bound: Bound) -> DifferenceBounds | None:
        """These bounds and one more; None if they cannot all hold."""
        if x == y:
            return self if bound[0] > 0 or (bound[0] == 0 and not bound[1]) else None
        if self.entails(x, y, bound):
            return self
        back = self._bounds.get((y, x))
        if back is not None:
            around = back[0] + bound[0]
            if around < 0 or (around == 0 and (back[1] or bound[1])):
                return None
        made = dict(self._bounds)
        before = [(x, (Fraction(0), False)), *((u, made[u, x]) for u in self._nodes if (u, x) in made)]
        after = [(y, (Fraction(0), False)), *((v, made[y, v]) for v in self._nodes if (y, v) in made)]
        for u, first in before:
            for v, last in after:
                if u != v:
                    found = (first[0] + bound[0] + last[0], first[1] or bound[1] or last[1])
                    known = made.get((u, v))
                    if known is None or not is_tighter(known, found):
                        made[u, v] = found
        return DifferenceBounds(made)

    def with_all(self, other: DifferenceBounds) -> DifferenceBounds | None:
        """Both combined; None if they cannot all hold."""
        if not self._bounds:
            return other
        found: DifferenceBounds | None = self
        for x, y, bound in other:
            assert found is not None
            found = found.with_bound(x, y, bound)
            if found is None:
                return None
        return found


def opposite(bound: Bound) -> Bound:
    """The bound of y - x that holds if x - y violates a bound: x - y > c, so y - x < -c."""
    return -bound[0], not bound[1]
