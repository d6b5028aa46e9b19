"""Joins in what a stream evaluates over the part of the input that it keeps: what stands beside an item is looked up.

A loop inside another that reads nothing of it chooses the same items at each turn: it is evaluated once.

The plan of the scan is made without them: what must be kept is the same, however it is found again.
"""

from __future__ import annotations

from xylem.analysis.free_variables import free_in
from xylem.plan.flux import For
from xylem.rewrite.joins.surroundings import Surroundings
from xylem.syntax import ast

from ..python.code import Shape
from ..python.compiler import Compiler
from .loop_expressions import loop_expression


def with_leaf_joins(c: Compiler, expr: ast.Expr) -> ast.Expr:
    """An expression over kept nodes, with its lookups."""
    if not c.functions.may_join(expr):
        return expr
    items = {name: one.loops for name, one in c.scope.variables.items() if one.code.shape is Shape.ONE}
    outer = (name for name, loops in items.items() if not loops)
    inner = (name for name, loops in items.items() if loops)
    joined: ast.Expr = c.functions.joins.of_leaf(expr, Surroundings.of_loops(outer, inner))
    if joined is not expr:
        c.writer.planned[expr] = joined
    return joined


def shared_loop(c: Compiler, loop: For) -> ast.Expr | None:
    """A loop over kept nodes as an expression that is evaluated once for all turns of the loops around it."""
    around = {name for name, variable in c.scope.variables.items() if variable.loops}
    whole = loop_expression(loop) if around else None
    if whole is None or free_in(whole) & around:
        return None
    made = with_leaf_joins(c, whole)
    return made if isinstance(made, ast.Shared) else None
