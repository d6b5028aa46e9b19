"""Expressions that take the first items of a sequence: each part of the input gives so many at most.

head(E), (E)[1], (E)[position() le 10], subsequence(E, 1, 10)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xylem.functions.registry import FN
from xylem.syntax import ast


@dataclass(frozen=True)
class FirstItems:
    """So many of the first items of `base`; `around` puts what is made of them in its place."""

    base: ast.Expr
    count: int
    around: Callable[[ast.Expr], ast.Expr] | None = None


def first_items(expr: ast.Expr) -> FirstItems | None:
    """What an expression takes of the beginning of a sequence; None where it takes anything else."""
    match expr:
        case ast.FunctionCall(name=name, arguments=(base,)) if name.expanded == (FN, "head"):
            return FirstItems(base, 1)
        case ast.FunctionCall(
            name=name, arguments=(base, ast.IntegerLiteral(value=start), ast.IntegerLiteral(value=length))
        ) if name.expanded == (FN, "subsequence") and start >= 1:
            if start == 1:
                return FirstItems(base, length)
            return FirstItems(
                base, start + length - 1, lambda made: replace(expr, arguments=(made, *expr.arguments[1:]))
            )
        case ast.Filter(base=base, predicate=ast.IntegerLiteral(value=position)) if position >= 1:
            if position == 1:
                return FirstItems(base, 1)
            return FirstItems(base, position, lambda made: replace(expr, base=made))
        case ast.Filter(base=base, predicate=predicate):
            count = _most(predicate)
            return None if count is None else FirstItems(base, count)
    return None


def _most(predicate: ast.Expr) -> int | None:
    """position() le N"""
    if not isinstance(predicate, (ast.ValueComparison, ast.GeneralComparison)):
        return None
    left, right = predicate.left, predicate.right
    if not isinstance(left, ast.FunctionCall) or left.name.expanded != (FN, "position"):
        return None
    if predicate.op == "=" and isinstance(right, ast.Range):
        is_from_one = right.left == ast.IntegerLiteral(1)
        return right.right.value if is_from_one and isinstance(right.right, ast.IntegerLiteral) else None
    if not isinstance(right, ast.IntegerLiteral):
        return None
    if predicate.op in ("le", "<="):
        return right.value
    return right.value - 1 if predicate.op in ("lt", "<") else None
