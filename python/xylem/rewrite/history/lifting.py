"""Values that a function reads besides its unit: those kept by operators, and joins as index lookups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.history.operands import PROJECTIONS
from xylem.plan import history as plan
from xylem.syntax import ast

from ..substitution import FocusInTheWay, Substitution
from .expressions import (
    NoOperator,
    asks_for_versions,
    call,
    condition,
    conjoined,
    stays_apart,
)
from .input_paths import NAMESPACE, InputPath
from .locality import children_read, durations, is_timeline, looks_back
from .plan_base import Beside, PlanBase

EQUALITIES = frozenset({"=", "eq"})


class Lifting(PlanBase):
    """Sources, and functions over them."""

    @staticmethod
    def _of_variable(test: ast.Expr, name: ast.Name) -> ast.Expr:
        """A predicate as a condition on a variable."""
        variable = ast.VarRef(name, span=test.span)
        try:
            return Substitution({}, variable).apply(test)
        except FocusInTheWay:
            return ast.Filter(variable, test, span=test.span)

    def _source(
        self,
        path: InputPath,
        body: ast.Expr,
        unit: ast.Name,
        expr: ast.Expr,
        *,
        is_order_kept: bool = True,
        is_flat: bool = False,
        values: Sequence[ast.Expr] = (),
        lookups: Sequence[plan.Lookup] = (),
    ) -> plan.Source:
        """`values` are further results of a unit; `lookups` are the lookups that the body makes."""
        condition: int | None = None
        levels = 0
        if path.conditions:
            at, tests = path.conditions[0]
            holder = ast.Name(f"unit{self.fresh()}", None, NAMESPACE)
            test = call("boolean", conjoined(self._of_variable(one, holder) for one in tests))
            self.check(test)
            condition = len(self.sources)
            levels = len(path.steps) - 1 - at
            around = plan.Source(
                condition,
                path.stream,
                path.steps[: at + 1],
                children=children_read(test, holder.expanded),
                looks_back=looks_back(test),
                function=self.function([holder], test, is_unit=True),
                by_time=durations(test),
            )
            self.sources.append(around)
            self._keep(test, holder, path.stream, around.steps)
        projection = path.projection
        if projection is not None and asks_for_versions(body, unit):
            raise NoOperator("versions of versions, which reach further back than either says", expr)
        if projection is None and asks_for_versions(body, unit):
            if values:
                raise NoOperator("the history of a value of an element whose versions are asked for", expr)
            if path.siblings is not None:
                # A slot may hold several siblings, or none.
                raise NoOperator("a place among siblings of an element whose versions are asked for", expr)
            # For versions of the element itself, the element is found in its slot, as the newest version.
            projection = plan.Projection("#", "0")
        is_flat = is_flat or path.is_flat or self.takes_together or not stays_apart(path.rest, is_order_kept)
        is_flat = is_flat and path.is_deep
        source = plan.Source(
            len(self.sources),
            path.stream,
            path.steps,
            condition,
            levels,
            None if is_flat else children_read(ast.SequenceExpr((body, *values)), unit.expanded),
            projection,
            is_flat,
            looks_back(body),
            knows_parents=path.siblings is not None,
        )
        self.sources.append(source)
        if path.projection is not None:
            self._keep_projected(path.projection, path.stream, path.steps, path.written or expr)
        self._keep(body, unit, path.stream, path.steps, lookups)
        return source

    # --- values beside a unit

    def _lifted_clauses(self, clauses: Iterable[ast.Clause], beside: Beside) -> list[ast.Clause]:
        made: list[ast.Clause] = []
        for clause in clauses:
            if isinstance(clause, ast.JoinClause):
                made += self._join(clause, beside)
            else:
                made.append(self._lifted(clause, beside))
        return made

    def _lifted(self, expr: ast.Node, beside: Beside) -> Any:
        """An expression with variables for the values that operators maintain."""
        if not self._reads_paths(expr):
            return expr

        def by(node: ast.Node) -> ast.Node | None:
            if not self._reads_paths(node):
                return node
            if is_timeline(node) and self.is_closed(node):
                assert isinstance(node, PROJECTIONS)
                return beside.hole(self._computed(node), node.span)
            match node:
                case ast.Flwor(clauses=clauses) if any(isinstance(one, ast.JoinClause) for one in clauses):
                    inner = self._lifted_clauses(clauses, beside)
                    return replace(node, clauses=tuple(inner), result=self._lifted(node.result, beside))
                case ast.ForClause(collection=collection) | ast.QuantifiedBinding(collection=collection):
                    taken = self._sequence(collection, beside)
                    return None if taken is None else replace(node, collection=taken)
                case ast.WindowClause(collection=collection):
                    taken = self._together(collection, beside)
                    return None if taken is None else replace(node, collection=taken)
                case ast.FunctionCall() if self.is_closed(node):
                    fold = self._fold(node) or self._slice(node)
                    if fold is not None:
                        return beside.hole(fold, node.span)
                    arguments = tuple(
                        self._sequence(argument, beside) or self._lifted(argument, beside)
                        for argument in node.arguments
                    )
                    return replace(node, arguments=arguments)
                case ast.Quantified() if self.is_closed(node):
                    fold = self._fold(node)
                    return None if fold is None else beside.hole(fold, node.span)
                case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
                    return replace(
                        node,
                        left=self._sequence(left, beside) or self._lifted(left, beside),
                        right=self._sequence(right, beside) or self._lifted(right, beside),
                    )
                case ast.Filter() if self.is_closed(node):
                    cut = self._slice(node)
                    return None if cut is None else beside.hole(cut, node.span)
                case ast.VarRef(name=name) if name.expanded in self.scopes:
                    return beside.hole(self.scope(name), node.span)
                case ast.VarRef() | ast.SimpleMap() | ast.Path(right=ast.FunctionCall()):
                    return self._sequence(node, beside)
            return None

        return replaced(expr, by)

    def _sequence(self, expr: ast.Expr, beside: Beside) -> ast.Expr | None:
        """A variable for the items of a loop that is the same for all turns of the outer loops."""
        if not self._reads_paths(expr) or not self.is_closed(expr):
            return None
        found = self._fold(expr) or self._slice(expr) or self._loop(expr)
        return None if found is None else beside.hole(found, expr.span)

    def _together(self, expr: ast.Expr, beside: Beside) -> ast.Expr | None:
        """Handle paths that start at several of the items, which must then not nest."""
        before, self.takes_together = self.takes_together, True
        try:
            return self._sequence(expr, beside)
        finally:
            self.takes_together = before

    def _join(self, clause: ast.JoinClause, beside: Beside) -> list[ast.Clause]:
        """A lookup in a hash index, and the conditions themselves: the index may return too many."""
        tests = [condition(test) for test in clause.tests]
        plain: list[ast.Clause] = [
            ast.ForClause(clause.name, clause.type, clause.collection, clause.position, span=clause.span),
            *(ast.WhereClause(test, span=test.span) for test in tests),
        ]
        path = None
        if isinstance(clause.collection, ast.VarRef):
            path = self.paths.paths.get(clause.collection.name.expanded)
        if clause.place is not None:
            raise NoOperator("a join that takes one match of each parent", clause)
        is_indexed = path is not None and not path.rest and clause.position is None and clause.type is None
        is_indexed = is_indexed and path is not None and path.siblings is None
        asked = [test for test in clause.tests if test.op in EQUALITIES and not test.negated]
        if not is_indexed or not asked or any(self._reads_paths(test.key) for test in asked):
            return self._lifted_clauses(plain, beside)
        assert path is not None
        item = ast.VarRef(clause.name, span=clause.span)
        keys = ast.SquareArray(tuple(call("data", test.key) for test in asked), span=clause.span)
        loop = self._index_loop(path, clause.name, keys, item, clause)
        lookup = plan.Lookup(clause.name.expanded, loop, tuple(test.op for test in asked))
        called = ast.DynamicCall(
            beside.lookup(lookup, clause.span),
            tuple(call("data", self._lifted(test.probe, beside)) for test in asked),
            span=clause.span,
        )
        found: list[ast.Clause] = [ast.ForClause(clause.name, None, called, span=clause.span)]
        return found + [ast.WhereClause(self._lifted(test, beside), span=test.span) for test in tests]

    def _narrowed(self, lookup: plan.Lookup, body: ast.Expr) -> plan.Lookup:
        """A lookup of elements with the parts, and as far back in time, as the surrounding loop reads them."""
        loop = lookup.loop
        if looks_back(body):
            # For the unit and for looked-up elements: both are reevaluated when time changes the choice of versions.
            by_time = tuple(dict.fromkeys((*loop.by_time, *durations(body))))
            loop = replace(loop, source=replace(loop.source, looks_back=True), by_time=by_time)
        read = children_read(body, lookup.variable)
        keys = children_read(self.functions[loop.function].body, lookup.variable)
        if read is not None and keys is not None:
            loop = replace(loop, source=replace(loop.source, children=read | keys))
        self.sources[loop.source.number] = loop.source
        return replace(lookup, loop=loop)

    def _index_loop(
        self, path: InputPath, name: ast.Name, keys: ast.Expr, item: ast.Expr, clause: ast.JoinClause
    ) -> plan.Loop:
        own = [ast.WhereClause(self._of_variable(test, name), span=test.span) for test in path.tests]
        body: ast.Expr = ast.Flwor(tuple(own), keys, span=clause.span) if own else keys
        self.check(body)
        # The result of a lookup may start a path, so its nodes need identity and order.
        source = self._source(path, ast.SequenceExpr((body, item)), name, clause.collection, is_flat=True)
        return plan.Loop(source, self.function([name], body, is_unit=True), by_time=durations(body), span=clause.span)
