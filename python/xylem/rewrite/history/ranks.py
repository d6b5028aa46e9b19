"""Tuples that are numbered after an `order by`, as windows of one item each.

    for $x in E where C order by K       for tumbling window $w in (for $x in E where C order by K return $x)
    count $n                        →    start $x at $n when true() end when true()
    where $n <= 3 return R               where $n <= 3 return R

Windows know which of them to form again when an item is added, removed or moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xylem.functions.registry import FN
from xylem.syntax import ast

from .input_paths import NAMESPACE

__all__ = ["ranked"]


def ranked(
    clauses: Sequence[ast.Clause], fresh: Callable[[], int]
) -> tuple[ast.WindowClause, Sequence[ast.Clause]] | None:
    """The windows, and the clauses after them; None if nothing is numbered this way, or more variables are needed."""
    at = next((i for i, clause in enumerate(clauses) if isinstance(clause, ast.OrderByClause)), 0)
    if not at or at + 1 >= len(clauses) or not isinstance(counted := clauses[at + 1], ast.CountClause):
        return None
    first, *between = clauses[:at]
    if not isinstance(first, ast.ForClause) or first.position is not None or first.allowing_empty:
        return None
    if not all(isinstance(one, (ast.LetClause, ast.WhereClause)) for one in between):
        return None
    span = counted.span
    items = ast.Flwor(tuple(clauses[: at + 1]), ast.VarRef(first.name, span=span), span=span)
    always = ast.FunctionCall(ast.Name("true", "fn", FN), (), span=span)
    window = ast.WindowClause(
        "tumbling",
        ast.Name(f"rank{fresh()}", None, NAMESPACE),
        None,
        items,
        ast.WindowCondition(ast.WindowVariables(first.name, counted.name), always),
        ast.WindowCondition(ast.WindowVariables(), always),
        span=span,
    )
    # Values computed from an item are recomputed.
    lets = [one for one in between if isinstance(one, ast.LetClause)]
    return window, [*lets, *clauses[at + 2 :]]
