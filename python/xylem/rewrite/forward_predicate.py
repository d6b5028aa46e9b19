"""Turn a test of the parent or of ancestors into a step.

    $ROOT//a[parent::b]                      →     $ROOT//b/a
    $ROOT//a[ancestor::b]                    →     $ROOT//b//a
    $ROOT//a[ancestor::b/@id = "x"]          →     $ROOT//b[@id = "x"]//a
    $ROOT//a[../m/year = "2020"]             →     $ROOT//*[m/year = "2020"]/a
    π/b/a[../@id = "x"]                      →     π/b[@id = "x"]/a

Gain:   the scan tests the parent or ancestor while it is open; until the test is decided, the buffer holds only the
        selected nodes below it.
Needs:  no positional predicate: each predicate tests one node, so the rule may split and reorder them. A test of
        ancestors asks whether one of them fulfils it. A test of the parent may read anything of the parent, but
        nothing of the element itself; if the parent may be the document, the test must fail for it.
Safe:   a node has one parent; a path selects each node once, in document order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.focus import reads_focus
from xylem.analysis.streamable_paths import is_element_test
from xylem.syntax import ast

from .lifted_test import Lifted, fails_for_document, lifted
from .step_lists import StepList, has_only_tests, is_document, local_name, relative, with_predicates


def forward_predicate(path: StepList) -> StepList | None:
    """The path with one of these tests removed; None if it has none, or if the test must stay."""
    for index, step in enumerate(path.steps):
        if step.predicates and step.axis in ("child", "descendant"):
            made = _first_moved(path, index, step)
            if made is not None:
                return made
    return None


def _first_moved(path: StepList, index: int, step: ast.AxisStep) -> StepList | None:
    if not has_only_tests(step):
        # A predicate before all that count positions may move.
        first, *rest = step.predicates
        return _moved(path, index, replace(step, predicates=tuple(rest)), first, counts=True)
    tests = [test for predicate in step.predicates for test in conjuncts(predicate)]
    for place, test in enumerate(tests):
        others = (*tests[:place], *tests[place + 1 :])
        made = _moved(path, index, replace(step, predicates=others), test, counts=False)
        if made is not None:
            return made
    return None


def _moved(path: StepList, index: int, plain: ast.AxisStep, test: ast.Expr, *, counts: bool) -> StepList | None:
    """The path with a test of its step moved up; `plain` is the step without it."""
    before, after = path.steps[:index], path.steps[index + 1 :]
    if not before and is_document(path.start) and plain.axis == "descendant":
        above = _ancestor_that(test, plain)
        if above is not None:
            return StepList(path.start, (above, plain, *after))
        up = lifted(test)
        if up is None or (counts and up.test is not None):
            return None
        if is_element_test(up.parent) or fails_for_document(up.test, plain):
            parent = ast.Wildcard() if isinstance(up.parent, ast.AnyKindTest) else up.parent
            bare = ast.AxisStep("descendant", parent, (), span=test.span)
            child = replace(plain, axis="child")
            if up.test is None:
                return StepList(path.start, (bare, child, *after))
            if lifted(up.test) is not None and _moved(path, 0, bare, up.test, counts=False) is None:
                # A test of every element costs more than before, unless it is only evaluated for parents.
                return None
            return StepList(path.start, (replace(bare, predicates=(up.test,)), child, *after))
        return None
    if not before or counts or plain.axis != "child" or before[-1].axis not in ("child", "descendant"):
        return None
    up = lifted(test)
    parent_step = None if up is None else _with_test(before[-1], up)
    return None if parent_step is None else StepList(path.start, (*before[:-1], parent_step, plain, *after))


def _with_test(step: ast.AxisStep, up: Lifted) -> ast.AxisStep | None:
    """The step to the parent with the tests on it."""
    tests = [] if up.test is None else [up.test]
    if isinstance(up.parent, ast.AnyKindTest) or up.parent == step.test:
        return with_predicates(step, tests)
    if isinstance(up.parent, ast.Wildcard) and up.parent.local is None and up.parent.uri is None:
        return with_predicates(step, tests) if is_element_test(step.test) else None
    if isinstance(step.test, ast.Wildcard) and step.test.local is None and step.test.uri is None:
        return with_predicates(replace(step, test=up.parent), tests) if not step.predicates else None
    return None


def _ancestor_that(test: ast.Expr, step: ast.AxisStep) -> ast.AxisStep | None:
    """descendant::b[π], for a test of the existence of an ancestor b with π."""
    match test:
        case ast.AxisStep() | ast.Path():
            return _of_ancestor(test, step, ())
        case ast.GeneralComparison(left=left, right=right):
            if not reads_focus(right):
                return _of_ancestor(left, step, (test, "left"))
            if not reads_focus(left):
                return _of_ancestor(right, step, (test, "right"))
            return None
    found = argument_of(test, "exists")
    return None if found is None else _ancestor_that(found, step)


def _of_ancestor(
    expr: ast.Expr, step: ast.AxisStep, compared: tuple[()] | tuple[ast.GeneralComparison, str]
) -> ast.AxisStep | None:
    parts: list[ast.AxisStep] = []
    while isinstance(expr, ast.Path):
        if not isinstance(expr.right, ast.AxisStep):
            return None
        parts.append(expr.right)
        expr = expr.left
    if not isinstance(expr, ast.AxisStep) or not is_element_test(expr.test) or not has_only_tests(expr):
        return None
    if expr.axis != "ancestor" and not (expr.axis == "ancestor-or-self" and _is_another(expr, step)):
        return None
    tests = _below(parts[::-1], compared)
    return None if tests is None else ast.AxisStep("descendant", expr.test, (*expr.predicates, *tests), span=expr.span)


def _below(
    parts: Sequence[ast.AxisStep], compared: tuple[()] | tuple[ast.GeneralComparison, str]
) -> tuple[ast.Expr, ...] | None:
    """The condition on the ancestor: that it has such a node below it, or a comparison."""
    if not parts:
        # The ancestor itself is compared: this would need its string value.
        return None if compared else ()
    below = relative(parts)
    if not compared:
        return (below,)
    comparison, side = compared
    return (replace(comparison, left=below) if side == "left" else replace(comparison, right=below),)


def _is_another(one: ast.AxisStep, other: ast.AxisStep) -> bool:
    name, second = local_name(one), local_name(other)
    return name is not None and second is not None and name != second
