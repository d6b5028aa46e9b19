"""Predicates that select by position, none of them beyond some last one."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.analysis.facts.comparisons import TURNED
from xylem.analysis.facts.standard_calls import is_call
from xylem.syntax import ast


@dataclass(frozen=True)
class Positions:
    """The positions that a predicate can select."""

    first: int = 1
    last: int | None = None
    """None if there is no last one."""
    are_all: bool = False
    """Whether it selects each of them; otherwise they must still be tested."""


def first_positions(predicate: ast.Expr) -> Positions | None:
    """The positions a predicate selects, if it limits them."""
    found = _single(predicate.value, "=") if isinstance(predicate, ast.IntegerLiteral) else _positions(predicate)
    return None if found.last is None else found


def _positions(condition: ast.Expr) -> Positions:
    match condition:
        case ast.And(left=left, right=right):
            one, other = _positions(left), _positions(right)
            lasts = [each.last for each in (one, other) if each.last is not None]
            last = min(lasts) if lasts else None
            return Positions(max(one.first, other.first), last, one.are_all and other.are_all)
        case ast.ValueComparison(op=op, left=left, right=right) | ast.GeneralComparison(op=op, left=left, right=right):
            if is_call(left, "position"):
                return _compared(op, right)
            if is_call(right, "position"):
                return _compared(TURNED[op], left)
    return Positions()


def _compared(op: str, value: ast.Expr) -> Positions:
    match value:
        case ast.IntegerLiteral(value=number):
            return _single(number, op)
        case ast.Range(left=ast.IntegerLiteral(value=low), right=ast.IntegerLiteral(value=high)) if op == "=":
            return Positions(max(low, 1), high, True)
        case ast.SequenceExpr(items=items) if op == "=":
            numbers = [item.value for item in items if isinstance(item, ast.IntegerLiteral)]
            if numbers and len(numbers) == len(items):
                return Positions(max(min(numbers), 1), max(numbers))
    return Positions()


def _single(number: int, op: str) -> Positions:
    first = max(number, 1)
    match op:
        case "eq" | "=":
            return Positions(first, number, True)
        case "le" | "<=":
            return Positions(1, number, True)
        case "lt" | "<":
            return Positions(1, number - 1, True)
        case "ge" | ">=":
            return Positions(first, None, True)
        case "gt" | ">":
            return Positions(max(number + 1, 1), None, True)
    return Positions()
