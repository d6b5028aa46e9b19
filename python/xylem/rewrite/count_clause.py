"""Replace a `count` clause by the position variable of the loop before it.

    for $x in π let $y := σ($x) where χ count $n return β
    →   for $x at $n in π[χ] return β                              with σ($x) for $y in χ and β

Gain:   items are numbered as they pass; a `count` clause would need all tuples at once.
Needs:  one `for` without a position, then only `let` with values that are free to recompute, and `where` whose
        conditions fit in a predicate.
Safe:   `count` numbers the tuples that passed `where`, as the position variable numbers the items that pass the
        predicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from xylem.analysis.streamable_paths import is_test
from xylem.syntax import ast

from .focus_conditions import of_focus
from .let_values import is_cheap
from .substitution import FocusInTheWay, Substitution


def count_by_position(
    clause: ast.ForClause, rest: Sequence[ast.Clause], result: ast.Expr
) -> tuple[tuple[ast.Clause, ...], ast.Expr] | None:
    """The clauses from this one on, and the result, without the first `count`; None if that is impossible."""
    if clause.position is not None or clause.type is not None or clause.allowing_empty:
        return None
    if not isinstance(clause.collection, ast.Path) or not isinstance(clause.collection.right, ast.AxisStep):
        # Only nodes have paths in a predicate.
        return None
    values: dict[tuple[str, str], ast.Expr] = {}
    tests: list[ast.Expr] = []
    for index, other in enumerate(rest):
        known = Substitution(values)
        match other:
            case ast.LetClause(type=None, name=name, value=value) if is_cheap(value):
                values[name.expanded] = known.apply(value)
            case ast.WhereClause(test=test):
                tests.append(known.apply(test))
            case ast.CountClause(name=name):
                collection = _filtered(clause, tests)
                if collection is None:
                    return None
                made = replace(clause, collection=collection, position=name)
                whole = Substitution(values).apply(ast.Flwor((made, *rest[index + 1 :]), result))
                return whole.clauses, whole.result
            case _:
                return None
    return None


def _filtered(clause: ast.ForClause, tests: list[ast.Expr]) -> ast.Expr | None:
    if not tests:
        return clause.collection
    try:
        predicate = of_focus(reduce(ast.And, tests), clause.name.local)
    except FocusInTheWay:
        return None
    if clause.name.uri or not is_test(predicate):
        return None
    return ast.Filter(clause.collection, predicate, span=clause.collection.span)
