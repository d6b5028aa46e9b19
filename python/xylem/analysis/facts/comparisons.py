"""Comparison operators: their mirror images, and equivalent ones.

    1 < $x     →     $x > 1
"""

from __future__ import annotations

from typing import NamedTuple

from xylem.syntax import ast

TURNED = {
    "=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
    "eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le",
}  # fmt: skip
"""The equivalent operator with exchanged sides."""

GENERAL = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
"""The general comparison that agrees with a value comparison on single values of one type."""

VALUE = {general: value for value, general in GENERAL.items()}
"""The value comparison that a general one applies to each pair of items."""

Comparison = ast.GeneralComparison | ast.ValueComparison


class Side(NamedTuple):
    """A comparison seen from one of its sides: `own op other`."""

    own: ast.Expr
    op: str
    other: ast.Expr


def sides(test: Comparison) -> tuple[Side, Side]:
    """The comparison as written, and mirrored."""
    return Side(test.left, test.op, test.right), Side(test.right, TURNED[test.op], test.left)


def compared_with_number(expr: ast.Expr) -> tuple[ast.Expr, str, int] | None:
    """E, operator and number of a comparison, with the number on its right."""
    if not isinstance(expr, (ast.GeneralComparison, ast.ValueComparison)):
        return None
    sign = GENERAL.get(expr.op, expr.op)
    if isinstance(expr.right, ast.IntegerLiteral):
        return expr.left, sign, expr.right.value
    if isinstance(expr.left, ast.IntegerLiteral):
        return expr.right, TURNED[sign], expr.left.value
    return None
