"""Calls in the graph: sources, functions of the query, functions that fold, block or pass items on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.analysis.input_functions import COLLECTION, STREAMS
from xylem.functions.registry import FN
from xylem.syntax import ast

from .graph import Blocking
from .operators import SEQUENCES, Operator, operator
from .stream_path import StreamPath
from .values import CONSTANT, LOCAL, Value, label

if TYPE_CHECKING:
    from .walk import Around, Walk

_DOCUMENTS = {(FN, "doc"), (FN, "document")}
_MANY = STREAMS | {COLLECTION, (FN, "uri-collection")}
_OF_FOCUS = frozenset({"string", "data", "number", "name", "local-name", "node-name", "string-length", "root", "path"})


def call(walk: Walk, expr: ast.Expr, name: ast.Name, arguments: tuple[ast.Expr, ...], around: Around) -> Value:
    if name.expanded in _DOCUMENTS and len(arguments) == 1:
        found = walk.of(arguments[0], around)
        return Value(found.refs, place=StreamPath(label(expr)))
    if name.expanded in _MANY:
        path = StreamPath(label(expr), starts_with_many=True)
        return walk.nodes.sequence(str(path), expr.span, path=path)
    key = (*name.expanded, len(arguments))
    declared = walk.functions.get(key)
    if declared is not None and declared.body is not None:
        return _declared(walk, expr, key, declared, arguments, around)
    if not arguments:
        if name.uri == FN and name.local in ("position", "last"):
            return replace(around.focus, place=None, is_sequence=False) if around.focus.refs else LOCAL
        is_of_focus = name.uri == FN and name.local in _OF_FOCUS
        return _built_in(walk, expr, name, [ast.ContextItem(span=expr.span)], around) if is_of_focus else CONSTANT
    return _built_in(walk, expr, name, list(arguments), around)


def _declared(
    walk: Walk,
    expr: ast.Expr,
    key: tuple[str, str, int],
    declared: ast.FunctionDecl,
    arguments: tuple[ast.Expr, ...],
    around: Around,
) -> Value:
    """A function of the query: its body, with the arguments for its parameters; a recursive one as a whole."""
    from .walk import Around

    if walk.is_fold(declared):
        return walk.single(expr, arguments, around)
    if key in around.active or _recurs(walk, key):
        return _opaque(walk, expr, arguments, around)
    inner = Around(focus=CONSTANT, active=around.active | {key})
    for parameter, argument in zip(declared.parameters, arguments, strict=True):
        inner = inner.where(parameter.name, walk.of(argument, around))
    assert declared.body is not None
    return walk.of(declared.body, inner)


def _opaque(walk: Walk, expr: ast.Expr, arguments: tuple[ast.Expr, ...], around: Around) -> Value:
    """A recursive function may read a sequence in any order, and any number of times."""
    values = [walk.settled(walk.of(argument, around), argument) for argument in arguments]
    folded = [ref for value in values if value.is_sequence for ref in value.refs]
    flows = [ref for value in values if not value.is_sequence for ref in value.refs]
    is_local = any(value.is_local for value in values)
    if not folded:
        return Value(frozenset(flows), is_local=is_local)
    return walk.nodes.atom(label(expr), expr.span, flows, aggregates=folded, blocking=Blocking.OPAQUE)


def _recurs(walk: Walk, key: tuple[str, str, int]) -> bool:
    """Whether a call may lead to the same function."""
    seen: set[tuple[str, str, int]] = set()
    todo = [key]
    while todo:
        declared = walk.functions.get(todo.pop())
        if declared is None or declared.body is None:
            continue
        for node in declared.body.walk():
            called = _called(node)
            if called == key:
                return True
            if called is not None and called not in seen:
                seen.add(called)
                todo.append(called)
    return False


def _called(node: ast.Node) -> tuple[str, str, int] | None:
    match node:
        case ast.FunctionCall(name=name, arguments=arguments):
            return (*name.expanded, len(arguments))
        case ast.NamedFunctionRef(name=name, arity=arity):
            return (*name.expanded, arity)
    return None


def _built_in(walk: Walk, expr: ast.Expr, name: ast.Name, arguments: list[ast.Expr], around: Around) -> Value:
    kind = operator(*name.expanded)
    if kind is Operator.PROGRESSIVE or id(expr) in walk.limited:
        return walk.single(expr, arguments, around)
    values = [walk.settled(walk.of(argument, around), argument) for argument in arguments]
    found = walk.together(values, expr)
    if not found.is_sequence:
        return found
    blocking = kind if isinstance(kind, Blocking) else None
    if kind is Operator.PIPELINE and name.local == "unordered":
        return found
    if name.expanded in SEQUENCES:
        return walk.nodes.sequence(label(expr), expr.span, found.refs, blocking=blocking)
    folded = [ref for value in values if value.is_sequence for ref in value.refs]
    flows = [ref for value in values if not value.is_sequence for ref in value.refs]
    return walk.nodes.atom(label(expr), expr.span, flows, aggregates=folded, blocking=blocking)
