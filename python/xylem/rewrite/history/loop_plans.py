"""Loops over the paths of a query, with their orders, groups and histories of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_names
from xylem.analysis.free_variables import free_in
from xylem.analysis.history.operands import PROJECTIONS
from xylem.functions.registry import FN
from xylem.plan import history as plan
from xylem.sink.character_expansion import escape_text
from xylem.syntax import ast

from ..joins.candidates import is_test
from ..substitution import FocusInTheWay, Substitution
from .expressions import COUNTS, FOLDS, PLAIN, NoOperator, call, conjoined, folded_variable, path_from, start_tag
from .input_paths import NAMESPACE, InputPath, projection_of
from .lifting import Lifting
from .locality import durations, is_timeline, looks_back
from .parents import from_above, levels_above, raised
from .plan_base import Beside, PlanBase
from .ranks import ranked

N = TypeVar("N", bound=ast.Node)


class Timelines:
    """The values of a unit whose histories a loop reads: `count($x/b)#1`."""

    def __init__(self, planner: PlanBase, unit: ast.Name | None, has_versions: bool) -> None:
        self._planner = planner
        self._unit = unit
        self._has_versions = has_versions
        self.found: list[plan.Timeline] = []
        self.names: list[ast.Name] = []
        self.values: list[ast.Expr] = []
        """Their inputs, which include the unit."""

    def lifted(self, node: N) -> N:
        return replaced(node, self._by)

    def _by(self, node: ast.Node) -> ast.Node | None:
        if not is_timeline(node) or self._planner.is_closed(node):
            return None
        assert isinstance(node, PROJECTIONS)
        chosen = projection_of(node)
        value = node.base
        if chosen is None or looks_back(value):
            raise NoOperator("the history of a value that looks back itself", node)
        if self._unit is None or self._has_versions or not free_in(value) <= {self._unit.expanded}:
            raise NoOperator("the history of a value of several variables, or of earlier versions", node)
        self._planner.check(value)
        number = self._planner.function([self._unit], value, is_unit=True)
        name = ast.Name(f"timeline{self._planner.fresh()}", None, NAMESPACE)
        self.found.append(plan.Timeline(number, chosen))
        self.names.append(name)
        self.values.append(value)
        self._planner.keep_values(chosen, node)
        return ast.VarRef(name, span=node.span)


class Numbering:
    """The position of a unit's items among those of all units (`at $i`), or of its tuples (`count $n`).

    A unit receives the number of items before it, and reports its own.
    """

    def __init__(self, planner: PlanBase, position: ast.Name | None) -> None:
        self._position = position
        self.base = ast.Name(f"base{planner.fresh()}", None, NAMESPACE)
        self.here = ast.Name(f"here{planner.fresh()}", None, NAMESPACE)
        self.count: ast.Expr = ast.IntegerLiteral(1)

    def numbered(
        self, counted: list[ast.Clause], clause: ast.Clause | None, rest: Sequence[ast.Clause], *, has_place: bool
    ) -> list[ast.Clause]:
        """The clauses of a loop, with numbers after those whose tuples are counted."""
        one = ast.IntegerLiteral(1)
        if counted:
            self.count = call("count", ast.Flwor(tuple(counted), one, span=counted[0].span))
        here: ast.Expr = ast.VarRef(self.here)
        made = list(counted)
        if isinstance(clause, ast.CountClause):
            name = clause.name
            made.append(ast.CountClause(self.here, span=clause.span))
            if not counted:
                # A single tuple, unchanged.
                made, here = [], one
        else:
            assert self._position is not None
            name = self._position
            here = here if has_place else one
        number = ast.Arithmetic("+", ast.VarRef(self.base), here)
        return [*made, ast.LetClause(name, None, number), *rest]


class LoopPlans(Lifting):
    """Plans loops."""

    # --- loops

    def _loop(self, expr: ast.Expr, fold: str | None = None) -> plan.Loop | None:
        """A loop over one of the paths; None for any other loop."""
        clauses, result = self._clauses(expr)
        while clauses and isinstance(clauses[0], ast.LetClause) and not self._reads_input(clauses[0].value):
            # The same for each turn: computed inside.
            at = next((i for i, clause in enumerate(clauses) if not isinstance(clause, ast.LetClause)), None)
            if at is None or not isinstance(clauses[at], ast.ForClause):
                return None
            clauses = [clauses[at], *clauses[:at], *clauses[at + 1 :]]
        if clauses and isinstance(clauses[0], ast.WindowClause):
            return self._windows(clauses[0], clauses[1:], result, expr, fold)
        if (numbered := ranked(clauses, self.fresh)) is not None:
            return self._windows(*numbered, result, expr, fold, is_single=True)
        if not clauses or not isinstance(first := clauses[0], ast.ForClause):
            return None
        if first.allowing_empty or first.type is not None:
            return None
        tests: list[ast.Expr] = []
        collection = first.collection
        while isinstance(collection, ast.Filter) and is_test(collection.predicate):
            tests.insert(0, collection.predicate)
            collection = collection.base
        if not isinstance(collection, ast.VarRef):
            return None
        path = self.paths.paths.get(collection.name.expanded)
        if path is None or not self.is_closed(ast.Flwor(tuple(clauses), result)):
            return None
        return self._loop_over(path, first.name, first.position, tests, clauses[1:], result, expr, fold)

    def _clauses(self, expr: ast.Expr) -> tuple[list[ast.Clause], ast.Expr]:
        match expr:
            case ast.Flwor(clauses=clauses, result=result):
                return list(clauses), result
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "distinct-values"):
                inner, result = self._clauses(argument)
                if not inner or any(isinstance(one, (ast.OrderByClause, ast.GroupByClause)) for one in inner):
                    return [], expr
                value = ast.Name(f"value{self.fresh()}", None, NAMESPACE)
                each = ast.ForClause(value, None, call("data", result), span=expr.span)
                grouped = ast.GroupByClause((ast.GroupingSpec(value, span=expr.span),), span=expr.span)
                return [*inner, each, grouped], ast.VarRef(value, span=expr.span)
            case ast.VarRef() | ast.Filter():
                name = ast.Name(f"item{self.fresh()}", None, NAMESPACE)
                return [ast.ForClause(name, None, expr, span=expr.span)], ast.VarRef(name, span=expr.span)
            case ast.Path(left=left, right=ast.FunctionCall() as right) | ast.SimpleMap(left=left, right=right):
                name = ast.Name(f"item{self.fresh()}", None, NAMESPACE)
                try:
                    result = Substitution({}, ast.VarRef(name, span=left.span)).apply(right)
                except FocusInTheWay:
                    return [], expr
                if result is right or any(
                    isinstance(one, ast.FunctionCall) and one.name.local in ("position", "last") for one in right.walk()
                ):
                    return [], expr
                return [ast.ForClause(name, None, left, span=left.span)], result
        return [], expr

    def _loop_over(
        self,
        path: InputPath,
        name: ast.Name,
        position: ast.Name | None,
        tests: Sequence[ast.Expr],
        clauses: Sequence[ast.Clause],
        result: ast.Expr,
        expr: ast.Expr,
        fold: str | None,
    ) -> plan.Loop | None:
        if position is None and not path.rest:
            wheres = [ast.WhereClause(self._of_variable(test, name), span=test.span) for test in (*path.tests, *tests)]
            levels = levels_above([*wheres, *clauses, result], name)
            found_above = raised(replace(path, tests=()), levels) if levels else None
            if found_above is not None:
                return self._loop_above(found_above, name, [*wheres, *clauses], result, expr, fold)
        group: ast.GroupByClause | None = None
        behind = list(clauses)
        grouped = [i for i, clause in enumerate(clauses) if isinstance(clause, ast.GroupByClause)]
        if grouped:
            found = clauses[grouped[0]]
            assert isinstance(found, ast.GroupByClause)
            group = found
            clauses, behind = clauses[: grouped[0]], list(clauses[grouped[0] + 1 :])
            if len(grouped) > 1 or any(spec.collation or spec.type for spec in group.specs):
                return None
            if any(isinstance(clause, ast.OrderByClause) for clause in clauses):
                return None
        before = [clause for clause in clauses if not isinstance(clause, ast.OrderByClause)]
        orders = [clause for clause in behind if isinstance(clause, ast.OrderByClause)]
        if len(orders) > 1 or (orders and behind[-1] is not orders[0]):
            return None
        counting = [index for index, clause in enumerate(before) if isinstance(clause, ast.CountClause)]
        if len(counting) + (position is not None) > 1:
            return None
        if any(not isinstance(clause, (*PLAIN, ast.JoinClause, ast.CountClause)) for clause in before):
            return None
        specs = orders[0].specs if orders and fold not in ("count", "exists", "empty", "min", "max") else ()
        if any(spec.collation is not None for spec in specs):
            return None
        beside = Beside(self)
        unit = name if not path.rest else ast.Name(f"unit{self.fresh()}", None, NAMESPACE)
        numbering = Numbering(self, position) if position is not None or counting else None
        own: list[ast.Clause] = []
        for test in (*path.tests, *(() if path.rest else tests)):
            own.append(ast.WhereClause(self._of_variable(test, unit), span=test.span))
        if path.rest:
            taken: ast.Expr = ast.VarRef(unit, span=expr.span)
            for step in path.rest:
                taken = ast.Path(taken, step, span=step.span)
            for test in tests:
                taken = ast.Filter(taken, test, span=test.span)
            at = numbering.here if numbering is not None and position is not None else None
            own.append(ast.ForClause(name, None, taken, at, span=expr.span))
        timelines = Timelines(self, unit if not path.rest else None, path.projection is not None)
        before = [timelines.lifted(clause) for clause in before]
        own = [timelines.lifted(clause) for clause in own]
        result = timelines.lifted(result)
        specs = tuple(timelines.lifted(spec) for spec in specs)
        if numbering is None:
            inner = self._lifted_clauses([*own, *before], beside)
        else:
            until = counting[0] if counting else 0
            inner = numbering.numbered(
                self._lifted_clauses([*own, *before[:until]], beside),
                before[until] if counting else None,
                self._lifted_clauses(before[until + 1 if counting else 0 :], beside),
                has_place=bool(path.rest),
            )
        if fold is not None:
            result = self._folded_result(fold, result)
            if fold in COUNTS and isinstance(result, ast.VarRef) and result.name.expanded == name.expanded:
                # One item, whatever it contains.
                result = ast.IntegerLiteral(1, span=result.span)
        grouping: plan.Grouping | None = None
        if group is None:
            body = self._row(result, specs, beside)
        else:
            rest = [clause for clause in behind if not isinstance(clause, ast.OrderByClause)]
            if any(not isinstance(clause, PLAIN) for clause in rest):
                return None
            bound = [name, *(one for clause in before for one in bound_names(clause))]
            body, grouping = self._grouped(group, bound, rest, result, specs, fold, beside)
        template = self._template(body, specs, inner) if fold is None and group is None else None
        body = ast.Flwor(tuple(inner), body, span=expr.span) if inner else body
        if fold in COUNTS and group is None:
            body = call("count", body)
        if numbering is not None:
            body = ast.SequenceExpr((numbering.count, body), span=expr.span)
        self.check(body, beside)
        self._check_mixed(body, beside)
        collects = grouping is not None and grouping.mixes_nodes
        if collects and (beside.holes or beside.lookups):
            raise NoOperator("a path from nodes of several loops that were grouped", group)
        beside.lookups = [self._narrowed(one, body) for one in beside.lookups]
        siblings, passing = self._siblings(path, unit)
        source = self._source(
            path,
            body,
            unit,
            expr,
            is_order_kept=fold not in COUNTS,
            is_flat=collects,
            values=[*timelines.values, *passing],
            lookups=beside.lookups,
        )
        names = [unit, *((numbering.base,) if numbering is not None else ()), *beside.names, *timelines.names]
        if template is not None and numbering is not None:
            filled, pieces, start = template
            template = ast.SequenceExpr((numbering.count, filled), span=expr.span), pieces, start
        return plan.Loop(
            source,
            self.function(names, body, is_unit=True),
            tuple((spec.descending, self._empty_greatest(spec)) for spec in specs),
            len(specs),
            grouping,
            tuple(beside.holes),
            tuple(beside.lookups),
            tuple(timelines.found),
            (*durations(body), *(one.projection for one in timelines.found if one.projection.sign[0] == "?")),
            template=None if template is None else self._filled(template, names),
            is_numbered=numbering is not None,
            siblings=siblings,
            span=expr.span,
        )

    def _siblings(self, path: InputPath, unit: ast.Name) -> tuple[plan.Siblings | None, list[ast.Expr]]:
        """The positions among siblings that matter, and the tests before each of them."""
        if path.siblings is None:
            return None, []
        tests, places = path.siblings
        if not tests:
            return plan.Siblings(None, *places), []
        passing = call("boolean", conjoined(self._of_variable(test, unit) for test in tests))
        self.check(passing)
        if looks_back(passing):
            raise NoOperator("a place among siblings that are chosen by their versions", passing)
        return plan.Siblings(self.function([unit], passing, is_unit=True), *places), [passing]

    def _loop_above(
        self,
        above: tuple[InputPath, Sequence[ast.AxisStep]],
        name: ast.Name,
        clauses: Sequence[ast.Clause],
        result: ast.Expr,
        expr: ast.Expr,
        fold: str | None,
    ) -> plan.Loop | None:
        """A loop over the elements that are ancestors of another loop's items."""
        path, down = above
        names = [ast.Name(f"above{self.fresh()}", None, NAMESPACE) for _ in down]
        unit, *rest = names
        inner: list[ast.Clause] = []
        left = unit
        for step, variable in zip(down, (*rest, name), strict=True):
            taken = ast.Path(ast.VarRef(left, span=expr.span), step, span=expr.span)
            inner.append(ast.ForClause(variable, None, taken, span=expr.span))
            left = variable
        nearest = names[::-1]
        inner += [from_above(clause, name, nearest) for clause in clauses]
        # Descendants of two of them would come twice, and in another order.
        before, self.takes_together = self.takes_together, True
        try:
            return self._loop_over(path, unit, None, (), inner, from_above(result, name, nearest), expr, fold)
        finally:
            self.takes_together = before

    def _row(self, result: ast.Expr, specs: Sequence[ast.OrderSpec], beside: Beside) -> ast.Expr:
        """The row of an iteration: its order keys, then its items."""
        given: ast.Expr = self._lifted(result, beside)
        keys = [self._lifted(spec.key, beside) for spec in specs]
        return ast.SquareArray((*keys, given), span=result.span) if specs else given

    def _template(
        self, body: ast.Expr, specs: Sequence[ast.OrderSpec], inner: Sequence[ast.Clause]
    ) -> tuple[ast.Expr, tuple[str | None, ...], str] | None:
        """An iteration's result for the element around it, with that element's text and start tag; None without one."""
        keys: tuple[ast.Expr, ...] = ()
        element = body
        if specs:
            assert isinstance(body, ast.SquareArray)
            *keys_, element = body.members
            keys = tuple(keys_)
        if not isinstance(element, ast.DirectElement) or (start := start_tag(element)) is None:
            return None
        pieces: list[str | None] = []
        given: list[ast.Expr] = []
        for part in element.content:
            if isinstance(part, ast.DirectText):
                pieces.append(escape_text(part.value))
            elif isinstance(part, ast.EnclosedExpr):
                pieces.append(None)
                given.append(part.body)
            else:
                return None
        if not given:
            return None
        row: ast.Expr = ast.SquareArray((*keys, *given), span=element.span)
        made = ast.Flwor(tuple(inner), row, span=body.span) if inner else row
        return made, (*pieces, f"</{element.name.local}>"), start

    def _filled(
        self, template: tuple[ast.Expr, tuple[str | None, ...], str], names: Sequence[ast.Name]
    ) -> plan.Template:
        body, pieces, start = template
        return plan.Template(self.function(names, body, is_unit=True), pieces, start)

    def _grouped(
        self,
        group: ast.GroupByClause,
        bound: Sequence[ast.Name],
        rest: Sequence[ast.Clause],
        result: ast.Expr,
        specs: Sequence[ast.OrderSpec],
        fold: str | None,
        outer: Beside,
    ) -> tuple[ast.Expr, plan.Grouping]:
        """The row that an iteration adds to its group, and the result of the group."""
        beside = Beside(self)
        keys = [spec.name for spec in group.specs]
        taken = {name.expanded for name in keys}
        of_group: ast.Expr = self._row(result, specs, beside)
        inner = self._lifted_clauses(rest, beside)
        if inner:
            of_group = ast.Flwor(tuple(inner), of_group, span=result.span)
        folds: list[tuple[str, ast.Name, ast.Expr]] = []

        def folded(node: ast.Node) -> ast.Node | None:
            match node:
                case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in FOLDS:
                    of = folded_variable(argument)
                    if of is not None and of not in taken and of in {one.expanded for one in bound}:
                        made = ast.Name(f"fold{self.fresh()}", None, NAMESPACE)
                        given = call("count" if name.local in COUNTS else "data", argument)
                        folds.append((name.local, made, given))
                        return ast.VarRef(made, span=node.span)
            return None

        if not any(isinstance(clause, ast.ForClause) for clause in rest):
            of_group = replaced(of_group, folded)
        if fold in COUNTS:
            of_group = call("count", of_group)
        free = free_in(of_group)
        # The later of two variables with the same name is meant.
        collected = [name for name in {one.expanded: one for one in bound}.values() if name.expanded in free - taken]
        names = [*keys, *collected, *(made for _, made, _ in folds), *beside.names]
        self.check(of_group)
        if looks_back(of_group) or beside.lookups:
            raise NoOperator("groups whose result looks back, or joins", group)
        values = [
            call("data", self._lifted(spec.value or ast.VarRef(spec.name, span=spec.span), outer))
            for spec in group.specs
        ]
        row = ast.SquareArray(
            (*values, *(ast.VarRef(one, span=group.span) for one in collected), *(given for _, _, given in folds)),
            span=group.span,
        )
        described = plan.Grouping(
            len(keys),
            len(collected),
            tuple(one for one, _, _ in folds),
            self.function(names, of_group),
            tuple(beside.holes),
            path_from(of_group, {name.expanded for name in collected}) is not None,
        )
        self._check_mixed(of_group, beside)
        return row, described

    def _empty_greatest(self, spec: ast.OrderSpec) -> bool:
        return self.is_empty_greatest if spec.empty is None else spec.empty == "greatest"

    @staticmethod
    def _folded_result(fold: str, result: ast.Expr) -> ast.Expr:
        return result if fold in COUNTS else call("data", result)
