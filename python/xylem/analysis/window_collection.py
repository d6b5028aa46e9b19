"""The input of a window clause of any kind: XQuery's own, `forseq`, or a data window."""

from __future__ import annotations

from dataclasses import replace

from xylem.syntax import ast


def window_collection(clause: ast.Clause) -> ast.Expr | None:
    """The sequence over which a clause forms windows; None for other clauses."""
    match clause:
        case ast.WindowClause(collection=collection) | ast.ForseqClause(collection=collection):
            return collection
        case ast.ForClause(collection=ast.DataWindow(base=base)):
            return base
    return None


def with_collection(clause: ast.Clause, items: ast.Expr) -> ast.Clause:
    """The same windows over other items."""
    if isinstance(clause, ast.ForClause):
        assert isinstance(clause.collection, ast.DataWindow)
        return replace(clause, collection=replace(clause.collection, base=items))
    assert isinstance(clause, (ast.WindowClause, ast.ForseqClause))
    return replace(clause, collection=items)
