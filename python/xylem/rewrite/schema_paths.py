"""Decide whether a schema proves that a path selects nothing, or always something."""

from __future__ import annotations

from xylem.analysis.streamable_paths import streamable_path
from xylem.plan.symbols import ANY, may_be, may_contain
from xylem.schema.constraints import ElementConstraints
from xylem.schema.symbols import element_symbol
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
        name = _element_symbol(step)
        if here is None or step.axis != "child" or name is None or step.predicates or not here.exactly_once(name):
            return False
        here = here.child(name)
    return True


def _is_never(step: ast.AxisStep, here: ElementConstraints) -> bool:
    """Whether the schema proves it; text and comments may occur anywhere."""
    match step:
        case ast.AxisStep(axis="attribute", test=ast.NameTest(name=name)):
            return here.never(f"@{element_symbol(name.local, name.uri or '')}")
        case ast.AxisStep(axis="child", test=ast.NameTest(name=name)):
            return here.never(element_symbol(name.local, name.uri))
        case ast.AxisStep(axis="descendant", test=ast.NameTest(name=name)):
            return not may_contain(here, name.local, name.uri)
        case ast.AxisStep(axis="child", test=ast.Wildcard(local=None, uri=uri)):
            return not any(name == ANY or may_be(name, uri) for name in here.elements)
    return False


def _below(step: ast.AxisStep, here: ElementConstraints, facts: Facts) -> ElementConstraints | None:
    if step.axis == "attribute" or not isinstance(step.test, ast.NameTest):
        return None
    name = step.test.name
    if step.axis == "child":
        return here.child(element_symbol(name.local, name.uri))
    return None if facts.schema is None else facts.schema.element(name.local, name.uri)


def _element_symbol(step: ast.AxisStep) -> str | None:
    if step.axis == "attribute" or not isinstance(step.test, ast.NameTest):
        return None
    return element_symbol(step.test.name.local, step.test.name.uri)
