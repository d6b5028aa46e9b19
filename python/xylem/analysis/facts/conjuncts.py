"""Conditions joined by `and`: split, and joined again. `boolean(A eq B)` is the condition A eq B."""

from __future__ import annotations

from collections.abc import Sequence

from xylem.syntax import ast

from .standard_calls import argument_of
from .truth_values import is_condition


def conjuncts(test: ast.Expr | None) -> list[ast.Expr]:
    """The conditions that must all hold, in order; empty for no condition."""
    found: list[ast.Expr] = []
    waiting = [] if test is None else [test]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.And):
            waiting += [one.right, one.left]
        elif (asked := argument_of(one, "boolean")) is not None and is_condition(asked):
            waiting.append(asked)
        else:
            found.append(one)
    return found


def conjunction(tests: Sequence[ast.Expr]) -> ast.Expr | None:
    """One condition equivalent to all of them; None for no condition."""
    made: ast.Expr | None = None
    for test in tests:
        made = test if made is None else ast.And(made, test, span=made.span)
    return made
