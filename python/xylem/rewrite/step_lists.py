"""Paths as lists of steps, the form that rules read: `$x//a/b` is ($x, [descendant::a, child::b])."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.plan.flux import ROOT
from xylem.syntax import ast


class StepList(NamedTuple):
    """The start of a path, and its steps; `//` before a step without positions is its descendant axis."""

    start: ast.Expr
    steps: tuple[ast.AxisStep, ...]

    def path(self) -> ast.Expr:
        """The path as an expression."""
        made = self.start
        for step in self.steps:
            made = ast.Path(made, step, span=step.span)
        return made


def step_list(expr: ast.Expr) -> StepList | None:
    """The steps of a path; None if it has other parts than steps, or a `//` that cannot be removed."""
    parts: list[ast.AxisStep] = []
    while isinstance(expr, ast.Path):
        if not isinstance(expr.right, ast.AxisStep):
            return None
        parts.append(expr.right)
        expr = expr.left
    steps: list[ast.AxisStep] = []
    descends = False
    for part in reversed(parts):
        if is_descend(part):
            descends = True
        elif not descends:
            steps.append(part)
        elif part.axis == "child" and has_only_tests(part):
            steps.append(replace(part, axis="descendant"))
            descends = False
        else:
            return None
    return None if descends else StepList(expr, tuple(steps))


def has_only_tests(step: ast.AxisStep) -> bool:
    """Whether no predicate counts."""
    return all(map(is_test, step.predicates))


def with_predicates(step: ast.AxisStep, predicates: Sequence[ast.Expr]) -> ast.AxisStep:
    """The step with further predicates after its own."""
    return replace(step, predicates=(*step.predicates, *predicates)) if predicates else step


def relative(steps: Sequence[ast.AxisStep]) -> ast.Expr:
    """The steps as a path from the context item."""
    made: ast.Expr = steps[0]
    for step in steps[1:]:
        made = ast.Path(made, step, span=step.span)
    return made


def is_document(expr: ast.Expr) -> bool:
    """$ROOT."""
    return isinstance(expr, ast.VarRef) and expr.name.expanded == ("", ROOT)


def local_name(step: ast.AxisStep) -> tuple[str, str] | None:
    """The name that a step selects, if it is a single name."""
    if isinstance(step.test, ast.NameTest):
        return step.test.name.expanded
    if isinstance(step.test, ast.ElementTest) and step.test.name is not None and step.test.type is None:
        return step.test.name.expanded
    return None
