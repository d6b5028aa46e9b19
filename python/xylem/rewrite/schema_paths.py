"""What a schema says of a path: that it selects nothing, or always something."""

from __future__ import annotations

from xylem.analysis.streamable_paths import streamable_path
from xylem.plan.symbols import child_elements, may_contain
from xylem.schema.constraints import ElementConstraints
from xylem.syntax import ast

from .rule import Facts


def is_never_selected(expr: ast.Expr, facts: Facts) -> bool:
    """Whether an expression is a path that selects nothing in any valid document."""
    found = streamable_path(expr, facts.types.keys())
    if found is None:
        return False
    here: ElementConstraints | None = facts.types.get(found.variable)
    for step in found.steps:
        if here is None:
            return False
        if _is_never(step, here):
            return True
        here = _below(step, here, facts)
    return False


def is_always_selected(expr: ast.Expr, facts: Facts) -> bool:
    """Whether an expression is a path of child steps that selects something in every valid document."""
    found = streamable_path(expr, facts.types.keys())
    if found is None:
        return False
    here = facts.types.get(found.variable)
    for step in found.steps:
        name = _element_name(step)
        if here is None or step.axis != "child" or name is None or step.predicates or not here.exactly_once(name):
            return False
        here = here.child(name)
    return True


def _is_never(step: ast.AxisStep, here: ElementConstraints) -> bool:
    """Text and comments may stand anywhere, and a schema without namespaces says nothing of prefixed attributes."""
    match step:
        case ast.AxisStep(axis="attribute", test=ast.NameTest(name=name)):
            return not name.uri and here.never(f"@{name.local}")
        case ast.AxisStep(axis="child", test=ast.NameTest(name=name)):
            return here.never(name.local)
        case ast.AxisStep(axis="descendant", test=ast.NameTest(name=name)):
            return not may_contain(here, name.local)
        case ast.AxisStep(axis="child", test=ast.Wildcard(local=None)):
            return not child_elements(here)
    return False


def _below(step: ast.AxisStep, here: ElementConstraints, facts: Facts) -> ElementConstraints | None:
    name = _element_name(step)
    if name is None:
        return None
    if step.axis == "child":
        return here.child(name)
    return None if facts.schema is None else facts.schema.element(name)


def _element_name(step: ast.AxisStep) -> str | None:
    if step.axis == "attribute" or not isinstance(step.test, ast.NameTest):
        return None
    return step.test.name.local
