"""Expressions that take the first items of a sequence: each part of the input contributes at most that many.

head(E), (E)[1], (E)[position() le 10], (E)[position() = (1, 3)], (E)[position() gt 3 and 10 ge position()],
subsequence(E, 1, 10)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from xylem.analysis.facts.comparisons import TURNED
from xylem.analysis.facts.standard_calls import is_call
from xylem.functions.registry import FN
from xylem.syntax import ast


@dataclass(frozen=True)
class FirstItems:
    """A number of first items of `base`; `around` inserts their result into the surrounding expression."""

    base: ast.Expr
    count: int
    around: Callable[[ast.Expr], ast.Expr] | None = None


def first_items(expr: ast.Expr) -> FirstItems | None:
    """The first items that an expression takes of a sequence; None if it takes anything else."""
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
            found = _positions(predicate)
            if found is None or found.last is None:
                return None
            return FirstItems(base, found.last, None if found.is_all else lambda made: replace(expr, base=made))
    return None


def position_limit(predicate: ast.Expr) -> ast.VarRef | None:
    """The variable of position() le $k, which limits how many of the first items pass."""
    match predicate:
        case ast.ValueComparison(op=op, left=left, right=right) | ast.GeneralComparison(op=op, left=left, right=right):
            if is_call(right, "position"):
                left, right, op = right, left, TURNED[op]
            if not is_call(left, "position"):
                return None
            match right:
                case ast.VarRef() if op in ("le", "<=", "lt", "<"):
                    return right
                case ast.Range(left=ast.IntegerLiteral(value=1), right=ast.VarRef() as last) if op == "=":
                    return last
    return None


class _Positions(NamedTuple):
    """The positions that a predicate lets pass."""

    last: int | None
    """The last of them; None if there is none."""
    is_all: bool = False
    """Whether all positions before it pass too."""


def _positions(predicate: ast.Expr) -> _Positions | None:
    """The positions that pass a predicate which tests positions first; None for any other."""
    match predicate:
        case ast.And(left=left, right=right):
            one, other = _positions(left), _positions(right)
            if one is not None and one.last is not None and other is None and not _asks_for_last(right):
                # Later items do not matter.
                return _Positions(one.last)
            if one is None or other is None:
                return None
            ends = [found.last for found in (one, other) if found.last is not None]
            return _Positions(min(ends) if ends else None)
        case ast.Or(left=left, right=right):
            one, other = _positions(left), _positions(right)
            if one is None or other is None:
                return None
            is_open = one.last is None or other.last is None
            return _Positions(None if is_open else max(one.last or 0, other.last or 0))
        case ast.ValueComparison(op=op, left=left, right=right) | ast.GeneralComparison(op=op, left=left, right=right):
            if is_call(right, "position") and not is_call(left, "position"):
                left, right, op = right, left, TURNED[op]
            return _compared(op, right) if is_call(left, "position") else None
    return None


def _asks_for_last(expr: ast.Expr) -> bool:
    calls = (node for node in expr.walk() if isinstance(node, (ast.FunctionCall, ast.NamedFunctionRef)))
    return any(call.name.expanded == (FN, "last") for call in calls)


def _compared(op: str, right: ast.Expr) -> _Positions | None:
    """position() op E."""
    match right:
        case ast.Range(left=ast.IntegerLiteral(value=first), right=ast.IntegerLiteral(value=last)) if op == "=":
            return _Positions(last if first <= last else 0, is_all=first == 1)
        case ast.SequenceExpr(items=items) if op == "=" and items:
            numbers = [item.value for item in items if isinstance(item, ast.IntegerLiteral)]
            return _Positions(max(numbers)) if len(numbers) == len(items) else None
        case ast.IntegerLiteral(value=number):
            if op in ("le", "<="):
                return _Positions(number, is_all=True)
            if op in ("lt", "<"):
                return _Positions(number - 1, is_all=True)
            if op in ("eq", "="):
                return _Positions(number, is_all=number == 1)
            return _Positions(None) if op in ("gt", "ge", ">", ">=", "ne", "!=") else None
    return None
