"""Express positions by a counting variable: `a[3]` is the a whose number is 3.

The module also finds the items that an expression picks by number: `head(//x)`, `(//x)[position() <= 10]`,
`subsequence(//x, 3, 2)`, `tail(//x)`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.comparisons import GENERAL, TURNED
from xylem.analysis.streamable_paths import StreamablePath, is_counting, is_position, streamable_path
from xylem.functions.registry import FN
from xylem.syntax import ast


class Picked(NamedTuple):
    """Items picked from a path by number."""

    path: StreamablePath
    predicate: ast.Expr
    """A position, or a test of position()."""

    @property
    def is_single(self) -> bool:
        """Whether at most one item is picked."""
        return isinstance(self.predicate, ast.IntegerLiteral)


def picked(expr: ast.Expr, streams: Collection[str]) -> Picked | None:
    """The items that an expression picks from a streamable path by their number over the whole path; else None."""
    found = base_and_predicate(expr)
    if found is None:
        return None
    base, predicate = found
    path = streamable_path(base, streams)
    return None if path is None or not path.steps else Picked(path, predicate)


def base_and_predicate(expr: ast.Expr) -> tuple[ast.Expr, ast.Expr] | None:
    match expr:
        case ast.Filter(base=base, predicate=predicate) if is_counting(predicate):
            return base, predicate
        case ast.FunctionCall(name=ast.Name(local="head", uri=uri), arguments=(base,)) if uri == FN:
            return base, ast.IntegerLiteral(1, span=expr.span)
        case ast.FunctionCall(name=ast.Name(local="tail", uri=uri), arguments=(base,)) if uri == FN:
            return base, _compared(">", 1, expr)
        case ast.FunctionCall(name=ast.Name(local="subsequence", uri=uri), arguments=(base, *bounds)) if uri == FN:
            between = _between(bounds, expr)
            return None if between is None else (base, between)
    return None


def _between(bounds: list[ast.Expr], call: ast.FunctionCall) -> ast.Expr | None:
    """The positions start ≤ p < start + length, both whole numbers."""
    numbers = [bound.value for bound in bounds if isinstance(bound, ast.IntegerLiteral)]
    if len(numbers) != len(bounds) or not numbers:
        return None
    start = _compared(">=", numbers[0], call)
    if len(numbers) == 1:
        return start
    return ast.And(start, _compared("<", numbers[0] + numbers[1], call), span=call.span)


def _compared(op: str, number: int, whole: ast.Expr) -> ast.Expr:
    position = ast.FunctionCall(ast.Name("position", "fn", FN), (), span=whole.span)
    return ast.GeneralComparison(op, position, ast.IntegerLiteral(number, span=whole.span), span=whole.span)


def counted(predicate: ast.Expr, number: ast.VarRef) -> ast.Expr:
    """A counting predicate as a condition on the variable that counts."""
    if isinstance(predicate, ast.IntegerLiteral):
        return ast.GeneralComparison("=", number, predicate, span=predicate.span)

    def variable_for(node: ast.Node) -> ast.Node | None:
        return number if isinstance(node, ast.FunctionCall) and is_position(node) else None

    return replaced(predicate, variable_for)


def first_and_last(predicate: ast.Expr) -> tuple[int, int | None] | None:
    """The first and last position of the range that a predicate picks; None as last means no end."""
    match predicate:
        case ast.IntegerLiteral(value=value):
            return value, value
        case ast.And(left=left, right=right):
            one, other = first_and_last(left), first_and_last(right)
            if one is None or other is None or any(isinstance(side, ast.IntegerLiteral) for side in (left, right)):
                return None
            ends = [last for _, last in (one, other) if last is not None]
            return max(one[0], other[0]), min(ends) if ends else None
        case ast.ValueComparison(op=op, left=left, right=right):
            return first_and_last(ast.GeneralComparison(GENERAL[op], left, right))
        case ast.GeneralComparison(op=op, left=left, right=ast.IntegerLiteral(value=value)) if _is_bare_position(left):
            return _bounds(op, value)
        case ast.GeneralComparison(op=op, left=ast.IntegerLiteral(value=value), right=right):
            return _bounds(TURNED[op], value) if _is_bare_position(right) else None
    return None


def _bounds(op: str, value: int) -> tuple[int, int | None] | None:
    bounds: dict[str, tuple[int, int | None]] = {
        "=": (value, value),
        "<": (1, value - 1),
        "<=": (1, value),
        ">": (value + 1, None),
        ">=": (value, None),
    }
    return bounds.get(op)


def _is_bare_position(expr: ast.Expr) -> bool:
    return isinstance(expr, ast.FunctionCall) and is_position(expr)


def last_counted(condition: ast.Expr, number: str) -> int | None:
    """The greatest number for which a condition can hold; None if there is no limit."""
    match condition:
        case ast.And(left=left, right=right):
            found = [n for n in (last_counted(left, number), last_counted(right, number)) if n is not None]
            return min(found) if found else None
        case ast.Or(left=left, right=right):
            one, other = last_counted(left, number), last_counted(right, number)
            return None if one is None or other is None else max(one, other)
        case ast.GeneralComparison(op=op, left=ast.VarRef(name=name), right=ast.IntegerLiteral(value=value)):
            if name.expanded == ("", number):
                return {"=": value, "<=": value, "<": value - 1}.get(op)
        case ast.GeneralComparison(op=op, left=ast.IntegerLiteral(value=value), right=ast.VarRef(name=name)):
            if name.expanded == ("", number):
                return {"=": value, ">=": value, ">": value - 1}.get(op)
        case ast.ValueComparison(op=op, left=left, right=right):
            return last_counted(ast.GeneralComparison(GENERAL[op], left, right), number)
    return None
