"""Plan every window clause of a FLWOR expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xylem.plan.window_plan import window_plan
from xylem.syntax import ast

from .rule import WindowFacts, WindowPlace, WindowRule
from .rules import RULES

Observer = Callable[[WindowRule, WindowPlace, WindowPlace], None]


def _silent(rule: WindowRule, before: WindowPlace, after: WindowPlace) -> None:
    """Observe nothing."""


def plan_windows(flwor: ast.Flwor, facts: WindowFacts, observe: Observer = _silent) -> ast.Flwor:
    """The expression with a `WindowPlan` for each window clause; the very same one where it has none."""
    clauses, result = flwor.clauses, flwor.result
    for index in range(len(clauses)):
        window = window_plan(clauses[index])
        if window is None:
            continue
        place = WindowPlace(window, clauses[index + 1 :], result, clauses[:index])
        if window.kind:
            place = _ruled(place, facts, observe)
        clauses = (*clauses[:index], place.window, *place.rest)
        result = place.result
        if len(clauses) != len(flwor.clauses):
            # A rule took a clause away: what is left is planned by itself.
            return plan_windows(replace(flwor, clauses=clauses, result=result), facts, observe)
    if clauses is flwor.clauses:
        return flwor
    return replace(flwor, clauses=clauses, result=result)


def _ruled(place: WindowPlace, facts: WindowFacts, observe: Observer) -> WindowPlace:
    for rule in RULES:
        if rule.name in facts.without:
            continue
        made = rule.apply(place, facts)
        if made is not place:
            observe(rule, place, made)
            place = made
    return place
