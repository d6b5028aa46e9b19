"""Compute an outer join of its first loop separately for each item of that loop.

        for $r in R  for $s in S                          for $r in R  for $r in $r  for $s in S
        where $r left outer bestmatch join $s …    →      where $r left outer bestmatch join $s …

Gain:   R may be a stream, even an endless one: the join finds the partners of an item when the item arrives.
Needs:  the join finds the best partners of each item of its first loop.
Safe:   tuples that agree on the loops before those of the join form one join, and pairs of different items of R do
        not compete with each other. The order of tuples is that of R, then that of S.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.facts.best_match_loops import joins_each
from xylem.syntax import ast


def one_at_a_time(clauses: Sequence[ast.Clause]) -> tuple[ast.ForClause, list[ast.Clause]] | None:
    """The first loop of such a join, at the beginning of the clauses, and the join for each of its items; or None."""
    first = clauses[0]
    if not isinstance(first, ast.ForClause) or not joins_each(clauses, 0):
        return None
    inner = replace(first, collection=ast.VarRef(first.name, span=first.span), position=None, type=None)
    return first, [inner, *clauses[1:]]
