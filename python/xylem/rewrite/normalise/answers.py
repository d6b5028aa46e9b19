"""Find the loops that return the answer of a query, in contrast to loops whose result feeds another expression."""

from __future__ import annotations

from xylem.syntax import ast


def answering_loops(body: ast.Expr) -> frozenset[int]:
    """The loops, by id, whose items are part of the answer unchanged: their variables keep their names."""
    found: set[int] = set()
    waiting: list[ast.Node] = [body]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Flwor(result=result):
                found.add(id(node))
                waiting.append(result)
            case ast.If(then=then, otherwise=otherwise):
                waiting += [then, otherwise]
            case ast.SequenceExpr(items=items):
                waiting += items
            case ast.DirectElement(content=content):
                waiting += content
            case ast.EnclosedExpr(body=inner):
                waiting.append(inner)
    return frozenset(found)
