"""Errors that are caught, where the kernel knows them for certain: those of casts.

        try { xs:integer($o/qty) } catch * { $err:code }    →   Try(to integer(qty), "err:FORG0001")
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.errors.error import ERR_NAMESPACE
from xylem.functions.registry import FN
from xylem.plan.kernel_expression import (
    NOTHING,
    Call,
    Constant,
    EachNode,
    Formatted,
    Given,
    KernelExpression,
    Matching,
    NodesOf,
    SlotValue,
    Try,
)
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .as_loops import is_atomic

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler

_CAST_ERROR = ast.StringLiteral("err:FORG0001")
"""The code of an error that the kernel knows for certain, as it is written."""


def _is_of_casts(test: ast.NameTest | ast.Wildcard) -> bool:
    """Whether a clause catches the errors of casts."""
    if isinstance(test, ast.NameTest):
        return test.name.expanded == (ERR_NAMESPACE, "FORG0001")
    return test.uri in (None, ERR_NAMESPACE) and test.local in (None, "FORG0001")


def _with_code(body: ast.Expr) -> ast.Expr:
    """What is done with an error: its code stands for a string where it is made one."""
    match body:
        case ast.SequenceExpr(items=items):
            return replace(body, items=tuple(map(_with_code, items)))
        case ast.If(then=then, otherwise=otherwise):
            return replace(body, then=_with_code(then), otherwise=_with_code(otherwise))
        case ast.StringConcat(left=left, right=right):
            return replace(body, left=_as_text(left), right=_as_text(right))
        case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "string"):
            return replace(body, arguments=(_as_text(argument),))
        case ast.FunctionCall(name=name, arguments=arguments) if name.expanded == (FN, "concat"):
            return replace(body, arguments=tuple(map(_as_text, arguments)))
    return body


def _as_text(expr: ast.Expr) -> ast.Expr:
    is_code = isinstance(expr, ast.VarRef) and expr.name.expanded == (ERR_NAMESPACE, "code")
    return _CAST_ERROR if is_code else _with_code(expr)


def caught(c: ExpressionCompiler, expr: ast.TryCatch) -> KernelExpression:
    """try { xs:integer(E) } catch * { F }: the kernel knows errors of casts, and leaves other doubts to code."""
    caught = next((each for each in expr.catches if any(map(_is_of_casts, each.tests))), None)
    if caught is None:
        raise NoTemplate("errors of some kinds", expr)
    body = _with_code(caught.body)
    if any(isinstance(node, ast.VarRef) and node.name.uri == ERR_NAMESPACE for node in body.walk()):
        raise NoTemplate("an error that is asked for more than its code", expr)
    if not is_atomic(expr.body) or not is_atomic(body):
        raise NoTemplate("nodes that may be an error", expr)
    tried = c.value(expr.body)
    if not _is_eager(tried):
        raise NoTemplate("errors that depend on what is computed first", expr)
    return Try(tried, c.value(body))


_EAGER = frozenset(
    {"+", "-", "*", "div", "idiv", "mod", "negate", "plus", "one", "number", "string", "data", "abs", "floor",
     "ceiling", "round", "round-half-to-even", "concat", "upper-case", "lower-case", "normalize-space", "string-length",
     "substring", "translate"}
)  # fmt: skip
"""Operators and functions that compute all their arguments, whatever they are."""


def _is_eager(expression: KernelExpression) -> bool:
    """Whether all of an expression is computed: then an error in it is one of the whole."""
    match expression:
        case Constant() | SlotValue() | Given():
            return True
        case NodesOf():
            return True
        case EachNode(inner=inner):
            # Others than the first may not be asked for their values, but nodes are no errors.
            return _is_node(inner)
        case Matching(value=value) | Formatted(value=value):
            return _is_eager(value)
        case Call(function=function, arguments=arguments):
            return (function in _EAGER or function.startswith("to ")) and all(map(_is_eager, arguments))
    return False


def _is_node(inner: KernelExpression) -> bool:
    match inner:
        case Call(function="if", arguments=(Call(function="eq", arguments=(SlotValue(), Constant())), then, other)):
            return _is_node(then) and other == NOTHING
    return isinstance(inner, NodesOf)
