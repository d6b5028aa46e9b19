"""Turn a step to the next or previous sibling into a test of that sibling.

    π/a[p]/following-sibling::a[1]        →     π/a[preceding-sibling::a[1][p]]
    π/a/following-sibling::b[1]           →     π/b[exists(α) and not(α << β)], where
                                                α = preceding-sibling::a[1] and β = preceding-sibling::b[1]
    π/a[p]/following-sibling::*[1]        →     π/*[preceding-sibling::*[1][self::a][p]]
    π/*/following-sibling::b[1]           →     π/b[preceding-sibling::*[1]]

and likewise with the axes exchanged.

Gain:   a path selects each node once, in document order. In this form the scan decides on a node when it arrives: a
        register holds the sibling before it, and a node waits at most for the next sibling after it.
Needs:  steps to elements whose predicates test single nodes; equal names in the first case, different names in the
        second.
Safe:   b is the first after an a if, going back from b, an a comes before another b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.near_siblings import AXES
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.syntax import ast

from .step_lists import StepList, has_only_tests

_OTHER = dict(zip(AXES, reversed(AXES), strict=True))
_ONE = ast.IntegerLiteral(1)


def forward_sibling(path: StepList) -> StepList | None:
    """The path without its first step to a sibling; None if it has none, or if the step must stay."""
    for index, step in enumerate(path.steps):
        if step.axis in AXES:
            made = _sibling(path.steps[index - 1], step) if index else None
            if made is None:
                return None
            return StepList(path.start, (*path.steps[: index - 1], made, *path.steps[index + 1 :]))
    return None


def _sibling(here: ast.AxisStep, there: ast.AxisStep) -> ast.AxisStep | None:
    if here.axis not in ("child", "descendant") or not has_only_tests(here):
        return None
    if not there.predicates or there.predicates[0] != _ONE or not all(map(is_test, there.predicates[1:])):
        return None
    axis, rest = _OTHER[there.axis], there.predicates[1:]
    if _is_any(there.test):
        if isinstance(here.test, ast.NameTest):
            beside = _nearest(axis, there.test, (_self(here.test), *here.predicates))
        elif _is_any(here.test):
            beside = _nearest(axis, there.test, here.predicates)
        else:
            return None
        return _named(replace(here, predicates=(beside,), test=there.test), rest)
    if not isinstance(there.test, ast.NameTest):
        return None
    if here.test == there.test:
        beside = _nearest(axis, there.test, here.predicates)
    elif here.predicates:
        return None
    elif _is_any(here.test):
        beside = _nearest(axis, here.test, ())
    elif isinstance(here.test, ast.NameTest):
        return replace(here, test=there.test, predicates=(_met_first(axis, here.test, there), *rest), span=there.span)
    else:
        return None
    return replace(here, test=there.test, predicates=(beside, *rest), span=there.span)


def _met_first(axis: str, wanted: ast.NodeTest, other: ast.AxisStep) -> ast.Expr:
    """Whether an axis meets one name before another."""
    if axis == "following-sibling":
        # It waits only for the first of the two.
        either = ast.Or(_self(wanted), _self(other.test), span=other.span)
        return ast.AxisStep(axis, ast.Wildcard(), (either, _ONE, _self(wanted)), span=other.span)
    nearest, further = _nearest(axis, wanted, ()), _nearest(axis, other.test, ())
    is_behind = ast.NodeComparison("<<", nearest, further, span=other.span)
    return ast.And(_call("exists", nearest), _call("not", is_behind), span=other.span)


def _call(local: str, argument: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name(local, "fn", FN), (argument,), span=argument.span)


def _named(step: ast.AxisStep, rest: Sequence[ast.Expr]) -> ast.AxisStep:
    """*[p][self::b] is b[p]."""
    match rest:
        case [ast.AxisStep(axis="self", test=ast.NameTest() as test, predicates=()), *others]:
            return replace(step, test=test, predicates=(*step.predicates, *others))
    return replace(step, predicates=(*step.predicates, *rest))


def _nearest(axis: str, test: ast.NodeTest, tests: Sequence[ast.Expr]) -> ast.AxisStep:
    return ast.AxisStep(axis, test, (_ONE, *tests))


def _self(test: ast.NodeTest) -> ast.AxisStep:
    return ast.AxisStep("self", test)


def _is_any(test: ast.NodeTest) -> bool:
    return isinstance(test, ast.Wildcard) and test.local is None and test.uri is None
