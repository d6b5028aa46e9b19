"""Predicates that select by position and want none beyond some last one."""

from __future__ import annotations

from xylem.functions.registry import FN
from xylem.syntax import ast


def first_positions(predicate: ast.Expr) -> tuple[int, int] | None:
    """The positions a predicate selects, as (first, last), where it says that no later one is wanted."""
    match predicate:
        case ast.IntegerLiteral(value=value):
            return value, value
        case ast.ValueComparison(op=op, left=ast.FunctionCall(name=name, arguments=()), right=right) | (
            ast.GeneralComparison(op=op, left=ast.FunctionCall(name=name, arguments=()), right=right)
        ) if name.expanded == (FN, "position"):
            match right:
                case ast.IntegerLiteral(value=value):
                    lasts = {"eq": value, "=": value, "le": value, "<=": value, "lt": value - 1, "<": value - 1}
                    firsts = {"eq": value, "=": value}
                    return (firsts.get(op, 1), lasts[op]) if op in lasts else None
                case ast.Range(left=ast.IntegerLiteral(value=low), right=ast.IntegerLiteral(value=high)) if op == "=":
                    return low, high
    return None
