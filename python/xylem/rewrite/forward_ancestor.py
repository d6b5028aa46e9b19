"""Turn a step to ancestors into a predicate.

    $ROOT//a[p]/ancestor::b        →     $ROOT//b[descendant::a[p]]
    $ROOT/c/b/d/a[p]/ancestor::b   →     $ROOT/c/b[d/a[p]]
    $ROOT//b/d/a[p]/ancestor::b    →     $ROOT//b[d/a[p] or descendant::b/d/a[p]]

Gain:   the scan only goes forward and decides the predicate of an element while the element is open.
Needs:  a path of names from the document. Either no step before the last has the ancestor's name (first case: a path of
        one step may use any test for elements; after the first step, only child steps), or exactly one step has it (the
        other cases). No positions.
Safe:   a path selects each node once, in document order: the ancestors b of the a's are the b's that have one below.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.streamable_paths import is_element_test
from xylem.syntax import ast

from .step_lists import StepList, has_only_tests, is_document, local_name, relative, with_predicates


def forward_ancestor(path: StepList) -> StepList | None:
    """The path without its first step to ancestors; None if it has none, or if the step must stay."""
    for index, step in enumerate(path.steps):
        if step.axis == "ancestor":
            can_go = index and is_document(path.start) and is_element_test(step.test)
            return _without(path, index) if can_go and all(map(has_only_tests, path.steps[: index + 1])) else None
    return None


def _without(path: StepList, index: int) -> StepList | None:
    up, down, after = path.steps[index], path.steps[:index], path.steps[index + 1 :]
    if any(step.axis not in ("child", "descendant") for step in down[:-1]):
        return None
    if len(down) == 1:
        if down[0].axis == "child":
            # Only the document is above the document's element.
            return None
        above = ast.AxisStep("descendant", up.test, (relative(down), *up.predicates))
        return StepList(path.start, (above, *after))
    names = [local_name(step) for step in down[:-1]]
    wanted = local_name(up)
    if wanted is None or None in names:
        return None
    if wanted not in names and down[0].axis == "descendant" and all(step.axis == "child" for step in down[1:]):
        # Between child steps there is nothing: the ancestors of the last are ancestors of the first.
        above = ast.AxisStep("descendant", up.test, (relative(down), *up.predicates))
        return StepList(path.start, (above, *after))
    if _begins_at(wanted, down, names):
        deeper = relative([ast.AxisStep("descendant", up.test, span=up.span), *down[1:]])
        test = ast.Or(relative(down[1:]), deeper, span=up.span)
        return StepList(path.start, (with_predicates(down[0], [test, *up.predicates]), *after))
    if names.count(wanted) == 1 and all(step.axis == "child" for step in down):
        at = names.index(wanted)
        rest = [replace(step) for step in down[at + 1 :]]
        above = with_predicates(down[at], [relative(rest), *up.predicates])
        return StepList(path.start, (*down[:at], above, *after))
    return None


def _begins_at(
    wanted: tuple[str, str], down: tuple[ast.AxisStep, ...], names: list[tuple[str, str] | None]
) -> bool:
    """//b/…/a: whether the ancestor has the name of the path's first step, and of no other."""
    first, *rest = down
    if first.axis != "descendant" or first.predicates or any(step.axis != "child" for step in rest):
        return False
    return names[0] == wanted and wanted not in names[1:] and local_name(rest[-1]) not in (None, wanted)
