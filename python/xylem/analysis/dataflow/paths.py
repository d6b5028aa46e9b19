"""Paths in the graph: a traversal of a stream is a sequence node, everything below an item belongs to the item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.analysis.focus import uses_position
from xylem.analysis.streamable_paths import is_counting, is_descend
from xylem.functions.registry import FN
from xylem.syntax import ast

from .graph import Blocking
from .stream_path import StreamPath
from .values import CONSTANT, LOCAL, NONE, Refs, Value, label

if TYPE_CHECKING:
    from .walk import Around, Walk

_BACK = {"parent", "ancestor", "ancestor-or-self", "preceding", "preceding-sibling", "following", "following-sibling"}


def path(walk: Walk, expr: ast.Expr, around: Around) -> Value:
    """The value of a path, a filter or a simple map."""
    match expr:
        case ast.Root():
            return _root(around)
        case ast.AxisStep():
            return _step(walk, around.focus, expr, expr, around, False)
        case ast.Path(left=left, right=right):
            return _path(walk, expr, left, right, around)
        case ast.SimpleMap(left=left, right=right):
            return _mapped(walk, walk.of(left, around), right, expr, around)
        case ast.Filter(base=base, predicate=predicate):
            return _filtered(walk, expr, walk.of(base, around), predicate, around)
    raise AssertionError(type(expr))


def _root(around: Around) -> Value:
    """The document around the focus; for an item of a stream, that reads all of the stream again."""
    if around.focus.place is not None:
        return Value(place=around.focus.place.from_root())
    from .stream_path import INPUT

    return Value(place=StreamPath(INPUT))


def _path(walk: Walk, expr: ast.Path, left: ast.Expr, right: ast.Expr, around: Around) -> Value:
    descends = isinstance(left, ast.Path) and is_descend(left.right)
    if descends:
        assert isinstance(left, ast.Path)
        start = walk.of(left.left, around)
    elif isinstance(left, ast.AxisStep) and is_descend(left):
        start, descends = around.focus, True
    else:
        start = walk.of(left, around)
    if isinstance(right, ast.AxisStep):
        return _step(walk, start, right, expr, around, descends)
    return _mapped(walk, start, right, expr, around)


def _step(walk: Walk, start: Value, step: ast.AxisStep, expr: ast.Expr, around: Around, descends: bool) -> Value:
    """One step on: along a stream, or inside an item."""
    filters = _predicates(walk, step.predicates, around)
    if step.axis in _BACK and (start.refs or start.place is not None):
        found = walk.settled(start, expr)
        if found.is_sequence:
            return walk.nodes.sequence(label(expr), expr.span, found.refs | filters, blocking=Blocking.LOOKS_BACK)
        return walk.nodes.atom(label(expr), expr.span, found.refs | filters, blocking=Blocking.LOOKS_BACK)
    if start.place is not None:
        return _along(walk, start, step, expr, filters, descends)
    if start.is_sequence:
        return walk.nodes.sequence(label(expr), expr.span, start.refs | filters)
    return start.and_also(filters)


def _along(walk: Walk, start: Value, step: ast.AxisStep, expr: ast.Expr, filters: Refs, descends: bool) -> Value:
    """A step below a document or its element: the path grows until it is used otherwise."""
    assert start.place is not None
    if step.axis == "self" and isinstance(step.test, ast.AnyKindTest) and not step.predicates and not descends:
        return start
    bare = label(replace(step, predicates=()))
    written = [f"//{bare}" if descends else f"/{bare}", *(f"[{label(p)}]" for p in step.predicates)]
    place = start.place.from_root(*start.place.steps, *written)
    if step.axis == "attribute" and not descends and start.place.is_single:
        return walk.nodes.atom(str(place), expr.span, start.refs | filters)
    return Value(start.refs | filters, place=place)


def _predicates(walk: Walk, predicates: tuple[ast.Expr, ...], around: Around) -> Refs:
    """The values that predicates read, other than those of the tested item."""
    found = NONE
    for predicate in predicates:
        value = walk.truth(predicate, replace(around, focus=LOCAL))
        found |= value.refs
    return found


def _mapped(walk: Walk, start: Value, result: ast.Expr, expr: ast.Expr, around: Around) -> Value:
    """An expression for each item."""
    if start.place is not None and start.place.is_single:
        return walk.of(result, replace(around, focus=start))
    start = walk.settled(start, expr)
    inner = walk.of(result, replace(around, focus=replace(start, is_sequence=False) if start.refs else CONSTANT))
    inner = walk.settled(inner, result)
    if not start.is_sequence:
        return walk.together([start, inner], expr)
    return walk.nodes.sequence(label(expr), expr.span, start.refs | inner.refs)


def _filtered(walk: Walk, expr: ast.Filter, base: Value, predicate: ast.Expr, around: Around) -> Value:
    found = walk.settled(base, expr)
    local = replace(LOCAL, refs=NONE) if found.is_sequence else replace(found, is_sequence=False)
    filters = walk.truth(predicate, replace(around, focus=local)).refs
    if not found.is_sequence:
        return found.and_also(filters)
    if isinstance(predicate, ast.IntegerLiteral) or _is_last(predicate):
        return walk.nodes.atom(label(expr), expr.span, filters, aggregates=found.refs)
    if uses_position(predicate) and not is_counting(predicate):
        return walk.nodes.sequence(label(expr), expr.span, found.refs | filters, blocking=Blocking.HOLDS)
    return walk.nodes.sequence(label(expr), expr.span, found.refs | filters)


def _is_last(predicate: ast.Expr) -> bool:
    return isinstance(predicate, ast.FunctionCall) and predicate.name.expanded == (FN, "last")
