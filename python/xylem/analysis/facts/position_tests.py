"""Predicates that only test positions: `position() = $i to $j`, `position() >= $a and $b > position()`."""

from __future__ import annotations

from typing import NamedTuple

from xylem.analysis.focus import reads_focus, uses_position
from xylem.syntax import ast

from .comparisons import GENERAL, TURNED
from .conjuncts import conjuncts
from .standard_calls import is_call


class PositionTest(NamedTuple):
    """position() op asked, with an operand that is the same for all items."""

    op: str
    asked: ast.Expr


def position_tests(predicate: ast.Expr) -> list[PositionTest] | None:
    """The tests that a predicate consists of; None if it tests anything else."""
    found = []
    for test in conjuncts(predicate):
        if not isinstance(test, (ast.GeneralComparison, ast.ValueComparison)):
            return None
        op, left, right = test.op, test.left, test.right
        if is_call(right, "position"):
            op, left, right = TURNED[op], right, left
        if not is_call(left, "position") or GENERAL.get(op, op) == "!=":
            return None
        if reads_focus(right) or uses_position(right):
            return None
        found.append(PositionTest(op, right))
    return found
