"""Plan every window clause of a FLWOR expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xylem.analysis.bound_names import read_variables
from xylem.analysis.keyed_input import KeyedInput, keyed_at
from xylem.plan.flux import ITEMS
from xylem.plan.window_plan import WindowPartition, WindowPlan, window_plan
from xylem.syntax import ast
from xylem.syntax.ast.node import ast_node

from .rule import WindowFacts, WindowPlace, WindowRule
from .rules import RULES

Observer = Callable[[WindowRule, WindowPlace, WindowPlace], None]


def _silent(rule: WindowRule, before: WindowPlace, after: WindowPlace) -> None:
    """Observe nothing."""


def plan_windows(flwor: ast.Flwor, facts: WindowFacts, observe: Observer = _silent) -> ast.Flwor:
    """The expression with a `WindowPlan` for each window clause; the very same object if it has none."""
    clauses, result = flwor.clauses, flwor.result
    for index in range(len(clauses)):
        clause = clauses[index]
        keyed = keyed_at(clauses, index, result)
        if keyed is not None and (_is_fed(keyed.collection) or _is_infinite(keyed.collection, clauses[:index], facts)):
            # If items arrive one by one, the loop over keys and the windows of each form one pass.
            return plan_windows(replace(flwor, clauses=_partitioned(clauses, index, keyed)), facts, observe)
        window = clause.unplanned if isinstance(clause, UnplannedPartition) else window_plan(clause)
        if window is None:
            continue
        place = WindowPlace(window, clauses[index + 1 :], result, clauses[:index])
        if window.kind:
            place = _ruled(place, facts, observe)
        clauses = (*clauses[:index], place.window, *place.rest)
        result = place.result
        if len(clauses) != len(flwor.clauses):
            # A rule removed a clause: the rest is planned separately.
            return plan_windows(replace(flwor, clauses=clauses, result=result), facts, observe)
    if clauses is flwor.clauses:
        return flwor
    return replace(flwor, clauses=clauses, result=result)


def _is_fed(collection: ast.Expr) -> bool:
    return isinstance(collection, ast.VarRef) and collection.name.expanded == ITEMS.expanded


def _is_infinite(collection: ast.Expr, before: tuple[ast.Clause, ...], facts: WindowFacts) -> bool:
    """Whether keyed windows may range over infinite input: a variable of a `let` before them counts as its value."""
    if facts.is_infinite(collection):
        return True
    named = read_variables(collection)
    for place in reversed(range(len(before))):
        let = before[place]
        if isinstance(let, ast.LetClause) and let.name.expanded in named:
            return _is_infinite(let.value, before[:place], facts)
    return False


@ast_node
class UnplannedPartition(ast.Clause):
    """Windows by key that no rule has looked at yet."""

    unplanned: WindowPlan


def _partitioned(clauses: tuple[ast.Clause, ...], index: int, keyed: KeyedInput) -> tuple[ast.Clause, ...]:
    last = index + keyed.length - 1
    inner = window_plan(clauses[last])
    assert inner is not None
    partition = WindowPartition(
        keyed.name, keyed.key, keyed.item, keyed.keeps_empty, keyed.number, keyed.may_have_several
    )
    window = replace(inner, collection=keyed.collection, partition=partition)
    return (*clauses[:index], UnplannedPartition(window, span=inner.span), *clauses[last + 1 :])


def _ruled(place: WindowPlace, facts: WindowFacts, observe: Observer) -> WindowPlace:
    for rule in RULES:
        if rule.name in facts.without:
            continue
        made = rule.apply(place, facts)
        if made is not place:
            observe(rule, place, made)
            place = made
    return place
