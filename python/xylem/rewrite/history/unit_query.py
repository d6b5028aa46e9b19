"""The result of a loop for one unit, as a query over the unit as a document: `for $q in /* return …`.

    for $q in stream("tickers")//ticker where $q/quote > 150 return <hot>{ $q/name }</hot>
        →   for $q in /* where $q/quote > 150 return <hot>{ $q/name }</hot>

Gain:   a scan answers the document of a unit by a template, and no code runs (`run/history/text_runs.py`).
Needs:  the only loop of a query, whose result for a unit depends only on that unit: no versions, other loops, positions
        or order; it constructs elements, or its results are counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.plan import history as plan
from xylem.syntax import ast

__all__ = ["COUNTS", "only_loop", "unit_query"]

COUNTS = frozenset(("count", "exists", "empty"))


def unit_query(described: plan.HistoryPlan, functions: Sequence[ast.InlineFunction]) -> ast.Expr | None:
    """The query; None if a unit cannot be answered on its own."""
    if described.whole or described.kept or len(described.sources) != 1:
        return None
    found = only_loop(described.root)
    if found is None:
        return None
    loop, fold = found
    source = loop.source
    if loop.holes or loop.lookups or loop.timelines or loop.siblings or loop.is_numbered or loop.windows:
        return None
    if loop.group or loop.columns or loop.by_time or source.projection or source.looks_back or source.function:
        return None
    if source.condition is not None or (loop.template is None if fold is None else fold not in COUNTS):
        return None
    function = functions[loop.function]
    clauses = function.body.clauses if isinstance(function.body, ast.Flwor) else ()
    if fold is None and any(not isinstance(clause, (ast.LetClause, ast.WhereClause)) for clause in clauses):
        return None
    (parameter,) = function.parameters
    root_element = ast.Path(ast.Root(), ast.AxisStep("child", ast.Wildcard(), ()))
    clause = ast.ForClause(parameter.name, None, root_element, None, span=function.span)
    return ast.Flwor((clause,), function.body, span=function.span)


def only_loop(operator: plan.Operator) -> tuple[plan.Loop, str | None] | None:
    """The loop of a query with only one loop, bare or inside elements, and the function that folds it."""
    match operator:
        case plan.Loop():
            return operator, None
        case plan.Fold(loop=loop, name=name):
            return loop, name
        case plan.Constructor(parts=parts) | plan.Sequence(parts=parts):
            found = [only_loop(part) for part in parts if not isinstance(part, plan.Text)]
            return found[0] if len(found) == 1 else None
    return None
