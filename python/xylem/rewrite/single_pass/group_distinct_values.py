"""Turn loops over distinct values into groups that keep only keys and aggregates.

    for $y in distinct-values(/bib/book/year)           for $b in /bib/book for $y in distinct-values($b/year)
    return <y>{ count(/bib/book[year = $y]) }</y>   →   group by $y return <y>{ count($b) }</y>

Gain:   the input is read once, and the state grows with the number of values, not with the number of items.
Needs:  the conditions of `rewrite/distinct_groups.py`; also items that cannot nest, or values that are attributes of
        the items; and a `group by` that becomes a fold (`fold_groups.py`).
Safe:   for the reasons given in `rewrite/distinct_groups.py`.
"""

from __future__ import annotations

from xylem.analysis.ast_replacement import replaced
from xylem.syntax import ast

from ..distinct_groups import LIES_INSIDE, distinct_groups
from ..query_rule import QueryFacts, QueryRule
from .fold_groups import is_folded


class GroupDistinctValues(QueryRule):
    name = "group_distinct_values"
    told = "a loop over distinct values is a group by"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        if facts.has_collation:
            return body

        def by(node: ast.Node) -> ast.Node | None:
            if not isinstance(node, ast.Flwor) or not isinstance(node.clauses[0], ast.ForClause):
                return None
            made = distinct_groups(node, _may_nest)
            return made if made is not None and not _looks_around(made) and is_folded(made, facts) else None

        return replaced(body, by, (ast.Flwor,))


def _looks_around(loop: ast.Flwor) -> bool:
    """Whether the data decides that items do not nest, which only tasks check."""
    return any(isinstance(clause, ast.LetClause) and clause.name == LIES_INSIDE for clause in loop.clauses)


def _may_nest(items: ast.Expr) -> bool:
    """Whether items may be nested; those of a path of child steps never are."""
    return any(isinstance(node, ast.AxisStep) and node.axis.startswith("descendant") for node in items.walk())
