"""Expressions that give one xs:boolean, or an error, recognised by their form.

Not `$a eq $b` and `$a is $b`, which are empty if an operand is: as a condition, that is the same as false.
"""

from __future__ import annotations

from xylem.functions.traits import BOOLEAN
from xylem.syntax import ast

_FORMS = (ast.And, ast.Or, ast.GeneralComparison, ast.Quantified, ast.InstanceOf, ast.CastableAs)


def is_boolean(expr: ast.Expr) -> bool:
    """Whether the value is its own effective boolean value."""
    return expr.name.expanded in BOOLEAN if isinstance(expr, ast.FunctionCall) else isinstance(expr, _FORMS)


def is_condition(expr: ast.Expr) -> bool:
    """Whether the value is one xs:boolean or nothing: never a number, which would be a position, and no nodes."""
    return is_boolean(expr) or isinstance(expr, (ast.ValueComparison, ast.NodeComparison))
