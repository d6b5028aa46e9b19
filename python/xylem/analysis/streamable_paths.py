"""Paths that can be followed while a stream passes: down from a variable, step by step, with independent tests.

A path is streamable when every step goes to children, attributes or descendants and its predicates are tests of single
nodes, or count the matches below one parent. Everything else is left to the evaluator, over buffers.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import NamedTuple

from xylem.analysis.focus import uses_position
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.syntax import ast

DOCUMENT = "ROOT"
"""The variable of the document node."""


class StreamablePath(NamedTuple):
    """`$variable/step/…`. A step on the descendant axis stands for `//`: positions count below one parent."""

    variable: str
    steps: tuple[ast.AxisStep, ...]


def streamable_path(expr: ast.Expr, variables: Container[str]) -> StreamablePath | None:
    """The path of an expression, if it starts at one of the variables of the stream."""
    parts: list[ast.Expr] = []
    while True:
        if isinstance(expr, ast.Path):
            if isinstance(expr.right, ast.Filter):
                # a/(b/c)[test]: neither a step nor a test of the part before it.
                return None
            parts.append(expr.right)
            expr = expr.left
        elif isinstance(expr, ast.Filter):
            # (path)[test]: the test applies to each node separately, so coming last does not matter.
            if not is_test(expr.predicate):
                return None
            parts.append(expr)
            expr = expr.base
        else:
            break
    if not isinstance(expr, ast.VarRef) or expr.name.uri or expr.name.local not in variables:
        return None
    # Only the document node has no attributes and no text of its own, so that `//@id` is `//*/@id` there.
    steps = _steps(list(reversed(parts)), starts_at_document=expr.name.local == DOCUMENT)
    return None if steps is None else StreamablePath(expr.name.local, steps)


def _steps(parts: list[ast.Expr], starts_at_document: bool) -> tuple[ast.AxisStep, ...] | None:
    steps: list[ast.AxisStep] = []
    descends = False
    for part in parts:
        is_below = bool(steps) or not starts_at_document
        if isinstance(part, ast.Filter):
            if not steps or descends:
                return None
            steps[-1] = replace(steps[-1], predicates=(*steps[-1].predicates, part.predicate))
            continue
        if not isinstance(part, ast.AxisStep) or not _are_streamable(part.predicates, part.axis):
            return None
        if steps and (steps[-1].axis == "attribute" or is_leaf_test(steps[-1].test)) and part.axis != "self":
            # Nothing is below an attribute or a text.
            return None
        if is_descend(part):
            descends = True
        elif part.axis == "self" and isinstance(part.test, ast.AnyKindTest) and not part.predicates and not descends:
            continue
        elif descends and part.axis == "child" and (is_element_test(part.test) or _is_leaf_below(part, is_below)):
            steps.append(plain_leaf(replace(part, axis="descendant")))
            descends = False
        elif descends and starts_at_document and not steps and _is_streamable_step(part):
            steps += [ast.AxisStep("descendant", ast.Wildcard(), span=part.span), part]
            descends = False
        elif not descends and _is_streamable_step(part):
            steps.append(plain_leaf(part))
        else:
            return None
    return None if descends else tuple(steps)


def is_descend(expr: ast.Expr) -> bool:
    """descendant-or-self::node(), the expansion of `//`."""
    if not isinstance(expr, ast.AxisStep) or expr.axis != "descendant-or-self" or expr.predicates:
        return False
    return isinstance(expr.test, ast.AnyKindTest)


def _is_streamable_step(step: ast.AxisStep) -> bool:
    if step.axis == "attribute":
        return isinstance(step.test, (ast.NameTest, ast.Wildcard, ast.AttributeTest)) and not step.predicates
    if step.axis == "child":
        return is_element_test(step.test) or is_leaf_step(step)
    if step.axis == "descendant" and is_leaf_step(step):
        return True
    # descendant::a[1] counts over the whole subtree, //a[1] below each parent.
    return step.axis == "descendant" and is_element_test(step.test) and not _has_position(step)


def _is_leaf_below(step: ast.AxisStep, is_below: bool) -> bool:
    """Whether a step after `//` selects leaves; the document itself has comments, but no text."""
    return is_leaf_step(step) and (is_below or not isinstance(step.test, ast.TextTest))


def is_leaf_step(step: ast.AxisStep) -> bool:
    """Whether a step selects childless nodes, such as text nodes, with independent tests."""
    return is_leaf_test(step.test) and not _has_position(step)


def is_leaf_test(test: ast.Node) -> bool:
    """Whether only text nodes pass, or only comments, or only processing instructions."""
    return isinstance(test, (ast.TextTest, ast.CommentTest, ast.PITest))


def plain_leaf(step: ast.AxisStep) -> ast.AxisStep:
    """The step with the target of a processing instruction as its first predicate."""
    if not isinstance(step.test, ast.PITest) or step.test.target is None:
        return step
    is_one = ast.AxisStep("self", step.test, span=step.span)
    return replace(step, test=ast.PITest(), predicates=(is_one, *step.predicates))


def is_element_test(test: ast.NodeTest) -> bool:
    """Whether only elements pass, by their names alone."""
    if isinstance(test, ast.ElementTest):
        return test.type is None
    return isinstance(test, (ast.NameTest, ast.Wildcard))


def _has_position(step: ast.AxisStep) -> bool:
    return any(map(is_counting, step.predicates))


def is_counting(predicate: ast.Expr) -> bool:
    """Whether a predicate is a position, or compares position() with numbers: `[1]`, `[position() < 3]`."""
    match predicate:
        case ast.IntegerLiteral():
            return True
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            return _is_counted(left) and _is_counted(right)
    return _is_counted(predicate)


def _is_counted(predicate: ast.Expr) -> bool:
    match predicate:
        case ast.And() | ast.Or():
            return is_counting(predicate)
        case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
            sides = (left, right)
            return any(map(is_position, sides)) and all(is_position(s) or _is_whole(s) for s in sides)
    return False


def _is_whole(expr: ast.Expr) -> bool:
    return isinstance(expr, ast.IntegerLiteral)


def is_position(expr: ast.Expr) -> bool:
    """position(), or a number computed from it: `position() mod 2`."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local="position", uri=uri), arguments=()):
            return uri == FN
        case ast.Arithmetic(op=op, left=left, right=ast.IntegerLiteral(value=value)):
            return is_position(left) and op in ("+", "-", "*", "mod", "idiv") and value != 0
    return False


def _are_streamable(predicates: tuple[ast.Expr, ...], axis: str) -> bool:
    """A position may only come first: after a test it would count the nodes that passed the test."""
    rest = predicates[1:] if predicates and is_counting(predicates[0]) else predicates
    return all(is_test(predicate) for predicate in rest)


_BOOLEANS = (ast.And, ast.Or, ast.GeneralComparison, ast.NodeComparison, ast.Quantified, ast.InstanceOf, ast.CastableAs)


def is_test(predicate: ast.Expr) -> bool:
    """Whether a predicate is true or false for each item alone, whatever its position."""
    return _is_no_number(predicate) and not uses_position(predicate)


def _is_no_number(expr: ast.Expr) -> bool:
    if isinstance(expr, ast.FunctionCall):
        builtin = look_up(*expr.name.expanded, len(expr.arguments))
        return builtin is not None and builtin.returns in ("xs:boolean", "xs:boolean?", "xs:string", "xs:string?")
    if isinstance(expr, ast.ValueComparison):
        return True
    if isinstance(expr, ast.Path):
        return isinstance(expr.right, ast.AxisStep)
    return isinstance(expr, (*_BOOLEANS, ast.AxisStep, ast.StringLiteral))
