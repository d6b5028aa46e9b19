"""The variables of programs (thesis Def. 3.4.13, 3.8.4), and the XQuery expressions in them."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.analysis.free_variables import free_in
from xylem.syntax import ast

from .flux import (
    ITEMS,
    Copy,
    Flux,
    For,
    GiveItem,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Opening,
    OpenWindows,
    ProcessStream,
    Sequence,
    Step,
)


def free_variables(body: Flux) -> frozenset[str]:
    """free(body): the variables read but not bound inside, including those of the prolog."""
    match body:
        case Sequence(parts=parts):
            return frozenset().union(*map(free_variables, parts))
        case Copy(variable=variable, path=path):
            return _path(path) | {variable}
        case Leaf(expression=expression):
            return _read(expression)
        case Opening(element=element):
            return _read(element)
        case OpenWindows(expression=expression):
            return frozenset(local for uri, local in free_in(expression) if (uri, local) != ITEMS.expanded)
        case GiveItem(variable=variable):
            return frozenset({variable})
        case If(condition=condition, body=inner):
            return _read(condition) | free_variables(inner)
        case For(variable=variable, source=source, path=path, body=inner, where=where, position=position):
            within = free_variables(inner) | (_read(where) if where is not None else frozenset())
            return (within - {variable, position}) | _path(path) | {source}
        case ProcessStream(variable=variable, handlers=handlers):
            return frozenset({variable}).union(*map(_handler, handlers))
    return frozenset()


def bound_variables(body: Flux) -> frozenset[str]:
    """The variables that loops and handlers bind anywhere in a body, including positions."""
    match body:
        case Sequence(parts=parts):
            return frozenset().union(*map(bound_variables, parts))
        case If(body=inner):
            return bound_variables(inner)
        case For(variable=variable, body=inner, position=position):
            return bound_variables(inner) | {name for name in (variable, position) if name is not None}
        case ProcessStream(variable=variable, handlers=handlers):
            return frozenset({variable}).union(*map(_bound_by, handlers))
    return frozenset()


def _bound_by(handler: Handler) -> frozenset[str]:
    match handler:
        case On(variable=variable, body=body, position=position):
            return bound_variables(body) | {name for name in (variable, position) if name is not None}
        case OnFirst(body=body):
            return bound_variables(body)
        case OnWindow(variable=variable, body=body) | OnEach(variable=variable, body=body):
            return bound_variables(body) | {variable}
    return frozenset()


def _read(node: ast.Node) -> frozenset[str]:
    return frozenset(local for _, local in free_in(node))


def _handler(handler: Handler) -> frozenset[str]:
    match handler:
        case On(step=step, variable=variable, body=body, through=through, position=position):
            return (free_variables(body) - {variable, position}) | _path((*through, step))
        case OnFirst(body=body):
            return free_variables(body)
        case OnWindow(path=path, variable=variable, body=body) | OnEach(path=path, variable=variable, body=body):
            return (free_variables(body) - {variable}) | _path(path)
    return frozenset()


def _path(path: tuple[Step, ...]) -> frozenset[str]:
    return frozenset().union(*(_read(predicate) for step in path for predicate in step.predicates))


def expressions_of(body: Flux) -> Iterator[ast.Node]:
    """All XQuery expressions in a program: leaves, conditions, predicates, attributes of start tags."""
    match body:
        case Sequence(parts=parts):
            for part in parts:
                yield from expressions_of(part)
        case Copy(path=path):
            yield from _predicates(path)
        case Leaf(expression=expression):
            yield expression
        case Opening(element=element):
            yield element
        case OpenWindows(expression=expression):
            yield expression
        case If(condition=condition, body=inner):
            yield condition
            yield from expressions_of(inner)
        case For(path=path, body=inner, where=where, window=window):
            yield from _predicates(path)
            yield from (part for part in (where, window) if part is not None)
            yield from expressions_of(inner)
        case ProcessStream(handlers=handlers):
            for handler in handlers:
                if isinstance(handler, On):
                    yield from _predicates((*handler.through, handler.step))
                if isinstance(handler, (OnWindow, OnEach)):
                    yield handler.window
                if isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
                    yield from expressions_of(handler.body)


def _predicates(path: tuple[Step, ...]) -> Iterator[ast.Node]:
    for step in path:
        yield from step.predicates
