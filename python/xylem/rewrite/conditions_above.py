"""Tests of a node's ancestors become conditions of the loop over a path.

    $ROOT//a[not(ancestor::b/@id = "x")]        →     for $x in $ROOT//a where not($x/ancestor::b/@id = "x")
    $ROOT//a[count(ancestor::*) = 3]/t          →     for $x in $ROOT//a/t where exists($x/..[count(ancestor::*) = 3])

Gain:   the ancestors of an element are open when it starts, with names and attributes, so its start tag decides the
        condition.
Needs:  every step after the tested one goes to child elements, so that the same number of parent steps leads back.
Safe:   a path selects the nodes whose ancestors on the path pass the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from xylem.analysis.streamable_paths import StreamablePath, is_counting, is_element_test
from xylem.functions.registry import FN
from xylem.syntax import ast

from .substitution import FocusInTheWay, Substitution


class Conditioned(NamedTuple):
    """A path without the tests of ancestors, and the equivalent conditions on its nodes."""

    path: StreamablePath
    conditions: tuple[ast.Expr, ...]


def with_conditions_above(
    path: StreamablePath, node: ast.VarRef, is_local: Callable[[ast.Expr], bool]
) -> Conditioned | None:
    """The path with non-local tests as conditions on `node`; None if that is impossible."""
    steps: list[ast.AxisStep] = []
    conditions: list[ast.Expr] = []
    for index, step in enumerate(path.steps):
        kept = [test for test in step.predicates if is_counting(test) or is_local(test)]
        moved = [test for test in step.predicates if not (is_counting(test) or is_local(test))]
        later = path.steps[index + 1 :]
        if moved and not all(one.axis == "child" and is_element_test(one.test) for one in later):
            return None
        if moved and not is_element_test(step.test):
            return None
        try:
            conditions += [_condition(test, node, len(later)) for test in moved]
        except FocusInTheWay:
            return None
        steps.append(replace(step, predicates=tuple(kept)))
    return Conditioned(path._replace(steps=tuple(steps)), tuple(conditions))


def _condition(test: ast.Expr, node: ast.VarRef, steps_up: int) -> ast.Expr:
    if not steps_up:
        return Substitution({}, node).apply(test)
    made: ast.Expr = node
    for number in range(steps_up):
        tests = (test,) if number == steps_up - 1 else ()
        made = ast.Path(made, ast.AxisStep("parent", ast.AnyKindTest(), tests, span=test.span), span=test.span)
    return ast.FunctionCall(ast.Name("exists", "fn", FN), (made,), span=test.span)
