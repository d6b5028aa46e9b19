"""Comparisons between the positions of an end and a start: `$e - $s op N` in all its forms, N a whole number."""

from __future__ import annotations

from typing import NamedTuple

from xylem.analysis.facts.comparisons import TURNED, VALUE
from xylem.plan.window_plan import WindowPlan
from xylem.syntax import ast


class PositionTest(NamedTuple):
    """`end position - start position op number`."""

    op: str
    number: int


def comparison(test: ast.Expr) -> tuple[str, ast.Expr, ast.Expr] | None:
    """(operator by its value name, left, right) of a value or general comparison."""
    match test:
        case ast.ValueComparison(op=op, left=left, right=right):
            return op, left, right
        case ast.GeneralComparison(op=op, left=left, right=right):
            return VALUE[op], left, right
    return None


def position_test(window: WindowPlan, test: ast.Expr) -> PositionTest | None:
    """The test as one on the difference of the two positions; None if it is not one."""
    found = comparison(test)
    start, end = window.start.named("position"), window.end.named("position")
    if found is None or start is None or end is None:
        return None
    op, left, right = found
    a, b = _linear(left, start, end), _linear(right, start, end)
    if a is None or b is None:
        return None
    # a op b, each of the form `number + s·start + e·end`
    number, of_start, of_end = (x - y for x, y in zip(a, b, strict=True))
    if of_end == 1 and of_start == -1:
        return PositionTest(op, -number)
    if of_end == -1 and of_start == 1:
        return PositionTest(TURNED[op], number)
    return None


def _linear(expr: ast.Expr, start: ast.Name, end: ast.Name) -> tuple[int, int, int] | None:
    """(number, factor of the start, factor of the end)."""
    match expr:
        case ast.IntegerLiteral(value=value):
            return value, 0, 0
        case ast.VarRef(name=name) if name.expanded == start.expanded:
            return 0, 1, 0
        case ast.VarRef(name=name) if name.expanded == end.expanded:
            return 0, 0, 1
        case ast.Arithmetic(op=("+" | "-") as op, left=left, right=right):
            a, b = _linear(left, start, end), _linear(right, start, end)
            if a is None or b is None:
                return None
            sign = 1 if op == "+" else -1
            return a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2]
    return None
