"""Rewrite expressions so that they can be divided: calls and operators that stand for a loop, a test or a
conversion."""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.plan.spread import PART_NAMESPACE
from xylem.syntax import ast

from .spreading import inlined


def is_document_element(node: ast.Node) -> bool:
    """Whether an expression is /name or /*, which select at most one element of a document."""
    return (
        isinstance(node, ast.Path)
        and isinstance(node.left, ast.Root)
        and isinstance(node.right, ast.AxisStep)
        and node.right.axis == "child"
        and not node.right.predicates
    )


def is_once(first: ast.ForClause) -> bool:
    """Whether a loop iterates over the document element, which is one item."""
    is_plain = first.position is None and first.type is None and not first.allowing_empty
    return is_plain and is_document_element(first.collection)


def once(first: ast.ForClause, rest: ast.Flwor) -> ast.Expr:
    """for $s in /site …: if there is a site, the rest with it."""
    made = inlined(ast.LetClause(first.name, None, first.collection, span=first.span), rest, frozenset())
    test = ast.FunctionCall(ast.Name("exists", "fn", FN), (first.collection,), span=first.span)
    return ast.If(test, made if made.clauses else made.result, ast.SequenceExpr(), span=first.span)


def behind(let: ast.LetClause, made: ast.Expr, flwor: ast.Flwor) -> ast.Expr:
    """The rewritten rest of a FLWOR expression, after one of its bindings if the rest still reads it."""
    if let.name.expanded not in free_in(made):
        return made
    if isinstance(made, ast.Flwor):
        return replace(made, clauses=(let, *made.clauses))
    return ast.Flwor((let,), made, span=flwor.span)


def existence(expr: ast.Quantified) -> ast.FunctionCall:
    """some $x in E satisfies C → exists(for $x in E where C return 1); every → empty(… where not(C) …)"""
    binding = expr.bindings[0]
    is_some = expr.kind == "some"
    test = expr.satisfies if is_some else ast.FunctionCall(ast.Name("not", "fn", FN), (expr.satisfies,))
    clauses = (
        ast.ForClause(binding.name, binding.type, binding.collection, span=binding.span),
        ast.WhereClause(test, span=expr.satisfies.span),
    )
    loop = ast.Flwor(clauses, ast.IntegerLiteral(1), span=expr.span)
    return ast.FunctionCall(ast.Name("exists" if is_some else "empty", "fn", FN), (loop,), span=expr.span)


def converted(value: ast.Expr, kind: ast.SequenceTypeNode) -> ast.Expr:
    """A value converted to a type like a function argument."""
    name = ast.Name("converted", None, PART_NAMESPACE)
    function = ast.InlineFunction((), (ast.Parameter(name, kind),), None, ast.VarRef(name))
    return ast.DynamicCall(function, (value,), span=value.span)


def data_of(body: ast.Expr) -> ast.Expr:
    """data(E)."""
    return ast.FunctionCall(ast.Name("data", "fn", FN), (body,), span=body.span)
