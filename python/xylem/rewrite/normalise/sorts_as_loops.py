"""Write every sort as `order by`, and a limit on its tuples as `subsequence`.

    sort(E, (), function($x) { K })             →   for $x in E order by K return $x
    for $x in E order by K count $n             →   for $x in subsequence(for $x in E order by K return $x, 1, 3)
    where $n <= 3 return R                          return R

Gain:   a sort keeps only the first items if the query reads no others, on a stream and in tasks.
Needs:  for sort(), keys of at most one value, of a known type (`limited_sorts.py`). For `count`, one `for`, and after
        the order only its variable is read; the number occurs in one comparison and nowhere else.
Safe:   `order by` is stable here, like sort(). `count` numbers tuples in their order.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.first_items import first_items
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..limited_sorts import sorting_loop
from ..query_rule import QueryFacts, QueryRule
from ..substitution import Substitution

_BEFORE = (ast.LetClause, ast.WhereClause, ast.OrderByClause)
_ASKED = (ast.FunctionCall, ast.Flwor)


class SortsAsLoops(QueryRule):
    name = "sorts_as_loops"
    told = "sorts are written as `order by`"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        def at(node: ast.Node) -> ast.Node | None:
            made: ast.Expr | None = None
            match node:
                case ast.FunctionCall():
                    made = None if facts.has_collation else sorting_loop(node)
                case ast.Flwor():
                    made = _counted(node)
            return None if made is None else replaced(made, lambda inner: None if inner is made else at(inner), _ASKED)

        return replaced(body, at, _ASKED)


def _counted(loop: ast.Flwor) -> ast.Flwor | None:
    """The loop limited to its first tuples, if a `count` after the order limits their number."""
    at = next((number for number, clause in enumerate(loop.clauses) if isinstance(clause, ast.CountClause)), None)
    if at is None or at + 1 == len(loop.clauses) or not isinstance(loop.clauses[at - 1], ast.OrderByClause):
        return None
    first, counting, test = loop.clauses[0], loop.clauses[at], loop.clauses[at + 1]
    assert isinstance(counting, ast.CountClause)
    if not isinstance(first, ast.ForClause) or not isinstance(test, ast.WhereClause):
        return None
    before, behind = loop.clauses[:at], ast.Flwor(loop.clauses[at + 2 :], loop.result, span=loop.span)
    if not all(isinstance(clause, _BEFORE) for clause in before[1:]) or first.position is not None:
        return None
    bound = {clause.name.expanded for clause in before if isinstance(clause, ast.LetClause)}
    if free_in(behind) & (bound | {counting.name.expanded}) or first.name.expanded in bound:
        return None
    most = _most(test.test, counting.name)
    if most is None:
        return None
    own = ast.VarRef(first.name, span=first.span)
    one, number = ast.IntegerLiteral(1), ast.IntegerLiteral(most)
    tuples = ast.Flwor(before, own, span=loop.span)
    taken = ast.FunctionCall(ast.Name("subsequence", "fn", FN), (tuples, one, number), span=loop.span)
    return replace(behind, clauses=(ast.ForClause(first.name, None, taken, span=first.span), *behind.clauses))


def _most(test: ast.Expr, number: ast.Name) -> int | None:
    """The number of first tuples that pass a test of their number, if no later tuple passes it."""
    position = ast.FunctionCall(ast.Name("position", "fn", FN), ())
    found = first_items(ast.Filter(ast.ContextItem(), Substitution({number.expanded: position}).apply(test)))
    return found.count if found is not None and found.around is None and found.count > 0 else None
