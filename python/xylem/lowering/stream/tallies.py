"""Counts of filtered records that the scan can make.

        count(for $i in $ROOT/…/closed_auction where $i/price >= 40 return $i/price)
    →   closed_auction[price >= 40], of which the scan counts price

Gain:   no record leaves the scan.
Needs:  the query counts the record or the nodes at the end of a child path; all conditions compare values of the
        record with constants.
Safe:   if a value should be a number and is not, the query takes the record, and raises its error. That holds for
        fn:count only: fn:exists may be decided before the error.
"""

from __future__ import annotations

from dataclasses import dataclass

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.plan.result_template import Tally
from xylem.plan.scan_plan import StartTest, ValueTest
from xylem.syntax import ast

from .selection import Selection, of_variable
from .template_paths import NoTemplate, taken_by


@dataclass(frozen=True)
class Tallied:
    """All tests of a record, and the values counted of it."""

    tests: tuple[StartTest, ...]
    value_tests: tuple[ValueTest, ...]
    tally: Tally


def tally_of(taken: ast.Expr, item: str, selection: Selection) -> Tallied | None:
    """The count that the scan makes of the values taken from a record (the variable `item`); None if it cannot."""
    try:
        conditions, tally = _counted(taken, item)
        return _tallied(conditions, tally, selection)
    except NoTemplate:
        return None


def _tallied(conditions: list[tuple[ast.Expr, str]], tally: Tally, selection: Selection) -> Tallied:
    tests: list[StartTest] = []
    value_tests: list[ValueTest] = []
    for condition, variable in conditions:
        test = selection.test(condition, variable)
        value_test = selection.value_test(condition, variable) if test is None else None
        if test is not None:
            tests.append(test)
        elif value_test is not None:
            value_tests.append(value_test)
        else:
            raise NoTemplate
    return Tallied(tuple(sorted(tests, key=repr)), tuple(sorted(value_tests, key=repr)), tally)


def _counted(taken: ast.Expr, item: str) -> tuple[list[tuple[ast.Expr, str]], Tally]:
    """The conditions, each with its variable, and the counted values."""
    if not isinstance(taken, ast.Flwor):
        variable, conditions, bare = _unfiltered(taken)
        if variable != item:
            raise NoTemplate
        return [(condition, item) for condition in conditions], Tally(*taken_by(bare)[1])
    first, *others = taken.clauses
    if not isinstance(first, ast.ForClause) or first.type is not None:
        raise NoTemplate
    variable, conditions, bare = _unfiltered(first.collection)
    if variable != item or not isinstance(bare, ast.VarRef) or first.name.uri:
        raise NoTemplate
    found = [(condition, item) for condition in conditions]
    loop = first.name.local
    for clause in others:
        if not isinstance(clause, ast.WhereClause):
            raise NoTemplate
        found += [(condition, loop) for condition in conjuncts(clause.test)]
    variable, counted = taken_by(taken.result)
    if variable != loop:
        raise NoTemplate
    return found, Tally(*counted)


def _unfiltered(taken: ast.Expr) -> tuple[str, list[ast.Expr], ast.Expr]:
    """$item[p][q]/path as the variable, its conditions about the variable, and $item/path."""
    steps: list[ast.Path] = []
    while isinstance(taken, ast.Path):
        steps.append(taken)
        taken = taken.left
    predicates: list[ast.Expr] = []
    while isinstance(taken, ast.Filter):
        predicates += conjuncts(taken.predicate)
        taken = taken.base
    if not isinstance(taken, ast.VarRef) or taken.name.uri:
        raise NoTemplate
    variable = taken.name.local
    conditions = [of_variable(predicate, variable) for predicate in predicates]
    found = [condition for condition in conditions if condition is not None]
    if len(found) < len(conditions):
        raise NoTemplate
    bare: ast.Expr = taken
    for path in reversed(steps):
        bare = ast.Path(bare, path.right)
    return variable, found, bare
