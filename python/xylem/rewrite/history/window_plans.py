"""Windows over the items of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.free_variables import free_in
from xylem.plan import history as plan
from xylem.syntax import ast

from .expressions import COUNTS, PLAIN, NoOperator, call
from .input_paths import NAMESPACE
from .locality import looks_back
from .loop_plans import LoopPlans
from .plan_base import Beside

KINDS = ("tumbling", "sliding")


class WindowPlans(LoopPlans):
    """Plans loops over windows."""

    def _windows(
        self,
        clause: ast.WindowClause,
        rest: Sequence[ast.Clause],
        result: ast.Expr,
        expr: ast.Expr,
        fold: str | None,
        *,
        is_single: bool = False,
    ) -> plan.Loop | None:
        """The loop over the items, whose windows give the rows; None if no operator forms them.

        `is_single`: a window has one item.
        """
        if clause.kind not in KINDS or clause.type is not None or not self._reads_paths(clause.collection):
            return None
        if not self.is_closed(ast.Flwor((clause, *rest), result)):
            return None
        orders = [one for one in rest if isinstance(one, ast.OrderByClause)]
        plain = [one for one in rest if not isinstance(one, ast.OrderByClause)]
        if len(orders) > 1 or (orders and rest[-1] is not orders[0]):
            return None
        if not all(isinstance(one, PLAIN) for one in plain):
            return None
        specs = orders[0].specs if orders and fold not in (*COUNTS, "min", "max") else ()
        if any(spec.collation is not None for spec in specs):
            return None
        beside = Beside(self)
        start = self._lifted(call("boolean", clause.start.when), beside)
        end = None if clause.end is None else self._lifted(call("boolean", clause.end.when), beside)
        body = self._row(result if fold is None else self._folded_result(fold, result), specs, beside)
        inner = self._lifted_clauses(plain, beside)
        body = ast.Flwor(tuple(inner), body, span=expr.span) if inner else body
        if fold in COUNTS:
            body = call("count", body)
        asked = [start, *(() if end is None else (end,)), body]
        for one in asked:
            self.check(one)
            self._check_mixed(one, beside)
            if looks_back(one):
                raise NoOperator("windows that ask for versions of their items", one)
        if beside.lookups:
            raise NoOperator("a join inside of windows", expr)
        first = self._variables(clause.start.variables)
        last = [] if clause.end is None else self._variables(clause.end.variables)
        positions = {one.position for one in self._asked(clause) if one.position is not None}
        has_positions = any(free_in(one) & {name.expanded for name in positions} for one in asked)
        holes = beside.names
        numbers = [
            self.function([*first, *holes], start),
            None if end is None else self.function([*first, *last, *holes], end),
            self.function([clause.name, *first, *last, *holes], body),
        ]
        # A path may start at several items of a window.
        before, self.takes_together = self.takes_together, self.takes_together or not is_single
        try:
            loop = self._loop(clause.collection)
        finally:
            self.takes_together = before
        if loop is None or loop.group is not None or loop.windows is not None:
            raise NoOperator("windows over what no loop gives", clause)
        assert numbers[0] is not None
        assert numbers[2] is not None
        windows = plan.Windows(
            clause.kind == "sliding",
            is_single,
            clause.end is not None and clause.end.only,
            has_positions,
            numbers[0],
            numbers[1],
            numbers[2],
            tuple((spec.descending, self._empty_greatest(spec)) for spec in specs),
            len(specs),
            tuple(beside.holes),
        )
        return replace(loop, windows=windows, template=None, span=expr.span)

    @staticmethod
    def _asked(clause: ast.WindowClause) -> list[ast.WindowVariables]:
        return [one.variables for one in (clause.start, clause.end) if one is not None]

    def _variables(self, given: ast.WindowVariables) -> list[ast.Name]:
        """The four variables of an item; variables that the query does not name get fresh names."""
        return [
            name or ast.Name(f"beside{self.fresh()}", None, NAMESPACE)
            for name in (given.current, given.position, given.previous, given.next)
        ]
