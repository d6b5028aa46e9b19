"""Turn a step to the parent into a predicate.

    π/a[p]/..               →     π[a[p]]
    $ROOT//a[p]/parent::b   →     $ROOT//b[a[p]]
    $ROOT//a[p]/../@b       →     $ROOT//*[a[p]]/@b
    $ROOT//a[p]/../b        →     $ROOT//*[a[p]]/b
    π//a[p]/..              →     π/descendant-or-self::*[a[p]]       (π selects elements)

Gain:   the scan only goes forward, and its state is the open elements.
Needs:  the step before goes to children or attributes; or it goes to descendants, and the parent has a test that only
        elements pass, or must be an element. No positions in predicates that move behind others.
Safe:   a path selects each node once, in document order: the parents of the a's are the π that have one.
Not for `$ROOT//a/..`: the document node itself may be the parent. It has no attributes, and no element but that a.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.streamable_paths import is_element_test
from xylem.syntax import ast

from .lifted_test import fails_for_document
from .step_lists import StepList, has_only_tests, is_document, local_name, relative, with_predicates


def forward_parent(path: StepList) -> StepList | None:
    """The path without its first step to a parent; None if it has none, or if the step must stay."""
    for index, step in enumerate(path.steps):
        if step.axis == "parent":
            return _without(path, index) if index and has_only_tests(step) else None
    return None


def _without(path: StepList, index: int) -> StepList | None:
    up, down = path.steps[index], path.steps[index - 1]
    before, after = path.steps[: index - 1], path.steps[index + 1 :]
    if down.axis in ("child", "attribute"):
        if before:
            tested = _as_parent(before[-1], up)
            if tested is None:
                return None
            above = with_predicates(tested, [relative([down]), *up.predicates])
            return StepList(path.start, (*before[:-1], above, *after))
        tests = [relative([down]), *up.predicates]
        if not isinstance(up.test, ast.AnyKindTest):
            tests.insert(0, ast.AxisStep("self", up.test, span=up.span))
        return StepList(_filtered(path.start, tests), after)
    if down.axis == "descendant":
        is_from_document = not before and is_document(path.start)
        is_element = not is_from_document or (bool(after) and fails_for_document(after[0], down))
        test = ast.Wildcard() if isinstance(up.test, ast.AnyKindTest) and is_element else up.test
        if is_element_test(test):
            axis = "descendant" if is_from_document else "descendant-or-self"
            above = ast.AxisStep(axis, test, (relative([replace(down, axis="child")]), *up.predicates), span=up.span)
            return StepList(path.start, (*before, above, *after))
    return None


def _as_parent(step: ast.AxisStep, up: ast.AxisStep) -> ast.AxisStep | None:
    """The previous step, restricted by the tests of `up` on a parent."""
    if step.axis not in ("child", "descendant"):
        return None
    if isinstance(up.test, ast.AnyKindTest) or up.test == step.test:
        return step
    if isinstance(up.test, ast.Wildcard) and up.test.local is None and up.test.uri is None:
        return step if is_element_test(step.test) else None
    if local_name(up) is not None and not step.predicates and isinstance(step.test, ast.Wildcard):
        return replace(step, test=up.test) if step.test.local is None and step.test.uri is None else None
    return None


def _filtered(start: ast.Expr, tests: Sequence[ast.Expr]) -> ast.Expr:
    for test in tests:
        start = ast.Filter(start, test, span=test.span)
    return start
