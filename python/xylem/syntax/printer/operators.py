"""Operators as text."""

from __future__ import annotations

from .. import ast
from ..parser.operators import (
    ADDITIVE,
    AND,
    ARROW,
    CAST,
    CASTABLE,
    COMPARISON,
    CONCAT,
    INSTANCE,
    LEVELS,
    OR,
    RANGE,
    TREAT,
)
from .lexical import name_text
from .primaries import arguments
from .types import sequence_type_text, single_type_text
from .writer import ANY, UNARY, VALUE, Writer, level_of, prints

_Binary = (
    ast.Or
    | ast.And
    | ast.ValueComparison
    | ast.GeneralComparison
    | ast.NodeComparison
    | ast.StringConcat
    | ast.Range
    | ast.Arithmetic
    | ast.SetOperation
)
_SIGNS: dict[type[ast.Expr], str] = {ast.Or: "or", ast.And: "and", ast.StringConcat: "||", ast.Range: "to"}
_TYPED = ast.InstanceOf | ast.TreatAs | ast.CastableAs | ast.CastAs


def _sign(node: _Binary) -> str:
    return _SIGNS[type(node)] if isinstance(node, ast.Or | ast.And | ast.StringConcat | ast.Range) else node.op


def _level(node: ast.Expr) -> int:
    """The level of a node, which for arithmetic and set operators depends on the operator."""
    if isinstance(node, ast.Arithmetic | ast.SetOperation):
        return LEVELS[node.op]
    return level_of(node)


def _operand(out: Writer, node: ast.Expr, level: int) -> None:
    # After a type, `*` and `+` would be read as its occurrence: such operands get brackets under arithmetic.
    if _level(node) < level or (isinstance(node, _TYPED) and level > COMPARISON):
        out.bracketed(node)
    else:
        out.expr(node, ANY)


@prints(OR, ast.Or)
@prints(AND, ast.And)
@prints(CONCAT, ast.StringConcat)
@prints(ADDITIVE, ast.Arithmetic, ast.SetOperation)
def _chain(out: Writer, node: _Binary) -> None:
    """Operators that associate to the left; a chain of them is written by a loop."""
    level = _level(node)
    links: list[_Binary] = []
    left: ast.Expr = node
    while isinstance(left, ast.Or | ast.And | ast.StringConcat | ast.Arithmetic | ast.SetOperation):
        if _level(left) != level:
            break
        links.append(left)
        left = left.left
    _operand(out, left, level)
    for link in reversed(links):
        out.put(f" {_sign(link)} ")
        _operand(out, link.right, level + 1)


@prints(COMPARISON, ast.ValueComparison, ast.GeneralComparison, ast.NodeComparison)
@prints(RANGE, ast.Range)
def _once(out: Writer, node: _Binary) -> None:
    level = _level(node)
    _operand(out, node.left, level + 1)
    out.put(f" {_sign(node)} ")
    _operand(out, node.right, level + 1)


@prints(INSTANCE, ast.InstanceOf)
def _instance_of(out: Writer, node: ast.InstanceOf) -> None:
    _typed(out, node.operand, f"instance of {sequence_type_text(node.type)}", INSTANCE)


@prints(TREAT, ast.TreatAs)
def _treat_as(out: Writer, node: ast.TreatAs) -> None:
    _typed(out, node.operand, f"treat as {sequence_type_text(node.type)}", TREAT)


@prints(CASTABLE, ast.CastableAs)
def _castable_as(out: Writer, node: ast.CastableAs) -> None:
    _typed(out, node.operand, f"castable as {single_type_text(node.type)}", CASTABLE)


@prints(CAST, ast.CastAs)
def _cast_as(out: Writer, node: ast.CastAs) -> None:
    _typed(out, node.operand, f"cast as {single_type_text(node.type)}", CAST)


def _typed(out: Writer, operand: ast.Expr, rest: str, level: int) -> None:
    # `**` is an occurrence only before a closing bracket (see TypeGrammar.sequence_type).
    open_ended = rest.endswith("**")
    out.put("(" if open_ended else "")
    _operand(out, operand, level + 1)
    out.put(f" {rest}" + (")" if open_ended else ""))


@prints(ARROW, ast.Arrow)
def _arrow(out: Writer, node: ast.Arrow) -> None:
    links: list[ast.Arrow] = []
    left: ast.Expr = node
    while isinstance(left, ast.Arrow):
        links.append(left)
        left = left.operand
    _operand(out, left, ARROW + 1)
    for link in reversed(links):
        out.put(" => ")
        if isinstance(link.function, ast.Name):
            out.put(name_text(link.function))
        elif isinstance(link.function, ast.VarRef):
            out.part(link.function)
        else:
            out.bracketed(link.function)
        arguments(out, link.arguments)


@prints(UNARY, ast.Unary)
def _unary(out: Writer, node: ast.Unary) -> None:
    operand: ast.Expr = node
    while isinstance(operand, ast.Unary):
        out.put(operand.op)
        operand = operand.operand
    _operand(out, operand, UNARY)


@prints(VALUE, ast.Validate)
def _validate(out: Writer, node: ast.Validate) -> None:
    out.put(f"validate type {name_text(node.type)} " if node.type else f"validate {node.mode} ")
    _filled(out, node.body)


def _filled(out: Writer, body: ast.Expr) -> None:
    """Braces that may not be empty."""
    if isinstance(body, ast.SequenceExpr) and not body.items:
        out.put("{ () }")
    else:
        out.braced(body)


@prints(VALUE, ast.Pragma)
def _pragma(out: Writer, node: ast.Pragma) -> None:
    out.put(f"(# {name_text(node.name)} {node.content}#)" if node.content else f"(# {name_text(node.name)} #)")


@prints(VALUE, ast.ExtensionExpr)
def _extension(out: Writer, node: ast.ExtensionExpr) -> None:
    out.listed(node.pragmas, " ")
    out.put(" ")
    if node.body is None:
        out.put("{}")
    else:
        _filled(out, node.body)
