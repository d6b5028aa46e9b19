"""Expressions that must not be evaluated early, because the query may skip them or catch their errors."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.functions.traits import OUTSIDE
from xylem.syntax import ast

from ..scope_path import flattened


def surely_evaluated(expr: ast.Node) -> frozenset[int]:
    """The identities of the nodes that are always evaluated with the expression, and whose errors are its errors."""
    return frozenset(map(id, _sure(expr)))


def _sure(node: ast.Node) -> Iterator[ast.Node]:
    yield node
    match node:
        case ast.If(test=first) | ast.Switch(operand=first) | ast.Typeswitch(operand=first):
            children: tuple[ast.Node, ...] = (first,)
        case ast.And(left=first) | ast.Or(left=first):
            children = (first,)
        case ast.Flwor(clauses=(ast.ForClause(collection=first), *_)):
            children = (first,)
        case ast.Quantified(bindings=(binding, *_)):
            children = (binding.collection,)
        case ast.TryCatch() | ast.InlineFunction() | ast.Flwor():
            children = ()
        case ast.Path(left=first) | ast.SimpleMap(left=first) | ast.Filter(base=first):
            children = (first,)
        case _:
            children = tuple(node.children())
    for child in children:
        yield from _sure(child)


def cannot_fail(expr: ast.Expr) -> bool:
    """Steps without predicates from a variable, and names of nodes at the end of them."""
    if isinstance(expr, ast.FunctionCall) and expr.name.expanded in OUTSIDE:
        return len(expr.arguments) == 1 and cannot_fail(expr.arguments[0])
    start, parts = flattened(expr)
    return isinstance(start, ast.VarRef) and all(isinstance(p, ast.AxisStep) and not p.predicates for p in parts)
