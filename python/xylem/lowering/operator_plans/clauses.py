"""The operators of a FLWOR expression: each clause takes the tuples of those before it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.plan.best_match_plan import BestMatchPlan, BestMatchTuples
from xylem.plan.operators import Aggregate, Bind, Extent, Join, Meter, Number, Operator, Scan, Select, Sort, Window
from xylem.plan.operators.operator import place_key
from xylem.plan.properties import gives
from xylem.plan.window_plan import WindowPlan, window_plan
from xylem.syntax import ast

from .scope import Scope
from .texts import text_of

if TYPE_CHECKING:
    from .of_expression import ExpressionPlanner

_ORDERS = ("<", "<=", ">", ">=", "lt", "le", "gt", "ge", *ast.NODE_ORDERS)


class Clauses:
    """Plans the clauses of FLWOR expressions, with another planner for the expressions in them."""

    def __init__(self, planner: ExpressionPlanner) -> None:
        self.planner = planner

    def plan(self, expr: ast.Flwor, scope: Scope, over: Operator | None) -> Operator:
        planned = self.planner.planned.get(expr)
        expr = planned if isinstance(planned, ast.Flwor) else expr
        tuples = over
        for clause in expr.clauses:
            tuples, scope = self.clause(clause, tuples, scope)
        if isinstance(expr.result, ast.VarRef) and tuples is not None and bound_by(tuples) == expr.result.name.local:
            return tuples
        return self.planner.plan(expr.result, scope, tuples)

    def clause(self, clause: ast.Clause, tuples: Operator | None, scope: Scope) -> tuple[Operator, Scope]:
        """The tuples after a clause, and the facts about variables there."""
        made, plan = self.planner.made, self.planner.plan
        match clause:
            case ast.ForClause(name=name, collection=collection, position=position):
                found: Operator = self._bound(clause, name, "for", collection, tuples, scope)
                scope = scope.with_variable(name, Extent.ITEM)
                if position is not None:
                    found = made(Number, clause, variable=position.local, inputs=(found,))
                    scope = scope.with_variable(position, Extent.ONE)
                return found, scope
            case ast.LetClause(name=name, value=value):
                found = self._bound(clause, name, "let", value, tuples, scope)
                given = plan(value, scope)
                inside = scope.with_variable(name, gives(given))
                if isinstance(given, Scan) and not given.source and given.over is None:
                    inside = inside.with_root(name, given.path.removesuffix("/"))
                return found, inside
            case ast.WhereClause(test=test):
                inputs = self.planner.of_test(test, scope)
                return made(Select, clause, condition=text_of(test), inputs=inputs, over=tuples), scope
            case ast.CountClause(name=name):
                inputs = () if tuples is None else (tuples,)
                return made(Number, clause, variable=name.local, inputs=inputs), scope.with_variable(name, Extent.ONE)
            case ast.GroupByClause():
                return self._grouped(clause, tuples, scope)
            case ast.OrderByClause(specs=specs):
                keys = tuple(text_of(spec.key) + " descending" * spec.descending for spec in specs)
                inputs = () if tuples is None else (tuples,)
                return made(Sort, clause, keys=keys, inputs=inputs, meters=self._meters("rows", clause)), scope
            case ast.JoinClause():
                return self._join(clause, tuples, scope)
            case ast.WindowClause() | ast.ForseqClause():
                unplanned = window_plan(clause)
                assert unplanned is not None
                return self._windows(unplanned, tuples, scope)
            case WindowPlan():
                return self._windows(clause, tuples, scope)
            case BestMatchPlan():
                return self._best_match(clause, tuples, scope)
            case BestMatchTuples(clauses=clauses, written=written):
                for inner in clauses:
                    tuples, scope = self.clause(inner, tuples, scope)
                return self._best_tuples(written, tuples), scope
            case ast.BestMatchClause():
                return self._best_tuples(clause, tuples), scope
        raise AssertionError(type(clause).__name__)

    def _meters(self, what: str, clause: ast.Clause) -> tuple[Meter, ...]:
        return (Meter(what, place_key(clause.span), self.planner.number),)

    def _bound(
        self, clause: ast.Clause, name: ast.Name, how: str, value: ast.Expr, tuples: Operator | None, scope: Scope
    ) -> Operator:
        made = self.planner.made
        if self.planner.is_plain(value) and scope.focus is not None and not _reads_much(value, scope):
            return made(Bind, clause, variable=name.local, how=how, source=text_of(value), over=tuples)
        found = self.planner.plan(value, scope)
        return made(Bind, clause, variable=name.local, how=how, inputs=(found,), over=tuples)

    def _grouped(self, clause: ast.GroupByClause, tuples: Operator | None, scope: Scope) -> tuple[Operator, Scope]:
        keys = tuple(text_of(spec.value or ast.VarRef(spec.name)) for spec in clause.specs)
        extent = Extent.ONE if tuples is None else gives(tuples)
        # A variable now holds its values from all tuples of a group.
        bound = {name: max(known, extent) for name, known in scope.variables.items() if known is not Extent.BESIDE}
        scope = Scope({**scope.variables, **bound}, scope.focus, scope.roots)
        for spec in clause.specs:
            scope = scope.with_variable(spec.name, Extent.ONE)
        inputs = () if tuples is None else (tuples,)
        meters = self._meters("rows", clause)
        return self.planner.made(Aggregate, clause, keys=keys, keeps_items=True, inputs=inputs, meters=meters), scope

    def _join(self, join: ast.JoinClause, tuples: Operator | None, scope: Scope) -> tuple[Operator, Scope]:
        around = Scope(scope.variables, roots=scope.roots) if join.is_of_input else scope
        if join.anchor is not None:
            # Below a node above an item there may be the whole input.
            around = around.with_variable(join.anchor, Extent.INPUT)
        collection = self.planner.plan(join.collection, around)
        told: dict[str, list[str]] = {"equalities": [], "band": [], "rest": []}
        for test in join.tests:
            which = "rest" if test.negated else "band" if test.op in _ORDERS else "equalities"
            told[which].append(f"{text_of(test.key)} {test.op} {text_of(test.probe)}")
        found = self.planner.made(
            Join,
            join,
            variable=join.name.local,
            equalities=tuple(told["equalities"]),
            band=tuple(told["band"]),
            rest=tuple(told["rest"]),
            inputs=(collection,),
            over=tuples,
            meters=self._meters("index", join),
        )
        scope = scope.with_variable(join.name, Extent.ITEM)
        return found, scope if join.position is None else scope.with_variable(join.position, Extent.ONE)

    def _best_match(self, plan: BestMatchPlan, tuples: Operator | None, scope: Scope) -> tuple[Operator, Scope]:
        """Each side is evaluated once on its own, and pairs are found by the values that orders compare."""
        sides = []
        for side in (plan.left, plan.right):
            found, inside = self.clause(side.binding, None, scope)
            for clause in side.clauses:
                found, inside = self.clause(clause, found, inside)
            sides.append(found)
            for name in side.names:
                scope = scope.with_variable(name, Extent.ITEM)
        written = plan.written
        made: Operator = self.planner.made(
            Join, written, variable=written.right.name.local, how=f"best match {written.kind}",
            orders=tuple(map(_order_text, written.orders)), inputs=tuple(sides), over=tuples,
        )  # fmt: skip
        for let in plan.lets:
            made, scope = self.clause(let, made, scope)
        return made, scope

    def _best_tuples(self, written: ast.BestMatchClause, tuples: Operator | None) -> Operator:
        return self.planner.made(
            Join, written, variable=written.right.name.local, how=f"best match {written.kind}",
            orders=tuple(map(_order_text, written.orders)), inputs=() if tuples is None else (tuples,),
        )  # fmt: skip

    def _windows(self, plan: WindowPlan, tuples: Operator | None, scope: Scope) -> tuple[Operator, Scope]:
        collection = self.planner.plan(plan.collection, scope)
        partition = plan.partition
        found = self.planner.made(
            Window,
            plan,
            variable=plan.name.local,
            form=plan.kind or "every sub-sequence",
            holds_items=plan.keeps_items and plan.early != "items",
            holds_all=not plan.kind or plan.kind == "landmark",
            aggregates=tuple(each.function.local for each in plan.aggregates),
            key="" if partition is None else text_of(partition.key),
            forgets_keys=plan.forgets_keys,
            inputs=(collection,),
            over=tuples,
        )
        found = replace(found, runs=self.planner.forms_windows)
        for boundary in (plan.start, plan.end):
            for variable in boundary.variables:
                scope = scope.with_variable(variable.name, Extent.ONE if variable.role == "position" else Extent.ITEM)
        if partition is not None:
            for key in (partition.name, partition.number):
                scope = scope if key is None else scope.with_variable(key, Extent.ONE)
        return found, scope.with_variable(plan.name, Extent.WINDOW)


def _order_text(order: ast.BestMatchOrder) -> str:
    told = ", ".join(map(text_of, order.operands))
    return f"{order.direction or (order.function and order.function.local)}({told})"


def _reads_much(value: ast.Expr, scope: Scope) -> bool:
    """Whether it reads a variable of more than one item, so that its result gets an operator of its own."""
    names = (node.name for node in value.walk() if isinstance(node, ast.VarRef))
    return any(name.expanded in scope.roots or scope.of(name) > Extent.ITEM for name in names)


def bound_by(operator: Operator) -> str | None:
    """The variable that is bound to the items of its tuples, one per tuple."""
    while isinstance(operator, Select) and operator.over is not None:
        operator = operator.over
    if isinstance(operator, Bind) and operator.how == "for":
        return operator.variable
    return operator.variable if isinstance(operator, Join) else None
