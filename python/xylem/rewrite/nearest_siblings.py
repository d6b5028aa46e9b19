"""Select only the nearest sibling, if any sibling is enough or if the expression means the nearest one.

    exists($x/preceding-sibling::a)          →     exists($x/preceding-sibling::a[1])
    //a[following-sibling::b]                →     //a[following-sibling::b[1]]
    ($x/preceding-sibling::a)[last()]        →     $x/preceding-sibling::a[1]
    head($x/following-sibling::a)            →     $x/following-sibling::a[1]

Gain:   a scan keeps only the last sibling instead of all of them.
Needs:  the expression tests whether a sibling exists, or takes the first or last sibling of one node in document order.
Safe:   if a sibling exists, a nearest one exists. Positions on `preceding-sibling` count in reverse document order.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.near_siblings import AXES, nearest
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.syntax import ast

_ASKS = ("exists", "empty", "not", "boolean")


def with_nearest(expr: ast.Expr) -> ast.Expr:
    """An equal expression that uses nearest siblings wherever possible."""
    return replaced(expr, _replacement)


def _replacement(node: ast.Node) -> ast.Node | None:
    match node:
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(argument,)) if uri == FN:
            if local in _ASKS:
                made = any_sibling(argument)
                return None if made is argument else replace(node, arguments=(with_nearest(made),))
            return _picked(argument, "following-sibling") if local == "head" else None
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            sides = any_sibling(left), any_sibling(right)
            if sides == (left, right):
                return None
            return replace(node, left=with_nearest(sides[0]), right=with_nearest(sides[1]))
        case ast.If(test=test):
            return _with_test(node, test)
        case ast.WhereClause(test=test):
            return _with_test(node, test)
        case ast.AxisStep(predicates=predicates) if predicates:
            tests = tuple(map(any_sibling, predicates))
            return None if tests == predicates else with_nearest(replace(node, predicates=tests))
        case ast.Filter(base=base, predicate=predicate):
            if isinstance(predicate, ast.IntegerLiteral) and predicate.value == 1:
                return _picked(base, "following-sibling")
            if argument_of_last(predicate):
                return _picked(base, "preceding-sibling")
            made = any_sibling(predicate)
            return None if made is predicate else with_nearest(replace(node, predicate=made))
    return None


def _with_test(node: ast.If | ast.WhereClause, test: ast.Expr) -> ast.Node | None:
    made = any_sibling(test)
    return None if made is test else replaced(replace(node, test=made), _replacement)


def argument_of_last(predicate: ast.Expr) -> bool:
    """Whether a predicate is last()."""
    match predicate:
        case ast.FunctionCall(name=ast.Name(local="last", uri=uri), arguments=()):
            return uri == FN
    return False


def any_sibling(expr: ast.Expr) -> ast.Expr:
    """A test for the existence of siblings, which reads only the nearest one."""
    match expr:
        case ast.AxisStep(axis=axis, predicates=predicates) if axis in AXES and all(map(is_test, predicates)):
            return nearest(expr)
        case ast.Path(right=ast.AxisStep() as step):
            made = any_sibling(step)
            return expr if made is step else replace(expr, right=made)
    return expr


def _picked(expr: ast.Expr, axis: str) -> ast.Expr | None:
    """The nearest of one node's siblings."""
    while isinstance(expr, ast.SequenceExpr) and len(expr.items) == 1:
        expr = expr.items[0]
    match expr:
        case ast.AxisStep(predicates=predicates) if expr.axis == axis and all(map(is_test, predicates)):
            return with_nearest(nearest(expr))
        case ast.Path(left=ast.ContextItem(), right=ast.AxisStep() as step):
            made = _picked(step, axis)
            return None if made is None else replace(expr, right=made)
    return None
