"""From a query to operators that take back what they gave; what has none is computed again, and the plan says why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.free_variables import free_in
from xylem.analysis.history.lengths import lengths
from xylem.analysis.history.operands import PROJECTIONS
from xylem.errors import Span
from xylem.functions.registry import FN
from xylem.plan import history as plan
from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.syntax import ast

from ..fresh_names import bound_names
from ..inline_prolog import inline_prolog
from ..joins.candidates import is_test, is_the_same_each_time
from ..joins.find_joins import JoinFacts, with_joins
from ..let_values import is_read_behind_grouping
from ..substitution import FocusInTheWay, Substitution
from .input_paths import NAMESPACE, STREAMS, InputPath, InputPaths, projection_of, stream_name
from .locality import children_read, durations, is_timeline, looks_back, reason_to_leave

ExpandedName = tuple[str, str]
N = TypeVar("N", bound=ast.Node)
_FOLDS = frozenset((FN, name) for name in ("count", "exists", "empty", "sum", "avg", "min", "max"))
_COUNTS = frozenset({"count", "exists", "empty"})
_EQUALITIES = frozenset({"=", "eq"})
_PLAIN = (ast.ForClause, ast.LetClause, ast.WhereClause)


class NoOperator(Exception):
    """Why an expression cannot be kept up to date by operators."""

    def __init__(self, why: str, node: ast.Node | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.node = node


@dataclass(frozen=True)
class PlannedHistory:
    """A plan, and the functions that its operators call, by number."""

    plan: plan.HistoryPlan
    functions: tuple[ast.InlineFunction, ...]


def plan_history(
    body: ast.Expr,
    prolog: Sequence[ast.Declaration] = (),
    *,
    is_empty_greatest: bool = False,
    finds_joins: bool = True,
) -> PlannedHistory:
    """The operators of a query whose names are resolved."""
    return _Planner(prolog, is_empty_greatest, finds_joins).planned(body)


@dataclass
class _Beside:
    """What a function reads beside its unit, as further parameters."""

    planner: _Planner
    holes: list[plan.Operator] = field(default_factory=list)
    lookups: list[plan.Lookup] = field(default_factory=list)
    _hole_names: list[ast.Name] = field(default_factory=list)
    _lookup_names: list[ast.Name] = field(default_factory=list)

    @property
    def names(self) -> list[ast.Name]:
        """The parameters: holes first, then look-ups."""
        return [*self._hole_names, *self._lookup_names]

    @property
    def given(self) -> list[plan.Operator | plan.Lookup]:
        return [*self.holes, *self.lookups]

    def hole(self, operator: plan.Operator, span: Span) -> ast.VarRef:
        self.holes.append(operator)
        return self._variable("hole", self._hole_names, span)

    def lookup(self, lookup: plan.Lookup, span: Span) -> ast.VarRef:
        self.lookups.append(lookup)
        return self._variable("lookup", self._lookup_names, span)

    def _variable(self, kind: str, names: list[ast.Name], span: Span) -> ast.VarRef:
        name = ast.Name(f"{kind}{self.planner.fresh()}", None, NAMESPACE)
        names.append(name)
        return ast.VarRef(name, span=span)


class _Timelines:
    """The values of a unit whose histories a loop asks for: `count($x/b)#1`."""

    def __init__(self, planner: _Planner, unit: ast.Name | None, has_versions: bool) -> None:
        self._planner = planner
        self._unit = unit
        self._has_versions = has_versions
        self.found: list[plan.Timeline] = []
        self.names: list[ast.Name] = []
        self.values: list[ast.Expr] = []
        """What they are computed from: it reads the unit, too."""

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


class _Planner:
    def __init__(self, prolog: Sequence[ast.Declaration], is_empty_greatest: bool, finds_joins: bool) -> None:
        self.prolog = prolog
        self.is_empty_greatest = is_empty_greatest
        self.finds_joins = finds_joins
        self.paths = InputPaths()
        self.sources: list[plan.Source] = []
        self.functions: list[ast.InlineFunction] = []
        self.kept: list[plan.Kept] = []
        self.notes: list[tuple[Span | None, str]] = []
        self._number = 0
        self._unsafe = {
            declaration.name.expanded: found[0]
            for declaration in prolog
            if isinstance(declaration, ast.FunctionDecl)
            and declaration.body is not None
            and (found := reason_to_leave(declaration.body)) is not None
        }

    def fresh(self) -> int:
        self._number += 1
        return self._number

    def planned(self, body: ast.Expr) -> PlannedHistory:
        body = inline_prolog(body, self.prolog)
        if any(isinstance(node, ast.Root) for node in body.walk()) and any(
            isinstance(node, ast.FunctionCall) and node.name.expanded in STREAMS for node in body.walk()
        ):
            return self._whole(NoOperator("it reads both the context item and stream()"))
        try:
            abstract = self._without_lets(self.paths.abstracted(body))
            if self.finds_joins:
                names = frozenset(self.paths.paths)
                abstract = with_joins(abstract, JoinFacts(sequences=names))
            root = self.operator(abstract)
        except NoOperator as error:
            return self._whole(error)
        return PlannedHistory(
            plan.HistoryPlan(root, tuple(self.sources), tuple(self.kept), notes=tuple(self.notes)),
            tuple(self.functions),
        )

    def _whole(self, error: NoOperator) -> PlannedHistory:
        why = error.why
        span = error.node.span if error.node is not None else None
        note = (span, f"the whole query is evaluated again after each commit: {why}")
        return PlannedHistory(plan.HistoryPlan(plan.Sequence(()), (), whole=why, notes=(note,)), ())

    def _without_lets(self, body: ast.Expr) -> ast.Expr:
        """Paths and what is folded of them in place of the variables that hold them."""

        def flwor(node: ast.Node) -> ast.Node | None:
            if not isinstance(node, ast.Flwor):
                return None
            clauses: list[ast.Clause] = []
            rest = list(node.clauses)
            result = node.result
            while rest:
                clause = rest.pop(0)
                if self._stands_for_path(clause, rest, result):
                    assert isinstance(clause, ast.LetClause)
                    values = Substitution({clause.name.expanded: clause.value})
                    tail = ast.Flwor(tuple(rest), result)
                    made = values.apply(tail)
                    rest, result = list(made.clauses), made.result
                    continue
                clauses.append(clause)
            if len(clauses) == len(node.clauses):
                return None
            made_node: ast.Expr = replace(node, clauses=tuple(clauses), result=result) if clauses else result
            return self._without_lets(made_node)

        return replaced(body, flwor)

    def _stands_for_path(self, clause: ast.Clause, rest: Sequence[ast.Clause], result: ast.Expr) -> bool:
        if not isinstance(clause, ast.LetClause) or clause.type is not None:
            return False
        if not self._reads_paths(clause.value) or not self.is_closed(clause.value):
            return False
        return is_the_same_each_time(clause.value) and not is_read_behind_grouping(clause.name, rest, result)

    # --- questions

    def _reads_paths(self, node: ast.Node) -> bool:
        return any(isinstance(one, ast.VarRef) and one.name.expanded in self.paths.paths for one in node.walk())

    def _reads_input(self, node: ast.Node) -> bool:
        return self._reads_paths(node) or any(
            isinstance(one, ast.Root) or (isinstance(one, ast.FunctionCall) and one.name.expanded in STREAMS)
            for one in node.walk()
        )

    def is_closed(self, node: ast.Node) -> bool:
        """Whether an expression reads no variable of the query but global ones."""
        declared = {d.name.expanded for d in self.prolog if isinstance(d, ast.VariableDecl)}
        return free_in(node) <= self.paths.paths.keys() | declared

    # --- operators

    def operator(self, expr: ast.Expr) -> plan.Operator:
        match expr:
            case ast.SequenceExpr(items=items):
                return plan.Sequence(tuple(map(self.operator, items)))
            case ast.DirectElement():
                made = self._constructor(expr)
                if made is not None:
                    return made
            case ast.If(test=test, then=then, otherwise=otherwise) if self._reads_paths(expr):
                return plan.Conditional(
                    self._computed(_call("boolean", test)), self.operator(then), self.operator(otherwise)
                )
        for find in (self._fold, self._slice, self._loop):
            found = find(expr)
            if found is not None:
                return found
        return self._computed(expr)

    def _constructor(self, expr: ast.DirectElement) -> plan.Operator | None:
        if expr.namespaces or expr.name.uri or expr.name.prefix or not self._reads_input(expr):
            return None
        if any(not isinstance(part, str) for attribute in expr.attributes for part in attribute.parts):
            return None
        if any(attribute.name.prefix or attribute.name.uri for attribute in expr.attributes):
            return None
        tag = expr.name.local + "".join(
            f' {attribute.name.local}="{escape_attribute("".join(map(str, attribute.parts)))}"'
            for attribute in expr.attributes
        )
        parts: list[plan.Operator] = []
        for part in expr.content:
            if isinstance(part, ast.DirectText):
                parts.append(plan.Text(escape_text(part.value)))
            elif isinstance(part, ast.EnclosedExpr):
                parts.append(self.operator(part.body))
            else:
                parts.append(self.operator(part))
        return plan.Constructor(f"<{tag}", tuple(parts), f"</{expr.name.local}>", expr.name.local)

    def _fold(self, expr: ast.Expr) -> plan.Operator | None:
        """count($path1/x), some $x in $path1 satisfies …"""
        match expr:
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in _FOLDS:
                if not self._reads_paths(argument):
                    return None
                loop = self._loop(argument, fold=name.local)
                return None if loop is None else plan.Fold(name.local, loop)
            case ast.Quantified(kind=kind, bindings=bindings, satisfies=satisfies):
                if not self._reads_paths(expr):
                    return None
                clauses: list[ast.Clause] = [
                    ast.ForClause(one.name, one.type, one.collection, span=one.span) for one in bindings
                ]
                test = satisfies if kind == "some" else _call("not", satisfies)
                clauses.append(ast.WhereClause(test, span=satisfies.span))
                turned = ast.Flwor(tuple(clauses), ast.IntegerLiteral(1), span=expr.span)
                truth = "exists" if kind == "some" else "empty"
                loop = self._loop(turned, fold=truth)
                return None if loop is None else plan.Fold(truth, loop)
        return None

    def _slice(self, expr: ast.Expr) -> plan.Operator | None:
        """(E)[3], head(E), (E)[last()], subsequence(E, 2, 5)."""
        base: ast.Expr
        start: int
        end: int | None
        match expr:
            case ast.Filter(base=base, predicate=ast.IntegerLiteral(value=value)) if value > 0:
                start, end = value - 1, value
            case ast.Filter(base=base, predicate=ast.FunctionCall(name=name, arguments=())) if (
                name.expanded == (FN, "last")
            ):
                start, end = -1, None
            case ast.FunctionCall(name=name, arguments=(base,)) if name.expanded == (FN, "head"):
                start, end = 0, 1
            case ast.FunctionCall(name=name, arguments=(base,)) if name.expanded == (FN, "tail"):
                start, end = 1, None
            case ast.FunctionCall(
                name=name, arguments=(base, ast.IntegerLiteral(value=first), ast.IntegerLiteral(value=length))
            ) if name.expanded == (FN, "subsequence") and first > 0 and length >= 0:
                start, end = first - 1, first - 1 + length
            case ast.Filter(
                base=base,
                predicate=ast.GeneralComparison(
                    op="<=" | "<" as op,
                    left=ast.FunctionCall(name=name, arguments=()),
                    right=ast.IntegerLiteral(value=value),
                ),
            ) if name.expanded == (FN, "position"):
                start, end = 0, max(value if op == "<=" else value - 1, 0)
            case _:
                return None
        if not self._reads_paths(base):
            return None
        loop = self._loop(base)
        return None if loop is None else plan.Slice(loop, start, end)

    def _computed(self, expr: ast.Expr) -> plan.Operator:
        """An expression over folds, computed again when one of them changes."""
        if not self._reads_input(expr):
            self.check(expr)
            number = self.function([], expr)
            return plan.Computed(number, (), span=expr.span)
        beside = _Beside(self)
        timeline: plan.Projection | None = None
        note = ""
        body = expr
        if is_timeline(expr):
            assert isinstance(expr, PROJECTIONS)
            timeline = projection_of(expr)
            if timeline is None or looks_back(expr.base):
                raise NoOperator("it asks for the history of values that look back themselves", expr)
            body = expr.base
            self.keep_values(timeline, expr)
        lifted = self._lifted(body, beside)
        self.check(lifted)
        self._check_mixed(lifted, beside)
        if looks_back(lifted):
            raise NoOperator("a projection of what is computed of several parts", expr)
        if beside.lookups:
            raise NoOperator("a join outside of all loops", expr)
        number = self.function(beside.names, lifted)
        if any(isinstance(hole, plan.Loop) for hole in beside.holes):
            note = "computed again from the items it reads when one of them changes"
            self.notes.append((expr.span, note))
        return plan.Computed(number, tuple(beside.holes), note=note, span=expr.span, timeline=timeline)

    # --- loops

    def _loop(self, expr: ast.Expr, fold: str | None = None) -> plan.Loop | None:
        """A loop over one of the paths; None where it is none."""
        clauses, result = self._clauses(expr)
        while clauses and isinstance(clauses[0], ast.LetClause) and not self._reads_input(clauses[0].value):
            # The same for each turn: computed inside.
            at = next((i for i, clause in enumerate(clauses) if not isinstance(clause, ast.LetClause)), None)
            if at is None or not isinstance(clauses[at], ast.ForClause):
                return None
            clauses = [clauses[at], *clauses[:at], *clauses[at + 1 :]]
        if not clauses or not isinstance(first := clauses[0], ast.ForClause):
            return None
        if first.position is not None or first.allowing_empty or first.type is not None:
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
        return self._loop_over(path, first.name, tests, clauses[1:], result, expr, fold)

    def _clauses(self, expr: ast.Expr) -> tuple[list[ast.Clause], ast.Expr]:
        match expr:
            case ast.Flwor(clauses=clauses, result=result):
                return list(clauses), result
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "distinct-values"):
                inner, result = self._clauses(argument)
                if not inner or any(isinstance(one, (ast.OrderByClause, ast.GroupByClause)) for one in inner):
                    return [], expr
                value = ast.Name(f"value{self.fresh()}", None, NAMESPACE)
                each = ast.ForClause(value, None, _call("data", result), span=expr.span)
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
        tests: Sequence[ast.Expr],
        clauses: Sequence[ast.Clause],
        result: ast.Expr,
        expr: ast.Expr,
        fold: str | None,
    ) -> plan.Loop | None:
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
        if any(not isinstance(clause, (*_PLAIN, ast.JoinClause)) for clause in before):
            return None
        specs = orders[0].specs if orders and fold not in ("count", "exists", "empty", "min", "max") else ()
        if any(spec.collation is not None for spec in specs):
            return None
        beside = _Beside(self)
        unit = name if not path.rest else ast.Name(f"unit{self.fresh()}", None, NAMESPACE)
        own: list[ast.Clause] = []
        for test in (*path.tests, *(() if path.rest else tests)):
            own.append(ast.WhereClause(self._of_variable(test, unit), span=test.span))
        if path.rest:
            taken: ast.Expr = ast.VarRef(unit, span=expr.span)
            for step in path.rest:
                taken = ast.Path(taken, step, span=step.span)
            for test in tests:
                taken = ast.Filter(taken, test, span=test.span)
            own.append(ast.ForClause(name, None, taken, span=expr.span))
        timelines = _Timelines(self, unit if not path.rest else None, path.projection is not None)
        before = [timelines.lifted(clause) for clause in before]
        own = [timelines.lifted(clause) for clause in own]
        result = timelines.lifted(result)
        specs = tuple(timelines.lifted(spec) for spec in specs)
        inner = self._lifted_clauses([*own, *before], beside)
        if fold is not None:
            result = self._folded_result(fold, result)
            if fold in _COUNTS and isinstance(result, ast.VarRef) and result.name.expanded == name.expanded:
                # One item, whatever is in it.
                result = ast.IntegerLiteral(1, span=result.span)
        grouping: plan.Grouping | None = None
        if group is None:
            body = self._row(result, specs, beside)
        else:
            rest = [clause for clause in behind if not isinstance(clause, ast.OrderByClause)]
            if any(not isinstance(clause, _PLAIN) for clause in rest):
                return None
            bound = [name, *(one for clause in before for one in bound_names(clause))]
            body, grouping = self._grouped(group, bound, rest, result, specs, fold, beside)
        body = ast.Flwor(tuple(inner), body, span=expr.span) if inner else body
        if fold in _COUNTS and group is None:
            body = _call("count", body)
        self.check(body)
        self._check_mixed(body, beside)
        collects = grouping is not None and grouping.mixes_nodes
        if collects and (beside.holes or beside.lookups):
            raise NoOperator("a path from nodes of several loops that were grouped", group)
        beside.lookups = [self._narrowed(one, body) for one in beside.lookups]
        source = self._source(
            path, body, unit, expr, is_order_kept=fold not in _COUNTS, is_flat=collects, values=timelines.values
        )
        return plan.Loop(
            source,
            self.function([unit, *beside.names, *timelines.names], body, is_unit=True),
            tuple((spec.descending, self._empty_greatest(spec)) for spec in specs),
            len(specs),
            grouping,
            tuple(beside.holes),
            tuple(beside.lookups),
            tuple(timelines.found),
            (*durations(body), *(one.projection for one in timelines.found if one.projection.sign[0] == "?")),
            span=expr.span,
        )

    def _row(self, result: ast.Expr, specs: Sequence[ast.OrderSpec], beside: _Beside) -> ast.Expr:
        """What a turn gives: its items, behind the keys they are ordered by."""
        given: ast.Expr = self._lifted(result, beside)
        keys = [self._lifted(spec.key, beside) for spec in specs]
        return ast.SquareArray((*keys, given), span=result.span) if specs else given

    def _grouped(
        self,
        group: ast.GroupByClause,
        bound: Sequence[ast.Name],
        rest: Sequence[ast.Clause],
        result: ast.Expr,
        specs: Sequence[ast.OrderSpec],
        fold: str | None,
        outer: _Beside,
    ) -> tuple[ast.Expr, plan.Grouping]:
        """The row that a turn gives to its group, and what becomes of the group."""
        beside = _Beside(self)
        keys = [spec.name for spec in group.specs]
        taken = {name.expanded for name in keys}
        of_group: ast.Expr = self._row(result, specs, beside)
        inner = self._lifted_clauses(rest, beside)
        if inner:
            of_group = ast.Flwor(tuple(inner), of_group, span=result.span)
        folds: list[tuple[str, ast.Name, ast.Expr]] = []

        def folded(node: ast.Node) -> ast.Node | None:
            match node:
                case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in _FOLDS:
                    of = _folded_variable(argument)
                    if of is not None and of not in taken and of in {one.expanded for one in bound}:
                        made = ast.Name(f"fold{self.fresh()}", None, NAMESPACE)
                        given = _call("count" if name.local in _COUNTS else "data", argument)
                        folds.append((name.local, made, given))
                        return ast.VarRef(made, span=node.span)
            return None

        if not any(isinstance(clause, ast.ForClause) for clause in rest):
            of_group = replaced(of_group, folded)
        if fold in _COUNTS:
            of_group = _call("count", of_group)
        free = free_in(of_group)
        # Of two variables of one name the later one is meant.
        collected = [name for name in {one.expanded: one for one in bound}.values() if name.expanded in free - taken]
        names = [*keys, *collected, *(made for _, made, _ in folds), *beside.names]
        self.check(of_group)
        if looks_back(of_group) or beside.lookups:
            raise NoOperator("groups whose result looks back, or joins", group)
        values = [
            _call("data", self._lifted(spec.value or ast.VarRef(spec.name, span=spec.span), outer))
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
            _path_from(of_group, {name.expanded for name in collected}) is not None,
        )
        self._check_mixed(of_group, beside)
        return row, described

    def _empty_greatest(self, spec: ast.OrderSpec) -> bool:
        return self.is_empty_greatest if spec.empty is None else spec.empty == "greatest"

    @staticmethod
    def _folded_result(fold: str, result: ast.Expr) -> ast.Expr:
        return result if fold in _COUNTS else _call("data", result)

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
    ) -> plan.Source:
        """`values`: what is computed of a unit beside the body."""
        condition: int | None = None
        levels = 0
        if path.conditions:
            at, tests = path.conditions[0]
            holder = ast.Name(f"unit{self.fresh()}", None, NAMESPACE)
            test = ast.FunctionCall(ast.Name("boolean", "fn", FN), (_all(self._of_variable(t, holder) for t in tests),))
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
        if projection is not None and _asks_for_versions(body, unit):
            raise NoOperator("versions of versions, which reach further back than either says", expr)
        if projection is None and _asks_for_versions(body, unit):
            # Versions of the element itself: it is found in its slot, as the newest version.
            projection = plan.Projection("#", "0")
        is_flat = path.is_deep and (is_flat or not _stays_apart(path.rest, is_order_kept))
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
        )
        self.sources.append(source)
        if path.projection is not None:
            self._keep_projected(path.projection, path.stream, path.steps, path.written or expr)
        self._keep(body, unit, path.stream, path.steps)
        return source

    # --- what is kept of the past

    def keep_values(self, chosen: plan.Projection, expr: ast.Expr) -> None:
        """The history of a value."""
        self._note_kept(chosen, "", (), expr, "T")

    def _keep_projected(
        self, chosen: plan.Projection, stream: str, steps: tuple[plan.Step, ...], expr: ast.Expr
    ) -> None:
        self._note_kept(chosen, stream, steps, expr, "S")

    def _note_kept(
        self, chosen: plan.Projection, stream: str, steps: tuple[plan.Step, ...], expr: ast.Expr, rule: str
    ) -> None:
        by_time = chosen.sign.startswith("?")
        versions = 0 if by_time else int(chosen.amount) + 1
        seconds = chosen.amount if by_time else None
        self.kept.append(plan.Kept(stream, steps, versions, seconds, _text(expr), expr.span, rule))

    def _keep(self, body: ast.Expr, unit: ast.Name, stream: str, steps: tuple[plan.Step, ...]) -> None:
        """The histories that a function reads of its unit."""
        for node in body.walk():
            if isinstance(node, PROJECTIONS) and is_timeline(node):
                raise NoOperator("the history of a value of each turn of a loop", node)
        lets = {node.name.expanded for node in body.walk() if isinstance(node, ast.LetClause)}
        for length in lengths(body, {unit.expanded: ()}):
            base = getattr(length.projection, "base", None)
            if isinstance(base, ast.VarRef) and base.name.expanded in lets:
                raise NoOperator("a projection of a `let` variable", length.projection)
            chosen = projection_of(length.projection)
            if chosen is None:
                raise NoOperator("a projection whose number is not a literal", length.projection)
            inside = tuple(
                plan.Step(plan.NameTest() if one.name is None else plan.NameTest(*one.name), one.is_deep)
                for one in length.path
            )
            self._keep_projected(chosen, stream, (*steps, *inside), length.projection)

    # --- functions

    def check(self, expr: ast.Expr) -> None:
        found = reason_to_leave(expr)
        if found is not None:
            raise NoOperator(*found)
        for node in expr.walk():
            if isinstance(node, (ast.FunctionCall, ast.NamedFunctionRef)):
                why = self._unsafe.get(node.name.expanded)
                if why is not None:
                    raise NoOperator(f"{node.name.local}(): {why}", node)
            elif isinstance(node, ast.VarRef) and node.name.expanded in self.paths.paths:
                raise NoOperator("it reads a path in a way that no operator follows", node)
            elif isinstance(node, ast.Lookup) and isinstance(node.key, (ast.IntegerLiteral, ast.DecimalLiteral)):
                raise NoOperator("`?` with a number may be a time", node)

    def _check_mixed(self, expr: ast.Expr, beside: _Beside) -> None:
        """No path may start at items of a loop that are held together: they are in trees of their own."""
        mixed = {
            name.expanded
            for name, one in zip(beside.names, beside.given, strict=True)
            if isinstance(one, (plan.Loop, plan.Slice))
        }
        found = _path_from(expr, mixed)
        if found is not None:
            raise NoOperator("a path from items that were put together", found)

    def function(self, names: Sequence[ast.Name], body: ast.Expr, *, is_unit: bool = False) -> int:
        element = ast.SequenceTypeNode(ast.ElementTest()) if is_unit else None
        parameters = tuple(ast.Parameter(name, element if index == 0 else None) for index, name in enumerate(names))
        self.functions.append(ast.InlineFunction((), parameters, None, body, span=body.span))
        return len(self.functions) - 1

    # --- what is read beside a unit

    def _lifted_clauses(self, clauses: Iterable[ast.Clause], beside: _Beside) -> list[ast.Clause]:
        made: list[ast.Clause] = []
        for clause in clauses:
            if isinstance(clause, ast.JoinClause):
                made += self._join(clause, beside)
            else:
                made.append(self._lifted(clause, beside))
        return made

    def _lifted(self, expr: ast.Node, beside: _Beside) -> Any:
        """An expression with variables for what operators keep for it."""
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
            return None

        return replaced(expr, by)

    def _sequence(self, expr: ast.Expr, beside: _Beside) -> ast.Expr | None:
        """A variable for the items of a loop that is the same for all turns of those around it."""
        if not self._reads_paths(expr) or not self.is_closed(expr):
            return None
        found = self._fold(expr) or self._slice(expr) or self._loop(expr)
        return None if found is None else beside.hole(found, expr.span)

    def _join(self, clause: ast.JoinClause, beside: _Beside) -> list[ast.Clause]:
        """A look-up in a hash index, and the conditions themselves: the index may give too many."""
        tests = [_condition(test) for test in clause.tests]
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
        asked = [test for test in clause.tests if test.op in _EQUALITIES and not test.negated]
        if not is_indexed or not asked or any(self._reads_paths(test.key) for test in asked):
            return self._lifted_clauses(plain, beside)
        assert path is not None
        item = ast.VarRef(clause.name, span=clause.span)
        keys = ast.SquareArray(tuple(_call("data", test.key) for test in asked), span=clause.span)
        loop = self._index_loop(path, clause.name, keys, item, clause)
        lookup = plan.Lookup(clause.name.expanded, loop, tuple(test.op for test in asked))
        called = ast.DynamicCall(
            beside.lookup(lookup, clause.span),
            tuple(_call("data", self._lifted(test.probe, beside)) for test in asked),
            span=clause.span,
        )
        found: list[ast.Clause] = [ast.ForClause(clause.name, None, called, span=clause.span)]
        return found + [ast.WhereClause(self._lifted(test, beside), span=test.span) for test in tests]

    def _narrowed(self, lookup: plan.Lookup, body: ast.Expr) -> plan.Lookup:
        """A look-up whose elements have as much as the loop around it reads of them."""
        source = lookup.loop.source
        read = children_read(body, lookup.variable)
        keys = children_read(self.functions[lookup.loop.function].body, lookup.variable)
        if read is None or keys is None:
            return lookup
        source = self.sources[source.number] = replace(source, children=read | keys)
        return replace(lookup, loop=replace(lookup.loop, source=source))

    def _index_loop(
        self, path: InputPath, name: ast.Name, keys: ast.Expr, item: ast.Expr, clause: ast.JoinClause
    ) -> plan.Loop:
        own = [ast.WhereClause(self._of_variable(test, name), span=test.span) for test in path.tests]
        body: ast.Expr = ast.Flwor(tuple(own), keys, span=clause.span) if own else keys
        self.check(body)
        # What a look-up gives may be the start of a path, whose nodes must be told apart and ordered.
        source = self._source(path, ast.SequenceExpr((body, item)), name, clause.collection, is_flat=True)
        return plan.Loop(
            source, self.function([name], body, is_unit=True), by_time=durations(body), span=clause.span
        )


def _condition(test: ast.JoinTest) -> ast.Expr:
    kind = ast.GeneralComparison if test.op in ast.GENERAL_OPERATORS else ast.ValueComparison
    made = kind(test.op, test.key, test.probe, span=test.span)
    return _call("not", made) if test.negated else made


def _call(name: str, *arguments: ast.Expr) -> ast.FunctionCall:
    return ast.FunctionCall(ast.Name(name, "fn", FN), arguments, span=arguments[0].span)


def _all(tests: Iterable[ast.Expr]) -> ast.Expr:
    made: ast.Expr | None = None
    for test in tests:
        made = test if made is None else ast.And(made, test, span=test.span)
    assert made is not None
    return made


def _folded_variable(argument: ast.Expr) -> ExpandedName | None:
    """The variable whose items are folded one by one: `$x`, or what child steps lead to from it."""
    while isinstance(argument, ast.Path):
        step = argument.right
        if not isinstance(step, ast.AxisStep) or step.axis not in ("child", "attribute") or step.predicates:
            return None
        argument = argument.left
    return argument.name.expanded if isinstance(argument, ast.VarRef) else None


def _asks_for_versions(body: ast.Expr, unit: ast.Name) -> bool:
    """Whether versions of what a variable holds are asked for: `$x#1`."""
    return any(
        isinstance(node, PROJECTIONS)
        and isinstance(node.base, (ast.VarRef, *PROJECTIONS))
        and unit.expanded in free_in(node.base)
        for node in body.walk()
    )


def _path_from(expr: ast.Node, mixed: set[ExpandedName]) -> ast.Node | None:
    """A path or a group that starts at one of these variables; None where there is none."""
    if not mixed:
        return None
    tainted = set(mixed)
    for node in expr.walk():
        match node:
            case ast.LetClause(name=name, value=value) if free_in(value) & tainted:
                tainted.add(name.expanded)
            case ast.GroupByClause():
                return node
    for node in expr.walk():
        if isinstance(node, ast.Path):
            start: ast.Expr = node
            while isinstance(start, (ast.Path, ast.Filter)):
                start = start.left if isinstance(start, ast.Path) else start.base
            if free_in(start) & tainted:
                return node
    return None


def _stays_apart(rest: Sequence[ast.Expr], is_order_kept: bool) -> bool:
    """Whether what is taken of elements inside each other is different, and in document order where that matters."""
    axes = [step.axis if isinstance(step, ast.AxisStep) else "" for step in rest]
    if not axes or axes == ["attribute"]:
        return True
    return not is_order_kept and all(axis in ("child", "attribute") for axis in axes)


def _text(expr: ast.Node) -> str:
    from xylem.syntax import print_query

    return " ".join(print_query(expr).split()) if isinstance(expr, ast.Node) else ""


__all__ = ["NoOperator", "PlannedHistory", "plan_history", "stream_name"]
