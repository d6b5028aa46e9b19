"""The values that windows of a best-match join may move along: those with a bounded difference.

    ($r/t - $s/t) min 5  with  where $r/t - $s/t ge 0           0 <= left - right <= 5
    where $s/t >= $r/t - 3 and $s/t - 3 <= $r/t                 -3 <= left - right <= 3
    (abs($r/t - ($s/t + 5400))) min 250                         5150 <= left - right <= 5650

If a difference is bounded on both ends, an item meets only a window of the other side (thesis, 4.3.1, 4.3.5.2), however
the bounds are spelled. Their values are known when limits and constants are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast

from .best_match_plan import BestMatchPlan, BestMatchTest, Term

Signed = tuple[int, int]
"""1 or -1, and the place of a constant."""


class Bound(NamedTuple):
    """The parts of a bound on the difference of two leaves, left minus right."""

    left: int
    right: int
    is_upper: bool
    limit: int | None = None
    """The number of an order whose limit is part of it."""
    is_negated: bool = False
    """Whether limit and compared constants are negated."""
    compared: tuple[Signed, ...] = ()
    """Constants that are compared with the difference."""
    factor: tuple[str, int] | None = None
    """`div` or `*` and the constant by which the difference is divided or multiplied before that."""
    moved: tuple[Signed, ...] = ()
    """Constants added to the difference before that."""
    is_across: bool = False
    """Whether the query compares one leaf with the other: then two infinite values pass, although they have no
    difference.
    """

    @property
    def is_plain(self) -> bool:
        """Whether the difference itself is compared, so the only rounding is that of the query."""
        return self.factor is None and not self.moved and len(self.compared) + (self.limit is not None) < 2


class MovingWindow(NamedTuple):
    """The two leaves, and all bounds of their difference."""

    left: int
    right: int
    bounds: tuple[Bound, ...]

    @property
    def admits_infinities(self) -> bool:
        """Whether two values that are both INF, or both -INF, are within the bounds."""
        return all(bound.is_across for bound in self.bounds)


def window_of(
    plan: BestMatchPlan, chosen: Callable[[ast.Expr, ast.Expr], bool] = lambda left, right: True
) -> MovingWindow | None:
    """The first difference that is bounded on both ends; conditions before the join take precedence over its orders."""
    found: dict[tuple[int, int], list[Bound]] = {}
    for bound in _bounds(plan):
        if chosen(plan.left.leaves[bound.left], plan.right.leaves[bound.right]):
            found.setdefault((bound.left, bound.right), []).append(bound)
    for (left, right), bounds in found.items():
        if {bound.is_upper for bound in bounds} == {True, False}:
            return MovingWindow(left, right, tuple(bounds))
    return None


def is_about(term: Term | None, window: MovingWindow) -> bool:
    """Whether a term is the difference along which a window moves."""
    return term is not None and any(
        (bound.left, bound.right) == (window.left, window.right) for bound in _of(term, True)
    )


def bounds_window(test: BestMatchTest, window: MovingWindow) -> bool:
    """Whether a condition bounds the difference along which a window moves."""
    return bool(test.op) and is_about(("-", test.left, test.right), window)


def _bounds(plan: BestMatchPlan) -> Iterator[Bound]:
    for test in plan.tests:
        if test.op and _is_numeric(test.left, plan) | _is_numeric(test.right, plan):
            yield from _of_test(test)
    for number, criterion in enumerate(plan.criteria):
        order = criterion.written
        if order.limit is not None and criterion.term is not None and order.direction:
            for bound in _of(criterion.term, order.direction == "min"):
                yield bound._replace(limit=number)


def _of_test(test: BestMatchTest) -> Iterator[Bound]:
    uppers = {"le": (True,), "lt": (True,), "ge": (False,), "gt": (False,), "eq": (True, False)}[test.op]
    one, other = test.left, test.right
    for is_upper in uppers:
        if _is_constant(other):
            yield from _compared(_of(one, is_upper), _linear(other))
        elif _is_constant(one):
            yield from _compared(_of(other, not is_upper), _linear(one))
        else:
            for bound in _of(("-", one, other), is_upper):
                yield bound._replace(is_across=True)


def _compared(bounds: Iterator[Bound], constants: _Linear | None) -> Iterator[Bound]:
    if constants is not None:
        for bound in bounds:
            yield bound._replace(compared=constants.constants)


def _of(term: Term, is_upper: bool) -> Iterator[Bound]:
    """The bounds that follow from an upper or lower bound of a term."""
    match term:
        case ("abs" | "distance", inner) if is_upper:
            yield from _of(inner, True)
            for bound in _of(inner, False):
                yield bound._replace(is_negated=not bound.is_negated)
            return
        case ("negate", ("abs" | "distance" | "div" | "*", *_) as inner):
            for bound in _of(inner, not is_upper):
                yield bound._replace(is_negated=not bound.is_negated)
            return
        case ("div" | "*" as op, inner, ("constant", int() as place)):
            yield from _scaled(_of(inner, is_upper), op, place)
            return
        case ("*", ("constant", int() as place), inner):
            yield from _scaled(_of(inner, is_upper), "*", place)
            return
    found = _linear(term)
    if found is None or found.left is None or found.right is None or found.left[0] == found.right[0]:
        return
    is_turned = found.left[0] < 0
    moved = tuple((-sign if is_turned else sign, place) for sign, place in found.constants)
    yield Bound(found.left[1], found.right[1], is_upper != is_turned, is_negated=is_turned, moved=moved)


def _scaled(bounds: Iterator[Bound], op: str, place: int) -> Iterator[Bound]:
    for bound in bounds:
        if bound.factor is None:
            yield bound._replace(factor=(op, place))


class _Linear(NamedTuple):
    """A sum of a leaf of each side, if any, and of constants, each with its sign."""

    left: Signed | None = None
    right: Signed | None = None
    constants: tuple[Signed, ...] = ()


def _linear(term: Term) -> _Linear | None:
    match term:
        case ("left", int() as leaf):
            return _Linear(left=(1, leaf))
        case ("right", int() as leaf):
            return _Linear(right=(1, leaf))
        case ("constant", int() as place):
            return _Linear(constants=((1, place),))
        case ("double", inner):
            return _linear(inner)
        case ("negate", inner):
            found = _linear(inner)
            return None if found is None else _negated(found)
        case ("+" | "-" as op, one, other):
            a, b = _linear(one), _linear(other)
            return None if a is None or b is None else _sum(a, b if op == "+" else _negated(b))
    return None


def _negated(one: _Linear) -> _Linear:
    def turned(part: Signed | None) -> Signed | None:
        return None if part is None else (-part[0], part[1])

    return _Linear(turned(one.left), turned(one.right), tuple((-sign, place) for sign, place in one.constants))


def _sum(a: _Linear, b: _Linear) -> _Linear | None:
    if (a.left is not None and b.left is not None) or (a.right is not None and b.right is not None):
        return None
    return _Linear(a.left or b.left, a.right or b.right, a.constants + b.constants)


def _is_constant(term: Term) -> bool:
    found = _linear(term)
    return found is not None and found.left is None and found.right is None


_TYPED = frozenset(
    {(FN, "number")}
    | {(PREFIXES["xs"], name) for name in ("integer", "decimal", "double", "float", "dateTime", "date", "int", "long")}
)


def _is_numeric(term: Term, plan: BestMatchPlan) -> bool:
    """Whether a term cannot be untyped: two untyped values are compared as texts, which bounds no difference."""
    match term:
        case ("left" | "right" as side, int() as leaf):
            value = (plan.left if side == "left" else plan.right).leaves[leaf]
            return isinstance(value, ast.FunctionCall) and value.name.expanded in _TYPED
        case ("constant", int() as place):
            literals = (ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
            return isinstance(plan.constants[place], literals)
    return True
