"""Positional predicates as slices of the ordered items."""

from __future__ import annotations

from xylem.functions.registry import FN
from xylem.syntax import ast

Places = tuple[int, int | None]
"""A half-open range of places, counted from 0; a negative place counts from the end."""


def places_of(predicate: ast.Expr) -> Places | None:
    """`[3]`, `[last()]`, `[position() < 3]`; None for other predicates, and for those that select no range."""
    match predicate:
        case ast.IntegerLiteral(value=value) if value > 0:
            return value - 1, value
        case ast.FunctionCall() if _is_call(predicate, "last"):
            return -1, None
        case (
            ast.GeneralComparison(op=op, left=left, right=right) | ast.ValueComparison(op=op, left=left, right=right)
        ) if _is_call(left, "position"):
            return _compared(op, right)
    return None


def _compared(op: str, right: ast.Expr) -> Places | None:
    if _is_call(right, "last"):
        return (-1, None) if op in ("=", "eq") else None
    if not isinstance(right, ast.IntegerLiteral) or right.value < 1:
        return None
    value = right.value
    match op:
        case "=" | "eq":
            return value - 1, value
        case "<=" | "le":
            return 0, value
        case "<" | "lt":
            return 0, value - 1
        case ">=" | "ge":
            return value - 1, None
        case ">" | "gt":
            return value, None
    return None


def _is_call(expr: ast.Expr, name: str) -> bool:
    return isinstance(expr, ast.FunctionCall) and expr.name.expanded == (FN, name) and not expr.arguments
