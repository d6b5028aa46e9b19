"""Apply the rules to a query one after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xylem.syntax import ast

from ..query_rule import Change, apply_rules
from .rules import RULES


def make_one_pass(
    body: ast.Expr, prolog: Sequence[ast.Declaration], without: Collection[str] = ()
) -> tuple[ast.Expr, tuple[Change, ...]]:
    """The body of a query in normal form after all rules except those in `without`, and the changes made."""
    return apply_rules(RULES, body, prolog, without)
