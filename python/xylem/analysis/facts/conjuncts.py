"""Conditions joined by `and`: split, and joined again."""

from __future__ import annotations

from collections.abc import Sequence

from xylem.syntax import ast


def conjuncts(test: ast.Expr | None) -> list[ast.Expr]:
    """The conditions that must all hold, in order; empty for no condition."""
    found: list[ast.Expr] = []
    waiting = [] if test is None else [test]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.And):
            waiting += [one.right, one.left]
        else:
            found.append(one)
    return found


def conjunction(tests: Sequence[ast.Expr]) -> ast.Expr | None:
    """One condition equivalent to all of them; None for no condition."""
    made: ast.Expr | None = None
    for test in tests:
        made = test if made is None else ast.And(made, test, span=made.span)
    return made
