"""Bounds that a condition on a difference implies, which an index by order can answer.

    $b/t - $a/t < 5          →    $b/t <= $a/t + 5 + slack and $b/t - $a/t < 5
    abs($b/t - $a/t) <= 5    →    $b/t <= $a/t + 5 + slack and $b/t >= $a/t - 5 - slack and abs($b/t - $a/t) <= 5

Gain:   a loop reads the items within the bounds, instead of all.
Needs:  a difference of numbers, or of untyped values, compared with a number literal.
Safe:   the condition itself is still tested. Doubles are rounded, so the bounds have slack: far more than the rounding
        error of a sum and a difference of doubles.
"""

from __future__ import annotations

from xylem.analysis.facts.comparisons import GENERAL, sides
from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.facts.value_class import Values, classify
from xylem.functions.registry import FN
from xylem.syntax import ast

_SLACK = ast.DoubleLiteral(1e-12)
_UPPER = ("=", "<", "<=")
_LOWER = ("=", ">", ">=")

BOUNDS = ("<=", ">=")
"""The operators of the bounds that a difference implies."""


def with_bounds(test: ast.Expr) -> ast.Expr:
    """The test with the bounds that it implies; the very same object if there are none."""
    tests = conjuncts(test)
    bounded = [one for part in tests for one in (*_bounds(part), part)]
    return test if len(bounded) == len(tests) else conjunction(bounded) or test


def _bounds(test: ast.Expr) -> list[ast.Expr]:
    if not isinstance(test, (ast.GeneralComparison, ast.ValueComparison)):
        return []
    for side in sides(test):
        distance = argument_of(side.own, "abs")
        difference = distance or side.own
        op = GENERAL.get(side.op, side.op)
        match difference:
            case ast.Arithmetic(op="-", left=left, right=right) if _is_number(left) and _is_number(right):
                if not isinstance(_unsigned(side.other), (ast.IntegerLiteral, ast.DecimalLiteral)):
                    return []
            case _:
                continue
        if distance is not None:
            return [_upper(left, right, side.other), _lower(left, right, "-", side.other)] if op in _UPPER else []
        upper = [_upper(left, right, side.other)] if op in _UPPER else []
        return upper + ([_lower(left, right, "+", side.other)] if op in _LOWER else [])
    return []


def _upper(left: ast.Expr, right: ast.Expr, number: ast.Expr) -> ast.Expr:
    bound = ast.Arithmetic("+", ast.Arithmetic("+", right, number), _slack(right, number), span=right.span)
    return ast.GeneralComparison("<=", left, bound, span=left.span)


def _lower(left: ast.Expr, right: ast.Expr, sign: str, number: ast.Expr) -> ast.Expr:
    bound = ast.Arithmetic("-", ast.Arithmetic(sign, right, number), _slack(right, number), span=right.span)
    return ast.GeneralComparison(">=", left, bound, span=left.span)


def _slack(right: ast.Expr, number: ast.Expr) -> ast.Expr:
    return ast.Arithmetic("*", _SLACK, ast.Arithmetic("+", _absolute(right), _absolute(number)))


def _absolute(number: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name("abs", "fn", FN), (number,))


def _unsigned(number: ast.Expr) -> ast.Expr:
    return number.operand if isinstance(number, ast.Unary) else number


def _is_number(expr: ast.Expr) -> bool:
    values = classify(expr, {}).values
    return values.is_numeric or values is Values.UNTYPED
