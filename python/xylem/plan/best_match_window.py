"""Along which values windows of a best-match join may move: what bounds the difference of a value of each side.

    ($r/t - $s/t) min 5  with  where $r/t - $s/t ge 0           0 <= left - right <= 5
    (abs($r/t - ($s/t + 5400))) min 250                         -250 <= left - right <= 250

Where a difference has a bound on either side, an item meets no more than a window of the other side (thesis, 4.3.1,
4.3.5.2). What the bounds are is known when limits and constants are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from xylem.syntax import ast

from .best_match_plan import BestMatchPlan, Term


class Swept(NamedTuple):
    """A leaf of one side, and a constant that is added to it (`+`), taken from it (`-`), or none."""

    side: str
    leaf: int
    op: str = ""
    constant: int = 0


class Bound(NamedTuple):
    """A bound of the difference of two swept values, the left one less the right one."""

    left: Swept
    right: Swept
    is_upper: bool
    is_negated: bool
    """Whether the bound is the value with the other sign."""
    limit: int | None
    """The number of the order whose limit it is; None where a constant is the bound."""
    constant: int = 0
    divisor: int | None = None
    """The constant by which the difference is divided, a duration."""


class MovingWindow(NamedTuple):
    """The two values, and all bounds of their difference."""

    left: Swept
    right: Swept
    bounds: tuple[Bound, ...]


def window_of(
    plan: BestMatchPlan, chosen: Callable[[ast.Expr, ast.Expr], bool] = lambda left, right: True
) -> MovingWindow | None:
    """The first difference that is bounded on either side, of those whose leaves are chosen: by conditions before the
    join, then by its orders.
    """
    found: dict[tuple[Swept, Swept], list[Bound]] = {}
    for bound in _bounds(plan):
        if chosen(plan.left.leaves[bound.left.leaf], plan.right.leaves[bound.right.leaf]):
            found.setdefault((bound.left, bound.right), []).append(bound)
    for (left, right), bounds in found.items():
        if {bound.is_upper for bound in bounds} == {True, False}:
            return MovingWindow(left, right, tuple(bounds))
    return None


def is_about(term: Term | None, window: MovingWindow) -> bool:
    """Whether a term is the difference along which a window moves."""
    return term is not None and any(
        (bound.left, bound.right) == (window.left, window.right) for bound in _of(term, True, 0, 0)
    )


def _bounds(plan: BestMatchPlan) -> Iterator[Bound]:
    for test in plan.tests:
        op, left, right = test.op, test.left, test.right
        if op in ("le", "lt", "eq") and right[:1] == ("constant",):
            yield from _of(left, True, None, right[1])
        if op in ("ge", "gt", "eq") and right[:1] == ("constant",):
            yield from _of(left, False, None, right[1])
        if op in ("ge", "gt", "eq") and left[:1] == ("constant",):
            yield from _of(right, True, None, left[1])
        if op in ("le", "lt", "eq") and left[:1] == ("constant",):
            yield from _of(right, False, None, left[1])
    for number, criterion in enumerate(plan.criteria):
        order = criterion.written
        if order.limit is not None and criterion.term is not None and order.direction:
            yield from _of(criterion.term, order.direction == "min", number, 0)


def _of(term: Term, is_upper: bool, limit: int | None, constant: int) -> Iterator[Bound]:
    """The bounds that an upper or lower bound of a term is."""
    match term:
        case ("abs" | "distance", inner) if is_upper:
            yield from _of(inner, True, limit, constant)
            for bound in _of(inner, False, limit, constant):
                yield bound._replace(is_negated=not bound.is_negated)
        case ("div", inner, ("constant", int() as divisor)):
            yield from (bound._replace(divisor=divisor) for bound in _of(inner, is_upper, limit, constant))
        case ("-", one, other):
            a, b = _swept(one), _swept(other)
            if a is None or b is None or a.side == b.side:
                return
            if a.side == "left":
                yield Bound(a, b, is_upper, False, limit, constant)
            else:
                yield Bound(b, a, not is_upper, True, limit, constant)


def _swept(term: Term) -> Swept | None:
    match term:
        case ("left" | "right" as side, int() as leaf):
            return Swept(side, leaf)
        case ("+" | "-" as op, ("left" | "right" as side, int() as leaf), ("constant", int() as place)):
            return Swept(side, leaf, op, place)
    return None
