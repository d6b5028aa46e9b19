"""Plan a query with operators that can retract their results; other parts are recomputed, and the plan says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.steadiness import is_the_same_each_time
from xylem.analysis.history.operands import PROJECTIONS
from xylem.functions.registry import FN
from xylem.plan import history as plan
from xylem.sink.character_expansion import escape_text
from xylem.syntax import ast

from ..inline_prolog import inline_prolog
from ..joins.find_joins import with_joins
from ..joins.visitor import JoinFacts
from ..let_values import is_read_behind_grouping
from ..substitution import Substitution
from .expressions import FOLDS, NoOperator, call, start_tag
from .input_paths import STREAMS, projection_of
from .locality import is_timeline, looks_back
from .plan_base import Beside
from .positions import Places, places_of
from .scopes import Scopes
from .window_plans import WindowPlans


@dataclass(frozen=True)
class PlannedHistory:
    """A plan, and the functions that its operators call, by number."""

    plan: plan.HistoryPlan
    functions: tuple[ast.InlineFunction, ...]
    scopes: tuple[ast.Expr, ...] = ()
    """The parts that are evaluated from scratch, by number."""


def plan_history(
    body: ast.Expr,
    prolog: Sequence[ast.Declaration] = (),
    *,
    is_empty_greatest: bool = False,
    finds_joins: bool = True,
) -> PlannedHistory:
    """The operators of a query with resolved names."""
    body = inline_prolog(body, prolog)

    def planned(expr: ast.Expr, scopes: Scopes) -> PlannedHistory:
        return _Planner(prolog, is_empty_greatest, finds_joins, scopes.found).planned(expr)

    def why_not(expr: ast.Expr, scopes: Scopes) -> NoOperator | None:
        try:
            planned(expr, scopes)
        except NoOperator as error:
            return error
        return None

    scopes = Scopes(why_not, frozenset(one.name.expanded for one in prolog if isinstance(one, ast.VariableDecl)))
    marked = scopes.marked(body)
    if isinstance(marked, ast.VarRef) and marked.name.expanded in scopes.found:
        return _whole(scopes.found[marked.name.expanded].why)
    return planned(marked, scopes)


def _whole(error: NoOperator) -> PlannedHistory:
    span = error.node.span if error.node is not None else None
    note = (span, f"the whole query is evaluated again after each commit: {error.why}")
    return PlannedHistory(plan.HistoryPlan(plan.Sequence(()), (), whole=error.why, notes=(note,)), ())


class _Planner(WindowPlans):
    def planned(self, body: ast.Expr) -> PlannedHistory:
        if any(isinstance(node, ast.Root) for node in body.walk()) and any(
            isinstance(node, ast.FunctionCall) and node.name.expanded in STREAMS for node in body.walk()
        ):
            raise NoOperator("it reads both the context item and stream()")
        self.paths.constants = frozenset(d.name.expanded for d in self.prolog if isinstance(d, ast.VariableDecl))
        abstract = self._without_lets(self.paths.abstracted(body))
        if self.finds_joins:
            names = frozenset(self.paths.paths)
            abstract = with_joins(abstract, JoinFacts(sequences=names))
        root = self.operator(abstract)
        return PlannedHistory(
            plan.HistoryPlan(root, tuple(self.sources), tuple(self.kept), notes=tuple(self.notes)),
            tuple(self.functions),
            tuple(scope.expression for scope in self.scopes.values()),
        )

    def _without_lets(self, body: ast.Expr) -> ast.Expr:
        """Paths and their folds in place of the variables that hold them."""

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
                    self._computed(call("boolean", test)), self.operator(then), self.operator(otherwise)
                )
            case ast.VarRef(name=name) if name.expanded in self.scopes:
                return self.scope(name)
        for find in (self._fold, self._slice, self._loop):
            found = find(expr)
            if found is not None:
                return found
        return self._computed(expr)

    def _constructor(self, expr: ast.DirectElement) -> plan.Operator | None:
        tag = start_tag(expr)
        if tag is None or not self._reads_input(expr):
            return None
        parts: list[plan.Operator] = []
        for part in expr.content:
            if isinstance(part, ast.DirectText):
                parts.append(plan.Text(escape_text(part.value)))
            elif isinstance(part, ast.EnclosedExpr):
                parts.append(self.operator(part.body))
            else:
                parts.append(self.operator(part))
        return plan.Constructor(tag, tuple(parts), f"</{expr.name.local}>", expr.name.local)

    def _fold(self, expr: ast.Expr) -> plan.Operator | None:
        """count($path1/x), some $x in $path1 satisfies …."""
        match expr:
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in FOLDS:
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
                test = satisfies if kind == "some" else call("not", satisfies)
                clauses.append(ast.WhereClause(test, span=satisfies.span))
                turned = ast.Flwor(tuple(clauses), ast.IntegerLiteral(1), span=expr.span)
                truth = "exists" if kind == "some" else "empty"
                loop = self._loop(turned, fold=truth)
                return None if loop is None else plan.Fold(truth, loop)
        return None

    def _slice(self, expr: ast.Expr) -> plan.Operator | None:
        """(E)[3], head(E), (E)[last()], subsequence(E, 2, 5)."""
        base: ast.Expr
        places: Places | None
        match expr:
            case ast.Filter(base=base, predicate=predicate):
                places = places_of(predicate)
            case ast.FunctionCall(name=name, arguments=(base,)) if name.expanded == (FN, "head"):
                places = 0, 1
            case ast.FunctionCall(name=name, arguments=(base,)) if name.expanded == (FN, "tail"):
                places = 1, None
            case ast.FunctionCall(
                name=name, arguments=(base, ast.IntegerLiteral(value=first), ast.IntegerLiteral(value=length))
            ) if name.expanded == (FN, "subsequence") and first > 0 and length >= 0:
                places = first - 1, first - 1 + length
            case _:
                return None
        if places is None:
            return None
        if not self._reads_paths(base):
            return None
        loop = self._loop(base)
        return None if loop is None else plan.Slice(loop, *places)

    def _computed(self, expr: ast.Expr) -> plan.Operator:
        """An expression over folds, recomputed when one of them changes."""
        if not self._reads_input(expr):
            self.check(expr)
            number = self.function([], expr)
            return plan.Computed(number, (), span=expr.span)
        beside = Beside(self)
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


__all__ = ["PlannedHistory", "plan_history"]
