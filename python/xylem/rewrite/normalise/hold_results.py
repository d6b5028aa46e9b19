"""For a sort of windows, keep their keys and results instead of the windows.

    for tumbling window $w in E … order by K($w)     →    for $held in (for tumbling window $w in E … return [K($w), R])
    return R                                              order by $held?1 return $held?2

Gain:   until the last window has come, the sort keeps the results of windows, not their items.
Needs:  windows, then only bindings and conditions before the order, and no clause after it.
Safe:   keys and results stay the same; the order is stable.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.syntax import ast

from ..query_rule import QueryFacts, QueryRule

_WINDOWS = (ast.WindowClause, ast.ForseqClause)
_BEFORE = (ast.LetClause, ast.WhereClause)


class HoldResults(QueryRule):
    name = "hold_results"
    told = "of windows that are sorted, results are held"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        return replaced(body, lambda node: _held(node, facts) if isinstance(node, ast.Flwor) else None, (ast.Flwor,))


def _held(loop: ast.Flwor, facts: QueryFacts) -> ast.Expr | None:
    *before, order = loop.clauses
    if not isinstance(order, ast.OrderByClause):
        return None
    windows = [clause for clause in before if isinstance(clause, _WINDOWS)]
    if len(windows) != 1 or not all(isinstance(clause, (*_WINDOWS, *_BEFORE)) for clause in before):
        return None
    if isinstance(loop.result, ast.VarRef) and loop.result.name.expanded == windows[0].name.expanded:
        # The windows are the results.
        return None
    held = facts.fresh("held")
    keys = [spec.key for spec in order.specs]
    row = ast.SquareArray((*keys, loop.result), span=loop.result.span)
    inner = replace(loop, clauses=tuple(before), result=row)
    specs = tuple(replace(spec, key=_member(held, place + 1)) for place, spec in enumerate(order.specs))
    clauses = (ast.ForClause(held.name, None, inner, span=windows[0].span), replace(order, specs=specs))
    return replace(loop, clauses=clauses, result=_member(held, len(keys) + 1))


def _member(array: ast.Expr, place: int) -> ast.Expr:
    return ast.Lookup(array, ast.IntegerLiteral(place), span=array.span)
