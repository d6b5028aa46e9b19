"""Turn a predicate on the parent or on ancestors into a step.

    $ROOT//a[parent::b]     →     $ROOT//b/a
    $ROOT//a[ancestor::b]   →     $ROOT//b//a
    π/b/a[../@id = "x"]     →     π/b[@id = "x"]/a

Gain:   the test is made where the element it is about is open, before anything below it has passed.
Needs:  the predicate comes first, so that none before it counts; `parent::b` and `ancestor::b` without predicates that
        count; in the last form every path of the predicate begins with `..`, and it asks for no position.
Safe:   a node has one parent; a path selects each node once, in document order.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.focus import uses_position
from xylem.analysis.streamable_paths import is_element_test
from xylem.syntax import ast

from .step_lists import StepList, has_only_tests, is_document, with_predicates


def forward_predicate(path: StepList) -> StepList | None:
    """The path with one such predicate less; None where there is none, or it cannot go."""
    for index, step in enumerate(path.steps):
        if step.predicates and step.axis in ("child", "descendant"):
            made = _moved(path, index, step)
            if made is not None:
                return made
    return None


def _moved(path: StepList, index: int, step: ast.AxisStep) -> StepList | None:
    first, rest = step.predicates[0], step.predicates[1:]
    plain = replace(step, predicates=rest)
    before, after = path.steps[:index], path.steps[index + 1 :]
    if isinstance(first, ast.AxisStep) and is_element_test(first.test) and has_only_tests(first):
        if not before and is_document(path.start) and step.axis == "descendant":
            if first.axis == "parent":
                above = replace(first, axis="descendant")
                return StepList(path.start, (above, replace(plain, axis="child"), *after))
            if first.axis == "ancestor":
                return StepList(path.start, (replace(first, axis="descendant"), plain, *after))
        return None
    if before and step.axis == "child" and before[-1].axis in ("child", "descendant") and has_only_tests(step):
        lifted = _lifted(first)
        if lifted is not None:
            return StepList(path.start, (*before[:-1], with_predicates(before[-1], [lifted]), plain, *after))
    return None


def _lifted(predicate: ast.Expr) -> ast.Expr | None:
    """The predicate as one of the parent: `..` taken from the start of each of its paths."""
    match predicate:
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            one, other = _lifted(left), _lifted(right)
            return None if one is None or other is None else replace(predicate, left=one, right=other)
        case ast.GeneralComparison(left=left, right=right):
            one = left if _is_constant(left) else _from_parent(left)
            other = right if _is_constant(right) else _from_parent(right)
            return None if one is None or other is None else replace(predicate, left=one, right=other)
    return None if uses_position(predicate) else _from_parent(predicate)


def _is_constant(expr: ast.Expr) -> bool:
    return isinstance(expr, LITERALS)


def _from_parent(expr: ast.Expr) -> ast.Expr | None:
    """../π → π"""
    if not isinstance(expr, ast.Path) or not isinstance(expr.right, ast.AxisStep):
        return None
    if expr.left == ast.AxisStep("parent", ast.AnyKindTest()):
        return expr.right
    left = _from_parent(expr.left)
    return None if left is None else replace(expr, left=left)
