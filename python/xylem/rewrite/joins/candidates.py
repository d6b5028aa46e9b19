"""Which sequences may be indexed, and which conditions an index answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xylem.analysis.facts.comparisons import TURNED
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.focus import uses_position
from xylem.analysis.history.operands import PROJECTIONS
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.functions.traits import CONSTRUCTS, UNSTEADY
from xylem.syntax import ast

from ..normalise.existential import as_comparison
from .condition import Condition
from .string_conditions import as_equality, of_strings

_CONSTRUCTORS = (
    ast.DirectElement,
    ast.ComputedElement,
    ast.ComputedDocument,
    ast.ComputedText,
    ast.ComputedAttribute,
    ast.ComputedComment,
    ast.ComputedPI,
    ast.ComputedNamespace,
    ast.DirectComment,
    ast.DirectPI,
)
_NOT_TWICE = CONSTRUCTS | UNSTEADY | {(FN, "apply"), (FN, "function-lookup")}


_PLACES = ((FN, "position"), (FN, "last"))
_EQUALITIES = frozenset({"=", "eq"})
_TURNED_ORDERS = {"<<": ">>", ">>": "<<"}
_RANKS = {"=": 0, "eq": 0, "!=": 2, "ne": 2}
"""Equalities first: they leave the fewest items. What is not equal is nearly everything."""


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
    """Whether it narrows, and nothing is left to test where it holds."""
    return is_narrowing(condition) and not condition.is_implied


def is_narrowing(condition: Condition | ast.JoinTest) -> bool:
    """Whether it may leave few items: an equality, or an order."""
    return condition.op not in ("!=", "ne") and not condition.negated


def joins_in(test: ast.JoinTest, others: Sequence[ast.JoinTest]) -> bool:
    """Whether a test becomes part of the index of others: two orders make a range, and a third one is tested."""
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
        last = last.base  # versions of nodes are nodes
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
            # Under not(), a value counts as the truth that `where` takes it for.
            return conjuncts(inner)
    return [ast.FunctionCall(ast.Name("not", "fn", FN), (test,), span=test.span)]


def is_the_same_each_time(expr: ast.Node) -> bool:
    """Whether each evaluation gives the same items: the expression creates no nodes and is deterministic.

    Of functions, the built-in ones are known; of others this is unknown. Places are those of its own items.
    """
    if uses_position(expr):
        return False
    for node in expr.walk():
        if isinstance(node, (*_CONSTRUCTORS, ast.DynamicCall, ast.ExtensionNode, ast.InlineFunction)):
            return False
        if isinstance(node, ast.FunctionCall) and not _is_known(node):
            return False
    return True


def _is_known(call: ast.FunctionCall) -> bool:
    if call.name.uri == "http://www.w3.org/2001/XMLSchema":
        return True
    if call.name.expanded in _NOT_TWICE:
        return False
    if call.name.expanded in _PLACES:
        return True
    return look_up(*call.name.expanded, len(call.arguments)) is not None
