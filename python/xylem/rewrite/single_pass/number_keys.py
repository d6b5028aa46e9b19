"""Compute windows by key over a document in one pass, and sort their results by key at the end.

    for $k in distinct-values(/s/t/@k)                   for $held in (
    for tumbling window $w in /s/t[@k = $k] …     →        for $k at $n in distinct-values(/s/t/@k)
    return R                                               for tumbling window $w in /s/t[@k = $k] … return [$n, R])
                                                         order by $held?1 return $held?2

Gain:   one pass forms the windows of all keys: it keeps open windows and results, never all items.
Needs:  a path of the input; after the windows no `order by`, `count` or `group by`, which would apply to all tuples.
Safe:   keys come in the order of their first items, as distinct values and groups do; the results of one key stay in
        their order.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.event_order_call import event_order_call
from xylem.analysis.keyed_input import KeyedInput, keyed_at
from xylem.syntax import ast

from ..input_reads import reads_input
from ..query_rule import QueryFacts, QueryRule

_BY_TUPLE = (ast.ForClause, ast.LetClause, ast.WhereClause)


class NumberKeys(QueryRule):
    name = "number_keys"
    told = "windows of all keys are formed in one pass"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        if facts.has_collation:
            return body

        def at(node: ast.Node) -> ast.Node | None:
            return _numbered(node, facts) if isinstance(node, ast.Flwor) else None

        return replaced(body, at)


def _numbered(loop: ast.Flwor, facts: QueryFacts) -> ast.Expr | None:
    head = next((place for place, one in enumerate(loop.clauses) if not isinstance(one, ast.LetClause)), None)
    keyed = None if head is None else keyed_at(loop.clauses, head, loop.result)
    if head is None or keyed is None or keyed.number is not None or not reads_input(keyed.collection):
        return None
    if event_order_call(keyed.collection) is not None:
        return None
    behind = head + keyed.length
    if not all(isinstance(clause, _BY_TUPLE) for clause in loop.clauses[behind:]):
        return None
    number, held = facts.fresh("number"), facts.fresh("held")
    own = _with_number(loop.clauses[head:behind], keyed, number.name)
    pair = ast.SquareArray((number, loop.result), span=loop.result.span)
    inner = replace(loop, clauses=(*own, *loop.clauses[behind:]), result=pair)
    order = ast.OrderSpec(_member(held, 1), span=loop.span)
    clauses = (
        *loop.clauses[:head],
        ast.ForClause(held.name, None, inner, span=loop.span),
        ast.OrderByClause((order,), stable=True, span=loop.span),
    )
    return replace(loop, clauses=clauses, result=_member(held, 2))


def _with_number(clauses: tuple[ast.Clause, ...], keyed: KeyedInput, number: ast.Name) -> tuple[ast.Clause, ...]:
    first, *others, window = clauses
    assert isinstance(first, ast.ForClause)
    if keyed.item is None:
        return (replace(first, position=number), *others, window)
    return (first, *others, ast.CountClause(number, span=first.span), window)


def _member(array: ast.Expr, place: int) -> ast.Expr:
    return ast.Lookup(array, ast.IntegerLiteral(place), span=array.span)
