"""Decide which sequences may be indexed, and which conditions an index answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xylem.analysis.facts.comparisons import TURNED
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.focus import uses_position
from xylem.analysis.history.operands import PROJECTIONS
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..normalise.existential import as_comparison
from .condition import Condition
from .string_conditions import as_equality, of_strings

_EQUALITIES = frozenset({"=", "eq"})
_TURNED_ORDERS = {"<<": ">>", ">>": "<<"}
_RANKS = {"=": 0, "eq": 0, "!=": 2, "ne": 2}
"""Equalities first: they leave the fewest items. Inequalities leave nearly everything."""


def conditions(test: ast.Expr | None) -> Iterator[Condition]:
    """The conditions in a test that an index may answer, from both sides, equalities first."""
    yield from _by_comparison(test)
    for whole in conjuncts(test):
        yield from of_strings(whole)


def _by_comparison(test: ast.Expr | None) -> Iterator[Condition]:
    found = [(*taken, whole) for whole in conjuncts(test) if (taken := _comparison(whole)) is not None]
    found.sort(key=lambda one: _RANKS.get(one[0].op, 1) + 2 * one[1])
    for comparison, negated, whole in found:
        yield Condition(comparison.left, comparison.op, comparison.right, negated, whole)
        turned = _TURNED_ORDERS.get(comparison.op) or TURNED[comparison.op]
        yield Condition(comparison.right, turned, comparison.left, negated, whole)


Wanted = Callable[[Condition], bool]


def is_any(condition: Condition) -> bool:
    return True


def is_equality(condition: Condition | ast.JoinTest) -> bool:
    return condition.op in _EQUALITIES and not condition.negated


def is_told(condition: Condition) -> bool:
    """Whether it narrows the items and needs no further test."""
    return is_narrowing(condition) and not condition.is_implied


def is_narrowing(condition: Condition | ast.JoinTest) -> bool:
    """Whether it may leave few items: an equality, or an order."""
    return condition.op not in ("!=", "ne") and not condition.negated


def joins_in(test: ast.JoinTest, others: Sequence[ast.JoinTest]) -> bool:
    """Whether a test joins the index of others: two orders make a range, and a third one is tested."""
    if any(one.op in ast.BEGINNINGS for one in (test, *others)):
        return False
    return test.op in _EQUALITIES or sum(not is_equality(one) for one in others) < 2


def _comparison(
    test: ast.Expr,
) -> tuple[ast.GeneralComparison | ast.ValueComparison | ast.NodeComparison, bool] | None:
    test = as_comparison(as_equality(test))
    if isinstance(test, ast.NodeComparison) and test.op in ast.NODE_ORDERS:
        return test, False
    if isinstance(test, (ast.GeneralComparison, ast.ValueComparison)):
        return test, False
    match test:
        case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "not"):
            inner = as_comparison(argument)
            if isinstance(inner, (ast.GeneralComparison, ast.ValueComparison)):
                return inner, True
    return None


def is_test(predicate: ast.Expr) -> bool:
    """Whether a predicate is a truth value, or selects nodes: not a number that counts items."""
    if uses_position(predicate):
        return False
    last = predicate.right if isinstance(predicate, ast.Path) else predicate
    if isinstance(last, PROJECTIONS):
        last = last.base  # Versions of nodes are nodes.
    if isinstance(last, ast.FunctionCall):
        known = look_up(*last.name.expanded, len(last.arguments))
        if known is not None and known.returns == "xs:boolean?":
            return True
    return isinstance(last, (ast.AxisStep, ast.ValueComparison, ast.NodeComparison)) or is_boolean(predicate)


def opposite(test: ast.Expr) -> list[ast.Expr]:
    """Conditions that all hold where the test does not."""
    match test:
        case ast.Or(left=left, right=right):
            return [*opposite(left), *opposite(right)]
        case ast.FunctionCall(name=name, arguments=(inner,)) if name.expanded == (FN, "not"):
            # Under not(), a value counts by its effective boolean value, as in `where`.
            return conjuncts(inner)
    return [ast.FunctionCall(ast.Name("not", "fn", FN), (test,), span=test.span)]
