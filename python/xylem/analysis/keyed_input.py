"""A loop over the different values of a key, and windows over the items with each of them (windows paper, 5.1).

    for $u in distinct-values($log/user)
    forseq $w in $log[user eq $u] …

Over an infinite sequence this means: windows for each user, all at the same time.
"""

from __future__ import annotations

from typing import NamedTuple

from xylem.functions.registry import FN
from xylem.syntax import ast


class KeyedInput(NamedTuple):
    """The sequence, and the key of one of its items, as a path from the item."""

    collection: ast.Expr
    key: ast.Expr


def keyed_input(outer: ast.Clause, inner: ast.Clause) -> KeyedInput | None:
    """The two clauses as one over keyed items; None where they are not such a pair."""
    if not isinstance(outer, ast.ForClause) or not isinstance(inner, (ast.WindowClause, ast.ForseqClause)):
        return None
    if outer.position is not None or outer.allowing_empty or outer.type is not None:
        return None
    match outer.collection, inner.collection:
        case (
            ast.FunctionCall(name=ast.Name(uri=uri, local="distinct-values"), arguments=(ast.Path() as values,)),
            ast.Filter(base=base, predicate=predicate),
        ) if uri == FN:
            steps = _steps(values)
            key = _compared(predicate, outer.name)
            if key is not None and steps[0] == base and _steps(key) == steps[1:] and _is_source(base):
                return KeyedInput(base, key)
    return None


def _is_source(expr: ast.Expr) -> bool:
    """A variable or a stream: the same sequence wherever it is named."""
    if isinstance(expr, ast.FunctionCall):
        return expr.name.local == "stream" and len(expr.arguments) == 1
    return isinstance(expr, ast.VarRef)


def _compared(predicate: ast.Expr, variable: ast.Name) -> ast.Expr | None:
    """E of `E eq $u`, `E = $u` or the same the other way round."""
    if not isinstance(predicate, (ast.ValueComparison, ast.GeneralComparison)) or predicate.op not in ("eq", "="):
        return None
    for one, other in ((predicate.left, predicate.right), (predicate.right, predicate.left)):
        if isinstance(other, ast.VarRef) and other.name.expanded == variable.expanded:
            return one
    return None


def _steps(path: ast.Expr) -> list[ast.Expr]:
    steps: list[ast.Expr] = []
    while isinstance(path, ast.Path):
        steps.append(path.right)
        path = path.left
    return [path, *reversed(steps)]
