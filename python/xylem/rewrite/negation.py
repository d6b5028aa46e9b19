"""The negation of a condition."""

from __future__ import annotations

from xylem.analysis.facts.truth_values import is_boolean
from xylem.functions.registry import FN
from xylem.syntax import ast

_OPPOSITE = {"exists": "empty", "empty": "exists"}


def negated(condition: ast.Expr) -> ast.Expr:
    """not(condition), without a double `not`.

    The comparisons of XQuery have no opposite: a = b and a != b can both hold, and both can fail.
    """
    if isinstance(condition, ast.FunctionCall) and condition.name.uri == FN:
        local = condition.name.local
        if local == "not" and is_boolean(condition.arguments[0]):
            return condition.arguments[0]
        if local in _OPPOSITE:
            return ast.FunctionCall(_function(_OPPOSITE[local]), condition.arguments, span=condition.span)
        if local in ("true", "false") and not condition.arguments:
            return constant(local == "false")
    return ast.FunctionCall(_function("not"), (condition,), span=condition.span)


def constant(value: bool) -> ast.FunctionCall:
    """fn:true() or fn:false()."""
    return ast.FunctionCall(_function("true" if value else "false"))


def _function(local: str) -> ast.Name:
    return ast.Name(local, "fn", FN)
