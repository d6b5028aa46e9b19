"""Conditions with a variable that a later loop binds, as conditions with all of its items.

    for $x in E, $y in F where A($x) = $y/b     →     for join $x in E by A($x) = F/b, $y in F where A($x) = $y/b
    for $x in E, $y in $x/a where $y = B        →     for join $x in E by $x/a = B, $y in $x/a where $y = B

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
    condition: Condition,
    own: Collection[tuple[str, str]],
    ranges: Mapping[tuple[str, str], ast.Expr],
    hidden: Collection[tuple[str, str]],
) -> Condition:
    """The condition that holds for one item of a later loop if the given one does; the same object if none does.

    `own` are the variables of the loop, and `hidden` these and all that are bound after it.
    """
    if condition.op not in ("=", "eq") or condition.negated:
        return condition
    of_item = _over(condition.own, ranges, set(hidden) - set(own), set(hidden) - set(own))
    others = _over(condition.other, ranges, set(hidden), set(hidden))
    if of_item is condition.own and others is condition.other:
        return condition
    return condition._replace(own=of_item, op="=", other=others, is_implied=True)


def _over(
    side: ast.Expr,
    ranges: Mapping[tuple[str, str], ast.Expr],
    replaced: Collection[tuple[str, str]],
    unread: Collection[tuple[str, str]],
) -> ast.Expr:
    """A side with the items of a loop for its variable, if they read none of some variables."""
    later = [name for name in read_variables(side) if name in replaced]
    if len(later) != 1 or later[0] not in ranges or not _is_steps(side) or not _is_steps(ranges[later[0]]):
        return side
    if reads_focus(side) or read_variables(ranges[later[0]]) & set(unread):
        return side
    return Substitution({later[0]: ranges[later[0]]}).apply(side)


def _is_steps(expr: ast.Expr) -> bool:
    """$x/a/b, or a/b, without predicates."""
    while isinstance(expr, ast.Path):
        if not isinstance(expr.right, ast.AxisStep) or expr.right.predicates:
            return False
        expr = expr.left
    return isinstance(expr, (ast.VarRef, ast.ContextItem, ast.Root)) or (
        isinstance(expr, ast.AxisStep) and not expr.predicates
    )
