"""FluX loops that bind nodes in memory and return values, as the FLWOR expressions that they came from."""

from __future__ import annotations

from xylem.plan.flux import Copy, Flux, For, If, Leaf
from xylem.syntax import ast

from .steps import path_expression


def loop_expression(loop: For) -> ast.Flwor | None:
    """A loop as an expression; None if it writes several things, or binds windows."""
    clauses: list[ast.Clause] = []
    body: Flux = loop
    while not isinstance(body, (Leaf, Copy)):
        if isinstance(body, For) and body.window is None and not body.outermost:
            path = path_expression(body.source, body.path)
            position = None if body.position is None else ast.Name(body.position, None, "")
            clauses.append(ast.ForClause(ast.Name(body.variable, None, ""), None, path, position))
            condition = body.where
        elif isinstance(body, If):
            condition = body.condition
        else:
            return None
        if condition is not None:
            clauses.append(ast.WhereClause(condition, span=condition.span))
        body = body.body
    if isinstance(body, Copy):
        result = path_expression(body.variable, body.path)
    elif body.inside or body.is_global:
        return None
    else:
        result = body.expression
    return ast.Flwor(tuple(clauses), result, span=result.span)
