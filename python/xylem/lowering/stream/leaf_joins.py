"""Joins in expressions over the buffered part of a stream: related items are looked up.

A loop inside another that reads nothing of it chooses the same items at each turn: it is evaluated once.

The plan of the scan is made without them: lookups do not change what must be kept.
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
    variables = c.scope.variables
    single = frozenset(name for name, one in variables.items() if one.code.shape is Shape.ONE)
    is_in_loop = {name: one.loops for name, one in variables.items()}
    around = Surroundings.of_loops(is_in_loop, single)
    is_found_again = around.depth > 1 and any(not is_in_loop.get(name, True) for name in free_in(expr) & single)
    if not is_found_again and not c.functions.may_join(expr):
        return expr
    joined: ast.Expr = c.functions.joins.of_leaf(expr, around)
    if joined is not expr:
        c.writer.planned[expr] = joined
    return joined


def joined_loop(c: Compiler, loop: For) -> ast.Expr | None:
    """A loop over kept nodes as an expression that looks its items up, or is evaluated once for all outer turns."""
    whole = loop_expression(loop)
    if whole is None:
        return None
    made = with_leaf_joins(c, whole)
    match made:
        case ast.Shared():
            return made
        case ast.Flwor(clauses=clauses) if any(map(_is_joined, clauses)):
            return made
    return None


def _is_joined(clause: ast.Clause) -> bool:
    """Whether a clause is a join, or ranges over a path that starts with joins or their union."""
    if not isinstance(clause, ast.ForClause):
        return isinstance(clause, ast.JoinClause)
    start = clause.collection
    while isinstance(start, ast.Path):
        start = start.left
    return isinstance(start, (ast.Flwor, ast.SetOperation)) and any(
        isinstance(node, ast.JoinClause) for node in start.walk()
    )
