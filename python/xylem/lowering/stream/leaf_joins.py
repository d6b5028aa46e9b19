"""Joins in what a stream evaluates over the part of the input that it keeps: what stands beside an item is looked up.

The plan of the scan is made without them: what must be kept is the same, however it is found again.
"""

from __future__ import annotations

from xylem.syntax import ast

from ..python.code import Shape
from ..python.compiler import Compiler


def with_leaf_joins(c: Compiler, expr: ast.Expr) -> ast.Expr:
    """An expression over what is kept, with its look-ups."""
    if not c.functions.may_join(expr):
        return expr
    items = (name for name, variable in c.scope.variables.items() if variable.code.shape is Shape.ONE)
    joined: ast.Expr = c.functions.joins.of_leaf(expr, items)
    return joined
