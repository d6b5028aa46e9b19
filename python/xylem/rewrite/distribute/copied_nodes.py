"""Facts about copied nodes of the input: whether they are in order, without duplicates, and none inside another.

A path over copies is correct only then, because the trees of the copies define identity and order. If the originals may
be nested, which is rare, tasks check whether they are (`run/tasks/flat_items.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.analysis.reach import COPIES, Reach
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..input_reads import ExpandedName
from ..scope_path import flattened, is_input_path


def gathered_reach(expr: ast.Expr, is_nested: bool) -> Reach:
    """The reach of the gathered items of a part."""
    in_order = Reach.NESTED if is_nested else Reach.COPY
    match expr:
        case _ if is_input_path(expr):
            return in_order
        case ast.SetOperation():
            return Reach.NESTED
        case ast.Filter(base=inner) | ast.OrderingExpr(body=inner):
            return gathered_reach(inner, is_nested)
        case ast.FunctionCall(name=name, arguments=(inner,)) if name.expanded == (FN, "unordered"):
            return gathered_reach(inner, is_nested)
        case ast.Flwor(clauses=clauses, result=ast.VarRef() as result):
            loops = [clause for clause in clauses if isinstance(clause, ast.ForClause)]
            if len(loops) == 1 and result.name == loops[0].name:
                return gathered_reach(loops[0].collection, is_nested)
    return Reach.MIXED


class GroupedNodes:
    """The nodes of a group's variables, which are those of its tuples one after another."""

    def __init__(
        self, first: ast.ForClause, before: Sequence[ast.Clause], group: ast.GroupByClause, is_nested: bool
    ) -> None:
        keys = {spec.name.expanded for spec in group.specs if spec.value is None}
        loops = (clause for clause in before if isinstance(clause, ast.ForClause))
        # An item has each of its keys once, so it is in each group once.
        has_loops = any(not (loop.name.expanded in keys and _is_distinct(loop.collection)) for loop in loops)
        self._first = first.name.expanded
        self._own = Reach.REPEATED if has_loops else Reach.NESTED if is_nested else Reach.COPY
        self._values = {clause.name.expanded: clause.value for clause in before if isinstance(clause, ast.LetClause)}

    def reach(self, name: ExpandedName, known: Reach) -> Reach:
        """`known`: the place of the nodes of one tuple."""
        if not known:
            return Reach.NONE
        if known & COPIES:
            # Tasks of other ranges may have copies of the same nodes.
            return Reach.MIXED
        if name == self._first:
            return self._own
        is_flat = self._own is Reach.COPY and name in self._values and _is_below(self._values[name], self._first)
        return Reach.COPY if is_flat else Reach.REPEATED


def _is_distinct(expr: ast.Expr) -> bool:
    return isinstance(expr, ast.FunctionCall) and expr.name.expanded == (FN, "distinct-values")


def _is_below(expr: ast.Expr, item: ExpandedName) -> bool:
    """Whether steps from an item select nodes that do not contain each other."""
    start, steps = flattened(expr)
    axes = {step.axis if isinstance(step, ast.AxisStep) else "" for step in steps if not isinstance(step, ast.Filter)}
    return isinstance(start, ast.VarRef) and start.name.expanded == item and axes <= {"child", "attribute", "self"}
