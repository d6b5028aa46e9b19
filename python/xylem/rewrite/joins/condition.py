"""A condition of a query that an index may answer."""

from __future__ import annotations

from typing import NamedTuple

from xylem.syntax import ast


class Condition(NamedTuple):
    """A comparison seen from one side: `own op other`, or with `negated` its opposite."""

    own: ast.Expr
    op: str
    other: ast.Expr
    negated: bool
    whole: ast.Expr
    """The query's expression that it stands for."""
    is_implied: bool = False
    """Whether it is only implied by that expression, which must still be tested."""
