"""Bind the parent of a loop's element by a loop of its own, where the body asks for it.

    for $x in π/a return … $x/.. …     →     for $p in π, $x in $p/a return … $p …

Gain:   the parent is an open element with a variable: its attributes are known, and nothing is looked for backwards.
Needs:  a path of child steps, so that its matches do not nest; no position variable.
Safe:   nested loops over child steps bind the same nodes in the same order, and `$x/..` is `$p`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.syntax import ast

from .fresh_names import Names
from .step_lists import StepList, step_list
from .substitution import variable

PARENT = ast.AxisStep("parent", ast.AnyKindTest())


def bind_parent(
    clause: ast.ForClause, rest: Sequence[ast.Clause], result: ast.Expr, names: Names
) -> tuple[tuple[ast.Clause, ...], ast.Expr] | None:
    """The clauses from this one on, and the result, with the parent bound; None where nobody asks for it."""
    up = ast.Path(ast.VarRef(clause.name), PARENT)
    if not any(node == up for part in (*rest, result) for node in part.walk() if isinstance(node, ast.Path)):
        return None
    path = step_list(clause.collection)
    if path is None or len(path.steps) < 2 or any(step.axis != "child" for step in path.steps):
        return None
    if clause.position is not None or clause.type is not None or clause.allowing_empty:
        return None
    bound = names.invent("parent")
    outer = ast.ForClause(variable(bound).name, None, StepList(path.start, path.steps[:-1]).path(), span=clause.span)
    inner = replace(clause, collection=ast.Path(variable(bound), path.steps[-1], span=clause.collection.span))

    def parent(node: ast.Node) -> ast.Node | None:
        return variable(bound) if isinstance(node, ast.Path) and node == up else None

    clauses = tuple(replaced(one, parent) for one in rest)
    return (outer, inner, *clauses), replaced(result, parent)
