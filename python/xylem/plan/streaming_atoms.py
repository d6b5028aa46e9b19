"""Conditions and aggregates that are computed while values pass, so no values are kept (thesis §3.7.2.3, §3.8.1.4).

A streaming atomic condition compares a path with a constant, or tests whether it selects anything; a streaming function
is an aggregate of a path. Both need one flag, or one number, if a handler binds the variable.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.streamable_paths import streamable_path
from xylem.functions.registry import FN
from xylem.functions.traits import AGGREGATES
from xylem.syntax import ast

_ATOMS = (ast.GeneralComparison, ast.ValueComparison, ast.FunctionCall)


def is_streaming_function(expr: ast.Expr) -> bool:
    """f($x/π) with an aggregate that is computed as the values pass (Def. 3.8.9)."""
    match expr:
        case ast.FunctionCall(name=name, arguments=(argument,)):
            return name.expanded in AGGREGATES and is_variable_path(argument)
    return False


def is_variable_path(expr: ast.Expr) -> bool:
    """$x/π, where π goes down by name."""
    found = streamable_path(expr, _Every())
    return found is not None and not any(step.predicates for step in found.steps)


class _Every:
    def __contains__(self, name: object) -> bool:
        return True


def is_simple_condition(condition: ast.Expr) -> bool:
    """Whether it is not a join: every comparison has a constant, or aggregates, on at least one side."""
    match condition:
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            return is_simple_condition(left) and is_simple_condition(right)
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=arguments) if uri == FN:
            if local in ("true", "false"):
                return not arguments
            if local in ("not", "boolean") and len(arguments) == 1:
                return is_simple_condition(arguments[0])
            return is_streaming_function(condition)
        case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
            if is_streaming_function(left):
                return is_streaming_function(right) or isinstance(right, LITERALS)
            if isinstance(left, LITERALS):
                return isinstance(right, LITERALS) or _is_operand(right)
            return isinstance(right, LITERALS) and _is_operand(left)
    return is_variable_path(condition)


def _is_operand(expr: ast.Expr) -> bool:
    return is_variable_path(expr) or is_streaming_function(expr)


def without_streaming_atoms(expression: ast.Expr, streamed: frozenset[str]) -> ast.Expr:
    """The rest of a condition, or of a leaf, after its streaming atoms over these variables have been decided."""

    def decided(node: ast.Node) -> ast.Node | None:
        is_atom = isinstance(node, _ATOMS) and is_simple_condition(node) and variables_of(node) <= streamed
        return ast.SequenceExpr() if is_atom or is_streaming_aggregate(node, streamed) else None

    # A path is a condition only if its truth is used.
    if is_simple_condition(expression) and variables_of(expression) <= streamed:
        return ast.SequenceExpr()
    if isinstance(expression, (ast.And, ast.Or)):
        left, right = (without_streaming_atoms(part, streamed) for part in (expression.left, expression.right))
        return replace(expression, left=left, right=right)
    return replaced(expression, decided)


def is_streaming_aggregate(node: ast.Node, streamed: frozenset[str]) -> bool:
    """An aggregate over a path, or over a loop that reads nothing of the stream but the nodes it ranges over."""
    match node:
        case ast.FunctionCall(name=name, arguments=(argument,)):
            if name.expanded not in AGGREGATES or not variables_of(argument) & streamed:
                return False
            return _is_streaming_path(argument, streamed) or _is_streaming_loop(argument, streamed)
    return False


def _is_streaming_path(expr: ast.Expr, streamed: frozenset[str]) -> bool:
    found = streamable_path(expr, streamed)
    return (
        found is not None
        and bool(found.steps)
        and not any(variables_of(predicate) & streamed for step in found.steps for predicate in step.predicates)
    )


def _is_streaming_loop(expr: ast.Expr, streamed: frozenset[str]) -> bool:
    if not isinstance(expr, ast.Flwor):
        return False
    first, *rest = expr.clauses
    if not isinstance(first, ast.ForClause) or not _is_streaming_path(first.collection, streamed):
        return False
    if not all(isinstance(clause, (ast.ForClause, ast.LetClause, ast.WhereClause)) for clause in rest):
        return False
    return not any(variables_of(part) & streamed for part in (*rest, expr.result))


def variables_of(node: ast.Node) -> frozenset[str]:
    """The names of the variables read below."""
    return frozenset(n.name.local for n in node.walk() if isinstance(n, ast.VarRef))
