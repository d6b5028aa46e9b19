"""Simplify conditions (thesis Def. 3.6.2): facts that the schema decides become constants, and constants disappear."""

from __future__ import annotations

from xylem.analysis.facts.standard_calls import is_call
from xylem.functions.registry import FN
from xylem.syntax import ast

from .negation import constant, negated
from .rule import Facts
from .schema_paths import is_always_selected, is_never_selected

TRUE, FALSE = constant(True), constant(False)


def simplified(condition: ast.Expr, facts: Facts) -> ast.Expr:
    """A condition with the same truth value in every valid document; the very same object when nothing changed."""
    match condition:
        case ast.And(left=left, right=right):
            return _both(condition, simplified(left, facts), simplified(right, facts))
        case ast.Or(left=left, right=right):
            return _either(condition, simplified(left, facts), simplified(right, facts))
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(argument,)) if uri == FN:
            return _call(condition, local, argument, facts)
        case ast.GeneralComparison(left=left, right=right):
            return FALSE if _is_empty(left, facts) or _is_empty(right, facts) else condition
        case ast.Path() if is_never_selected(condition, facts):
            return FALSE
        case ast.Path() if is_always_selected(condition, facts):
            return TRUE
    return condition


def _call(call: ast.FunctionCall, local: str, argument: ast.Expr, facts: Facts) -> ast.Expr:
    if local == "not":
        inner = simplified(argument, facts)
        if is_constant(inner, True) or is_constant(inner, False):
            return FALSE if is_constant(inner, True) else TRUE
        return call if inner is argument else negated(inner)
    if local in ("exists", "empty", "boolean"):
        if _is_empty(argument, facts):
            return TRUE if local == "empty" else FALSE
        if local != "boolean" and is_always_selected(argument, facts):
            return FALSE if local == "empty" else TRUE
    return call


def _is_empty(expr: ast.Expr, facts: Facts) -> bool:
    """Whether a value is empty because of a path that selects nothing; arithmetic with an empty operand is empty."""
    match expr:
        case ast.Arithmetic(left=left, right=right):
            return _is_empty(left, facts) or _is_empty(right, facts)
        case ast.Unary(operand=operand):
            return _is_empty(operand, facts)
    return is_never_selected(expr, facts)


def is_constant(condition: ast.Expr, value: bool) -> bool:
    """Whether a condition is fn:true(), or fn:false()."""
    return is_call(condition, "true" if value else "false")


def _both(condition: ast.And, left: ast.Expr, right: ast.Expr) -> ast.Expr:
    if is_constant(left, False) or is_constant(right, False):
        return FALSE
    if is_constant(left, True):
        return right
    if is_constant(right, True):
        return left
    if left is condition.left and right is condition.right:
        return condition
    return ast.And(left, right, span=condition.span)


def _either(condition: ast.Or, left: ast.Expr, right: ast.Expr) -> ast.Expr:
    if is_constant(left, True) or is_constant(right, True):
        return TRUE
    if is_constant(left, False):
        return right
    if is_constant(right, False):
        return left
    if left is condition.left and right is condition.right:
        return condition
    return ast.Or(left, right, span=condition.span)
