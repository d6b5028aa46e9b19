"""Calls of standard functions, known by namespace: `true()`, `last()`, `position()`; `reverse(E)`."""

from __future__ import annotations

from xylem.functions.registry import FN
from xylem.syntax import ast


def is_call(expr: ast.Node | None, local: str) -> bool:
    """Whether an expression calls a function of this name without arguments."""
    return isinstance(expr, ast.FunctionCall) and not expr.arguments and expr.name.expanded == (FN, local)


def argument_of(expr: ast.Node, local: str) -> ast.Expr | None:
    """The only argument of a call of a function; None for anything else."""
    match expr:
        case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, local):
            return argument
    return None
