"""Convert XQuery⁻ back to XQuery: over buffers, one expression with whole joins and conditions is faster.

The normal form cuts loops into steps and gives each part its own copy of a condition; here the loops become one path
again, and equal conditions a single `where`.

    { for $c in $s/closed return { for $t in $c/auction return                 for $t in $s/closed/auction
      { if (χ) then <r> } { for $x in $t/b return { if (χ) then {$x} } }   →   where χ
      { if (χ) then </r> } } }                                                 return <r>{ $t/b }</r>
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from xylem.functions.registry import FN
from xylem.syntax import ast

from .flux import Copy, Fixed, Flux, For, GiveItem, If, Leaf, Opening, OpenWindows, Sequence, Step
from .needs import node_test
from .streaming_atoms import variables_of


def as_expression(body: Flux) -> ast.Expr | None:
    """An expression with the same value; None if tags are opened and not closed, or a stream is processed."""
    try:
        return _expression(_regrouped(_parts(body)))
    except _Unbalanced:
        return None


class _Unbalanced(Exception):
    """A tag without its partner, or anything outside XQuery⁻."""


class _Guarded(NamedTuple):
    """A part and the conditions around it, outermost first."""

    guards: tuple[ast.Expr, ...]
    part: Flux


def _parts(body: Flux) -> list[Flux]:
    return list(body.parts) if isinstance(body, Sequence) else [body]


# --- conditions that were pushed down, pulled up again


def _regrouped(parts: Seq[Flux]) -> list[Flux]:
    """The parts with equal conditions of neighbours merged."""
    return _group([_guarded(part) for part in parts])


def _group(parts: Seq[_Guarded]) -> list[Flux]:
    made: list[Flux] = []
    for guard, run in groupby(parts, key=lambda part: part.guards[0] if part.guards else None):
        if guard is None:
            made += [part.part for part in run]
        else:
            made.append(If(guard, _sequence(_group([_Guarded(part.guards[1:], part.part) for part in run]))))
    return made


def _sequence(parts: Seq[Flux]) -> Flux:
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))


def _guarded(part: Flux) -> _Guarded:
    match part:
        case If(condition=condition, body=inner):
            parts = _regrouped(_parts(inner))
            rest = _guarded(parts[0]) if len(parts) == 1 else _Guarded((), _sequence(parts))
            return _Guarded((*_conjuncts(condition), *rest.guards), rest.part)
        case For():
            return _guarded_loop(part)
    return _Guarded((), part)


def _guarded_loop(loop: For) -> _Guarded:
    body = _guarded(_sequence(_regrouped(_parts(loop.body))))
    own = {loop.variable, loop.position}
    count = 0
    while count < len(body.guards) and not variables_of(body.guards[count]) & own:
        count += 1
    outer, inner = body.guards[:count], body.guards[count:]
    where = _all([*([] if loop.where is None else [loop.where]), *inner])
    return _Guarded(outer, _fused(replace(loop, where=where, body=body.part)))


def _conjuncts(condition: ast.Expr) -> list[ast.Expr]:
    if isinstance(condition, ast.And):
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    return [condition]


def _all(conditions: Seq[ast.Expr]) -> ast.Expr | None:
    if not conditions:
        return None
    made = conditions[0]
    for condition in conditions[1:]:
        made = ast.And(made, condition)
    return made


def _fused(loop: For) -> For:
    """for $x0 in $y/a return for $x in $x0/b … → for $x in $y/a/b …, if nothing else reads $x0."""
    inner = loop.body
    if not isinstance(inner, For) or inner.source != loop.variable or loop.where is not None:
        return loop
    if loop.position or loop.window or inner.position or inner.window or not _is_plain(loop.path):
        return loop
    if loop.outermost or inner.outermost:
        return loop
    if inner.where is not None and loop.variable in variables_of(inner.where):
        return loop
    if _mentions(inner.body, loop.variable) or any(
        loop.variable in variables_of(predicate) for step in inner.path for predicate in step.predicates
    ):
        return loop
    return replace(inner, source=loop.source, path=(*loop.path, *inner.path))


def _is_plain(path: tuple[Step, ...]) -> bool:
    """Whether all are child steps: their matches do not nest, so a longer path keeps the order of the loops."""
    return all(step.axis == "child" for step in path)


def _mentions(body: Flux, variable: str) -> bool:
    match body:
        case Sequence(parts=parts):
            return any(_mentions(part, variable) for part in parts)
        case For(source=source, body=inner, where=where, path=path):
            tests = [test for step in path for test in step.predicates]
            if where is not None:
                tests.append(where)
            read = source == variable or any(variable in variables_of(test) for test in tests)
            return read or _mentions(inner, variable)
        case Copy(variable=name) | GiveItem(variable=name):
            return name == variable
        case If(condition=condition, body=inner):
            return variable in variables_of(condition) or _mentions(inner, variable)
        case Leaf(expression=expression) | OpenWindows(expression=expression):
            return variable in variables_of(expression)
        case Opening(element=element):
            return variable in variables_of(element)
    return False


# --- expressions


def _expression(parts: Seq[Flux]) -> ast.Expr:
    items, rest = _items(list(parts), None)
    if rest:
        raise _Unbalanced
    if any(isinstance(item, ast.DirectText) and item.value for item in items):
        # Text that belongs to a constructor opened elsewhere.
        raise _Unbalanced
    made = [_plain(item) for item in items if not isinstance(item, ast.DirectText)]
    return made[0] if len(made) == 1 else ast.SequenceExpr(tuple(made))


def _plain(item: ast.Expr) -> ast.Expr:
    return item.body if isinstance(item, ast.EnclosedExpr) else item


def _items(parts: list[Flux], until: ast.DirectElement | None) -> tuple[list[ast.Expr], list[Flux]]:
    """The items up to the end tag of a constructor, and the parts after it."""
    items: list[ast.Expr] = []
    while parts:
        part, *parts = parts
        if isinstance(part, Fixed) and part.closes is not None and part.opens is None:
            if until is None:
                raise _Unbalanced
            return items, parts
        if isinstance(part, Opening) or (isinstance(part, Fixed) and part.opens is not None and part.closes is None):
            tag = part.element if isinstance(part, Opening) else part.opens
            assert tag is not None
            content, parts = _items(parts, tag)
            items.append(_constructed(replace(tag, content=_content(content)), part.literal))
        else:
            items.append(_item(part))
    if until is not None:
        raise _Unbalanced
    return items, []


def _constructed(element: ast.DirectElement, literal: bool) -> ast.Expr:
    """A constructor among items: unchanged if it is directly in the content of another, else in an expression."""
    return element if literal else ast.EnclosedExpr(element, span=element.span)


def _item(part: Flux) -> ast.Expr:
    match part:
        case Fixed(opens=ast.DirectElement() as element, literal=literal):
            return _constructed(element, literal)
        case Fixed(text=text):
            return ast.DirectText(text)
        case Copy(variable=variable, path=path):
            return path_expression(variable, path)
        case Leaf(expression=expression, inside=inside) if not inside:
            return expression
        case If(condition=condition, body=inner):
            return ast.If(condition, _expression(_parts(inner)), ast.SequenceExpr(), span=condition.span)
        case For(window=None):
            return _flwor(part)
    raise _Unbalanced


def _flwor(loop: For) -> ast.Expr:
    collection = loop_collection(loop)
    if loop.body == Copy(loop.variable) and loop.where is None:
        return collection
    name = ast.Name(loop.variable, None, "")
    position = None if loop.position is None else ast.Name(loop.position, None, "")
    clauses: list[ast.Clause] = [ast.ForClause(name, None, collection, position)]
    if loop.where is not None:
        clauses.append(ast.WhereClause(loop.where))
    result = _expression(_parts(loop.body))
    return ast.Flwor(tuple(clauses), result)


def loop_collection(loop: For) -> ast.Expr:
    """The sequence of a loop."""
    path = path_expression(loop.source, loop.path)
    return ast.FunctionCall(ast.Name("outermost", "fn", FN), (path,)) if loop.outermost else path


def path_expression(variable: str, path: tuple[Step, ...]) -> ast.Expr:
    """$variable/step/… as an expression."""
    made: ast.Expr = ast.VarRef(ast.Name(variable, None, ""))
    for step in path:
        made = step_expression(made, step)
    return made


def step_expression(start: ast.Expr, step: Step) -> ast.Expr:
    """start/step."""
    if step.axis == "descendant":
        # `//`, not the descendant axis: positions count below one parent.
        start = ast.Path(start, ast.AxisStep("descendant-or-self", ast.AnyKindTest()))
    axis = "attribute" if step.axis == "attribute" else "child"
    return ast.Path(start, ast.AxisStep(axis, node_test(step), step.predicates))


def _content(items: Seq[ast.Expr]) -> tuple[ast.Expr, ...]:
    """Items as the content of a constructor: adjacent values form one enclosed expression."""
    content: list[ast.Expr] = []
    waiting: list[ast.Expr] = []

    def flush() -> None:
        if waiting:
            content.append(ast.EnclosedExpr(waiting[0] if len(waiting) == 1 else ast.SequenceExpr(tuple(waiting))))
            waiting.clear()

    for item in items:
        if isinstance(item, (ast.DirectText, ast.DirectElement)):
            flush()
            if not isinstance(item, ast.DirectText) or item.value:
                content.append(item)
        else:
            waiting.append(_plain(item))
    flush()
    return tuple(content)
