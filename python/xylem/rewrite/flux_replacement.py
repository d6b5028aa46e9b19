"""Replace variables and paths in an expression of XQuery⁻ and in the XQuery expressions of its leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.plan.flux import Copy, Flux, For, GiveItem, If, Leaf, Opening, OpenWindows, Sequence, Step
from xylem.plan.needs import node_test
from xylem.syntax import ast

from .substitution import variable


def rename(body: Flux, old: str, new: str) -> Flux:
    """body[$old → $new]"""
    reference, other = variable(old), variable(new)

    def expression(node: ast.Node) -> ast.Node | None:
        return other if node == reference else None

    def source(name: str, path: tuple[Step, ...]) -> tuple[str, tuple[Step, ...]]:
        return (new if name == old else name), path

    return _replaced(body, expression, source)


def shorten_paths(body: Flux, base: str, step: Step, known: str) -> Flux:
    """The body with `$known` for `$base/step`, if that is the same node."""
    short = variable(known)
    long = ast.Path(variable(base), ast.AxisStep(step.axis, node_test(step)))

    def expression(node: ast.Node) -> ast.Node | None:
        return short if isinstance(node, ast.Path) and node == long else None

    def source(name: str, path: tuple[Step, ...]) -> tuple[str, tuple[Step, ...]]:
        return (known, path[1:]) if name == base and path[:1] == (step,) else (name, path)

    return _replaced(body, expression, source)


Source = Callable[[str, tuple[Step, ...]], tuple[str, tuple[Step, ...]]]
Expression = Callable[[ast.Node], ast.Node | None]


def _replaced(body: Flux, expression: Expression, source: Source) -> Flux:
    def inner(part: Flux) -> Flux:
        return _replaced(part, expression, source)

    match body:
        case Sequence(parts=parts):
            made = tuple(map(inner, parts))
            return body if all(a is b for a, b in zip(parts, made, strict=True)) else Sequence(made)
        case Copy(variable=name, path=path):
            found = source(name, path)
            return body if found == (name, path) else Copy(*found)
        case For():
            return _loop(body, expression, source)
        case If(condition=condition, body=then):
            test, rest = replaced(condition, expression), inner(then)
            return body if test is condition and rest is then else If(test, rest)
        case Leaf(expression=old):
            new = replaced(old, expression)
            return body if new is old else replace(body, expression=new)
        case OpenWindows(expression=clauses):
            over = replaced(clauses, expression)
            return body if over is clauses else replace(body, expression=over)
        case GiveItem(variable=name, source=below):
            found = source(name, ())
            items = None if below is None else replaced(below, expression)
            return body if found == (name, ()) else replace(body, variable=found[0], source=items)
        case Opening(element=element):
            opened = replaced(element, expression)
            return body if opened is element else replace(body, element=opened)
    return body


def _loop(loop: For, expression: Expression, source: Source) -> Flux:
    steps = tuple(_step(step, expression) for step in loop.path)
    name, path = source(loop.source, steps)
    if not path and loop.window is not None:
        # A window ranges over a path, even if it has only one step.
        name, path = loop.source, steps
    body = _replaced(loop.body, expression, source)
    where = None if loop.where is None else replaced(loop.where, expression)
    window = None if loop.window is None else replaced(loop.window, expression)
    if not path:
        # The path has become the variable itself: there is exactly one round.
        once = rename(body if where is None else If(where, body), loop.variable, name)
        return once if loop.position is None else _with_value(once, loop.position, ast.IntegerLiteral(1))
    made = replace(loop, source=name, path=path, body=body, where=where, window=window)
    return loop if made == loop else made


def _step(step: Step, expression: Expression) -> Step:
    predicates = tuple(replaced(predicate, expression) for predicate in step.predicates)
    return step if predicates == step.predicates else replace(step, predicates=predicates)


def _with_value(body: Flux, name: str, value: ast.Expr) -> Flux:
    reference = variable(name)
    return _replaced(body, lambda node: value if node == reference else None, lambda source, path: (source, path))
