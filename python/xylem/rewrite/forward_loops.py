"""Bind the parent of a loop's element by a separate loop, if the body reads it.

    for $x in π/a return … $x/.. …                  →     for $p in π, $x in $p/a return … $p …
    for $x in /b/c/a return … $x/ancestor::b …      →     for $p in /b, $x in $p/c/a return … $p …

Gain:   the parent is an open element with a variable: its attributes are known, and the scan never looks back.
Needs:  a path of child steps, so that its matches do not nest; no position variable. For an ancestor, a path from the
        document in which one step has its name.
Safe:   nested loops over child steps bind the same nodes in the same order, and `$p` is the parent or ancestor. Behind
        a `group by` it has that of each item: `$p/self::node()` gives each node once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from xylem.analysis.ast_replacement import replaced
from xylem.syntax import ast

from .fresh_names import Names
from .step_lists import StepList, is_document, local_name, step_list
from .substitution import variable

N = TypeVar("N", bound=ast.Node)
PARENT = ast.AxisStep("parent", ast.AnyKindTest())


def bind_parent(
    clause: ast.ForClause, rest: Sequence[ast.Clause], result: ast.Expr, names: Names
) -> tuple[tuple[ast.Clause, ...], ast.Expr] | None:
    """The clauses from this one on and the result, with one ancestor bound to a variable; None if none is read."""
    path = step_list(clause.collection)
    if path is None or len(path.steps) < 2 or any(step.axis != "child" for step in path.steps):
        return None
    if clause.position is not None or clause.type is not None or clause.allowing_empty:
        return None
    found = next(_asked_above(clause, (*rest, result), path), None)
    if found is None:
        return None
    up, at = found
    bound = names.invent("parent")
    outer = ast.ForClause(variable(bound).name, None, StepList(path.start, path.steps[:at]).path(), span=clause.span)
    inner = replace(clause, collection=StepList(variable(bound), path.steps[at:]).path())

    one: ast.Expr = variable(bound)
    # Behind a `group by`, the items of a group may have one parent: a step gives it once.
    each = ast.Path(one, ast.AxisStep("self", ast.AnyKindTest()))
    grouped = next((at for at, clause in enumerate(rest) if isinstance(clause, ast.GroupByClause)), len(rest))

    def with_parent(part: N, place: int) -> N:
        above = each if place > grouped else one
        return replaced(part, lambda node: above if isinstance(node, ast.Path) and node == up else None)

    clauses = tuple(with_parent(clause, place) for place, clause in enumerate(rest))
    return (outer, inner, *clauses), with_parent(result, len(rest))


def _asked_above(
    clause: ast.ForClause, parts: Sequence[ast.Node], path: StepList
) -> Iterator[tuple[ast.Path, int]]:
    """The paths `$x/..` and `$x/ancestor::b` in use, each with the number of steps up to its result."""
    names = [local_name(step) for step in path.steps[:-1]]
    here = ast.VarRef(clause.name)
    for part in parts:
        for node in part.walk():
            if not isinstance(node, ast.Path) or node.left != here or not isinstance(node.right, ast.AxisStep):
                continue
            if node.right == PARENT:
                yield node, len(path.steps) - 1
            elif node.right.axis == "ancestor" and not node.right.predicates and _is_top(path.start):
                wanted = local_name(node.right)
                if wanted is not None and None not in names and names.count(wanted) == 1:
                    yield node, names.index(wanted) + 1


def _is_top(start: ast.Expr) -> bool:
    return isinstance(start, ast.Root) or is_document(start)
