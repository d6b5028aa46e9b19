"""Conditions with a variable that a later loop binds, as conditions with all of its items.

    for $x in E, $y in F where A($x) = $y/b     →     for join $x in E by A($x) = F/b, $y in F where A($x) = $y/b

Gain:   a lookup instead of a loop over all pairs, in whatever order the loops stand.
Needs:  an equality; F is the same for all items of E, and its values are a path: no error comes early.
Safe:   what equals the value of one item equals one of the values of all items. The condition itself is tested later.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from xylem.analysis.bound_names import read_variables
from xylem.analysis.focus import reads_focus
from xylem.syntax import ast

from ..substitution import Substitution
from .condition import Condition


def over_ranges(
    condition: Condition, ranges: Mapping[tuple[str, str], ast.Expr], hidden: Collection[tuple[str, str]]
) -> Condition:
    """The condition that holds for one item of a later loop if the given one does; the same object if none does."""
    if condition.op not in ("=", "eq") or condition.negated:
        return condition
    later = [name for name in read_variables(condition.other) if name in hidden]
    if len(later) != 1 or later[0] not in ranges or reads_focus(condition.other):
        return condition
    items = ranges[later[0]]
    if not (_is_steps(items) and _is_steps(condition.other)):
        return condition
    values = Substitution({later[0]: items}).apply(condition.other)
    return condition._replace(op="=", other=values, is_implied=True)


def _is_steps(expr: ast.Expr) -> bool:
    """$x/a/b, or a/b, without predicates."""
    while isinstance(expr, ast.Path):
        if not isinstance(expr.right, ast.AxisStep) or expr.right.predicates:
            return False
        expr = expr.left
    return isinstance(expr, (ast.VarRef, ast.ContextItem, ast.Root)) or (
        isinstance(expr, ast.AxisStep) and not expr.predicates
    )
