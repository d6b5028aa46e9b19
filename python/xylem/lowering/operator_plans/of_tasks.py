"""The operators of a query that runs as tasks: the work of each task on its range, the merges, and the frame."""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.distribution import PartKind
from xylem.plan.operators import (
    Aggregate,
    Extent,
    Join,
    Meter,
    Operator,
    OperatorPlan,
    Runs,
    Sort,
    Union,
)
from xylem.plan.spread import ITEMS_OF_STREAM, LOOKUP, SpreadPart, part_variable
from xylem.run.tasks.program import DistributedProgram
from xylem.syntax import ast

from .of_expression import ExpressionPlanner
from .scope import Scope, Variable
from .texts import text_of

IN_ORDER = "of tasks, in the order of the input"


def task_plan(program: DistributedProgram) -> OperatorPlan:
    """The operators of a distributed query: those of its tasks, and those that merge their results."""
    query = program.spread
    known: dict[Variable, Operator] = {}
    for part in sorted(query.parts, key=lambda each: (each.stage, each.number)):
        known[part.variable.name.expanded] = _PartPlanner(part, known).merged()
    frame = ExpressionPlanner(Runs.DRIVER)
    frame.given = known
    return OperatorPlan(frame.plan(query.frame, Scope({}, Extent.ONE)))


def part_operators(expr: ast.Expr) -> Operator:
    """The operators of an expression over the whole input in one process, which a part represents."""
    return ExpressionPlanner(Runs.TASK).plan(expr, Scope())


class _PartPlanner(ExpressionPlanner):
    """Plans one part; lookups in tables of other parts are joins."""

    def __init__(self, part: SpreadPart, known: dict[Variable, Operator]) -> None:
        super().__init__(Runs.ONE_TASK if part.kind is PartKind.SEQUENTIAL else Runs.TASK)
        self.part = part
        self.number = part.stage + 1
        self.given = dict(known)
        self.tables = {lookup.number: lookup for lookup in part.lookups}

    def merged(self) -> Operator:
        """The merged results of the part's tasks."""
        part, found = self.part, self.plan(self.part.body, Scope())
        span, meters = part.source.span, (Meter("rows", str(part.number)),)
        match part.kind:
            case PartKind.MAP:
                return Union(how=IN_ORDER, inputs=(found,), runs=Runs.MERGE, span=span, meters=meters)
            case PartKind.AGGREGATE:
                partial = self.folded(part.function, part.source, found, None)
                return replace(partial, inputs=(partial,), runs=Runs.MERGE, meters=meters)
            case PartKind.SORT:
                limit = "" if part.limit is None else f"{part.limit} tuples"
                rows = self.made(Sort, part.source, keys=_keys(part), limit=limit, inputs=(found,))
                return replace(rows, inputs=(rows,), runs=Runs.MERGE, meters=meters)
            case PartKind.GROUP:
                return self._grouped(found, meters)
            case PartKind.WINDOWS:
                return self._windowed(found, meters)
        return found

    def _grouped(self, found: Operator, meters: tuple[Meter, ...]) -> Operator:
        """Brings the rows of one key together and computes the results of their group."""
        part, grouping = self.part, self.part.grouping
        assert grouping is not None
        rows = self.made(
            Aggregate,
            part.source,
            keys=tuple(text_of(spec.value or ast.VarRef(spec.name)) for spec in grouping.keys),
            functions=tuple(dict.fromkeys(function for _, function, _ in grouping.aggregates)),
            keeps_items=bool(grouping.collected),
            inputs=(found,),
        )
        groups: Operator = replace(rows, inputs=(rows,), runs=Runs.MERGE, meters=meters)
        scope = Scope({}, Extent.ONE)
        function = grouping.finish
        while isinstance(function, ast.Flwor):
            # Variables that are the same for all groups are bound before it.
            for let in function.clauses:
                assert isinstance(let, ast.LetClause)
                scope = scope.with_variable(let.name, Extent.ONE)
            function = function.result
        assert isinstance(function, ast.InlineFunction)
        for parameter in function.parameters:
            scope = scope.with_variable(parameter.name, Extent.ITEM)
        finish = ExpressionPlanner(Runs.MERGE)
        finish.given = self.given
        if part.orders:
            groups = Sort(keys=_keys(part), inputs=(groups,), runs=Runs.MERGE, span=part.orders[0].span)
        return finish.plan(_answer_of(function.body), scope, groups)

    def _windowed(self, found: Operator, meters: tuple[Meter, ...]) -> Operator:
        part = self.part
        assert part.windowed is not None
        items = Union(how=IN_ORDER, inputs=(found,), runs=Runs.MERGE, span=part.source.span, meters=meters)
        merged = ExpressionPlanner(Runs.MERGE)
        merged.given = {**self.given, ITEMS_OF_STREAM.name.expanded: items}
        return merged.plan(part.windowed.query, Scope({}, Extent.ONE))

    # --- joins

    def is_operator(self, node: ast.Node) -> bool:
        if isinstance(node, ast.FunctionCall) and node.name.expanded == LOOKUP.expanded:
            return True
        return super().is_operator(node)

    def call(self, expr: ast.FunctionCall, scope: Scope, over: Operator | None) -> Operator:
        if expr.name.expanded != LOOKUP.expanded:
            return super().call(expr, scope, over)
        number = expr.arguments[0]
        assert isinstance(number, ast.IntegerLiteral)
        table = self.tables[number.value]
        items = self.given[part_variable(table.part).name.expanded]
        equality = text_of(table.equality)
        return self.made(
            Join, expr, variable=f"part{table.part}", how="by key", equalities=(equality,), inputs=(items,), over=over
        )


def _keys(part: SpreadPart) -> tuple[str, ...]:
    return tuple(text_of(spec.key) + " descending" * spec.descending for spec in part.orders)


def _answer_of(body: ast.Expr) -> ast.Expr:
    """The result of a group, without the order keys after it."""
    return body.members[0] if isinstance(body, ast.SquareArray) and body.members else body
