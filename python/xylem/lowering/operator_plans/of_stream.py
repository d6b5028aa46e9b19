"""The operators of a program over a stream: scans, the roles of their records, and the output of handlers.

The plan describes the code that will run: the steps of the scan, the roles of their records, and the compiled handlers,
in which variables replace the aggregates that the stream feeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from xylem.errors import Span
from xylem.plan.flux import ITEMS, On, OnEach, OnFirst, OnWindow
from xylem.plan.operators import (
    Aggregate,
    Bind,
    Extent,
    Fold,
    Meter,
    Number,
    Operator,
    OperatorPlan,
    Runs,
    Scan,
    Select,
    Sort,
    Union,
    Window,
)
from xylem.plan.scan_plan import Report
from xylem.rewrite.substitution import Substitution
from xylem.run.stream.passes import StreamPasses
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.roles import (
    AggregateRole,
    FeedRole,
    ItemRole,
    KeepRole,
    RegionRole,
    ScopeRole,
    WindowRole,
)
from xylem.run.windows.landmark import LandmarkCursor
from xylem.syntax import ast

from ..stream.fed_records import ITEM
from ..stream.hoisting import hoisted
from ..stream.scan_paths import ScanPaths
from .brackets import Event, OpenedWindows, folded, united
from .of_expression import ExpressionPlanner, Functions, keys_of
from .of_flux import FluxPlanner, in_memory
from .of_tree import declared_functions
from .scope import Scope, Variable
from .texts import text_of

_RECORD = ast.VarRef(ast.Name("item", None, ""))
_FROM_RECORD = (ast.Path, ast.Filter, ast.Flwor, ast.SimpleMap)
"""Operators that start from a record: the first of them takes all records."""


def stream_plan(passes: StreamPasses) -> OperatorPlan:
    """The operators of all passes over the input; those of an earlier pass are placed where its values are read."""
    given: dict[Variable, Operator] = {}
    number = 0
    for number, earlier in enumerate(passes.earlier, 1):
        values = _StreamPlanner(earlier.program, number, given).plan()
        # The answer of an earlier pass is an array of values.
        each = values.inputs if len(values.inputs) == len(earlier.names) else (values,) * len(earlier.names)
        for name, text, value in zip(earlier.names, earlier.texts, each, strict=True):
            given[name] = Bind(variable=name[1], how="let", source=text, inputs=(value,))
    answers = [
        _StreamPlanner(program, place, given).plan() for place, program in enumerate(passes.answering, number + 1)
    ]
    if len(answers) == 1:
        return OperatorPlan(answers[0])
    return OperatorPlan(Union(how="of passes, one after the other", inputs=tuple(answers)))


class _StreamPlanner:
    """Plans one pass."""

    def __init__(self, program: StreamProgram, number: int, given: Mapping[Variable, Operator]) -> None:
        self.program = program
        self.number = number
        self.paths = ScanPaths(program.scan)
        self.functions: Functions = declared_functions(program.handlers.module)
        self.has_landmarks = LandmarkCursor.__name__ in program.handlers.code
        self.until = {buffer.variable: buffer.until for buffer in program.plan.buffers}
        self.given = dict(given)
        self.flux = {runs: self._flux_planner(runs) for runs in (Runs.CODE, Runs.SCAN, Runs.KERNEL)}

    def _flux_planner(self, runs: Runs) -> FluxPlanner:
        planner = ExpressionPlanner(runs, self.program.handlers.planned, self.functions)
        planner.given = self.given
        planner.number = self.number
        return FluxPlanner(planner)

    def plan(self) -> Operator:
        root = next(role for role in self.program.roles if isinstance(role, ScopeRole) and role.parent is None)
        return united(folded(self._scope(root, Scope({}, Extent.ONE), None), self._windowed))

    # --- scopes

    def _scope(
        self, role: ScopeRole, scope: Scope, over: Operator | None, span: Span | None = None
    ) -> Iterator[Event]:
        """The operators that write while the children of an element arrive."""
        held = self._kept(role)
        tuples = over
        if held or not role.is_single:
            is_all = role.is_single and not role.keeps_little
            until = self._until(role.variable) if held else ""
            tuples = self._bound(role, role.variable, role.step, held, until, is_all, over, span)
        extent = Extent.INPUT if role.is_single else Extent.ITEM
        scope = scope.with_variable(ast.Name(role.variable, None, ""), extent)
        for feed in self.program.roles:
            if isinstance(feed, FeedRole) and feed.scope is role:
                aggregate = role.aggregates[feed.aggregate]
                self.given["", self.program.slots[aggregate.slot]] = self._fed(feed, aggregate)
        stream = role.stream
        assert stream is not None
        for index, handler in enumerate(stream.handlers):
            if isinstance(handler, On) and handler.step.axis != "attribute":
                yield from self._on(role, index, handler, scope, tuples)
            elif isinstance(handler, (OnWindow, OnEach)):
                yield from self._data_windows(role, index, handler, scope, tuples)
            elif isinstance(handler, (On, OnFirst)):
                body = hoisted(in_memory(handler, role.variable))
                yield from self.flux[Runs.CODE].events(body, scope, tuples)

    def _until(self, variable: str) -> str:
        return self.until.get(variable, f"the end of ${variable}")

    def _kept(self, role: ScopeRole) -> tuple[str, ...]:
        if not role.keeps_children:
            return ()
        keeps = [each.step for each in self.program.roles if isinstance(each, KeepRole) and each.scope is role]
        return tuple(path for step in keeps for path in self.paths.kept_with_name(step))

    def _bound(
        self,
        role: ScopeRole | ItemRole | RegionRole,
        variable: str,
        step: int,
        held: tuple[str, ...],
        until: str,
        is_all: bool,
        over: Operator | None,
        span: Span | None,
        limit: int | None = None,
    ) -> Operator:
        captured = held or self.paths.kept(step)
        around = role.parent if isinstance(role, ScopeRole) else role.scope
        source = replace(self._scan(step, captured, around), span=span)
        meters = (Meter("buffer", variable, self.number),)
        return Bind(
            variable=variable,
            inputs=(source,),
            held=held,
            until=until,
            is_all=is_all,
            over=over,
            span=span,
            meters=meters,
            limit=limit,
        )

    def _scan(self, step: int, captured: tuple[str, ...], scope: ScopeRole | None, texts: tuple[int, ...] = ()) -> Scan:
        extent = Extent.INPUT
        if scope is None or (scope.parent is None and self._is_root_child(step)):
            extent = Extent.ONE
        elif not scope.is_single:
            extent = Extent.ITEM
        path = self.paths.leaves(texts) if texts else self.paths.absolute(step)
        meters = tuple(Meter("records", str(each), self.number) for each in texts or (step,))
        return Scan(
            path=path, captured=captured, gives=extent, number=self.number, runs=Runs.SCAN, meters=meters
        )

    def _is_root_child(self, step: int) -> bool:
        planned = self.paths.steps[step]
        return planned.parent == 0 and planned.axis == "child"

    # --- handlers

    def _on(
        self, scope_role: ScopeRole, index: int, handler: On, scope: Scope, over: Operator | None
    ) -> Iterator[Event]:
        """A handler that takes elements of the stream."""
        over = None if scope_role.is_single and not scope_role.keeps_children else over
        for role in self.program.roles:
            match role:
                case ScopeRole(parent=parent, position=position) if parent is scope_role and position == index:
                    yield from self._scope(role, scope, over, _span_of(handler))
                    return
                case ItemRole(scope=parent, position=position) if parent is scope_role and position == index:
                    yield from self._items(role, handler, scope, over)
                    return
                case RegionRole(scope=parent, position=position) if parent is scope_role and position == index:
                    yield from self._regions(role, handler, scope, over)
                    return

    def _items(self, role: ItemRole, handler: On, scope: Scope, over: Operator | None) -> Iterator[Event]:
        step = self.paths.steps[role.step]
        is_all = role.scope.is_single and self.paths.may_hold_all(role.step)
        held = (self.paths.kept(role.step) or ("the element",)) if role.held_as is not None else ()
        variable = handler.variable
        if role.leaf_steps:
            source = replace(
                self._scan(role.leaf_steps[0], (), role.scope, role.leaf_steps), span=_span_of(handler)
            )
            tuples: Operator = Bind(variable=variable, inputs=(source,), limit=role.limit, over=over)
        else:
            until = self._until(variable)
            span = _span_of(handler)
            tuples = self._bound(role, variable, role.step, held, until, is_all, over, span, role.limit)
        runs = Runs.CODE if step.result is None else Runs.SCAN
        tuples = replace(tuples, runs=runs, span=_span_of(handler))
        if role.passes is not None:
            tuples = self._tested(handler, scope, tuples)
        inside = scope.with_variable(ast.Name(variable, None, ""), Extent.INPUT if is_all else Extent.ITEM)
        if handler.position is not None:
            tuples = Number(variable=handler.position, inputs=(tuples,), span=_span_of(handler))
            inside = inside.with_variable(ast.Name(handler.position, None, ""), Extent.ONE)
        yield from self._written(handler, inside, tuples, runs)

    def _tested(self, handler: On, scope: Scope, tuples: Operator) -> Operator:
        """Records whose predicates generated code tests."""
        tests = [test for step in (*handler.through, handler.step) for test in step.predicates]
        planner = self.flux[Runs.CODE].planner
        asked = tuple(each for test in tests for each in planner.of_test(test, scope.with_focus(Extent.ITEM)))
        told = " and ".join(map(text_of, tests))
        return Select(condition=told, inputs=asked, over=tuples, span=_span_of(handler))

    def _written(self, handler: On, scope: Scope, tuples: Operator, runs: Runs) -> Iterator[Event]:
        yield from folded(self.flux[runs].events(hoisted(handler.body), scope, tuples), self._windowed)

    def _regions(self, role: RegionRole, handler: On, scope: Scope, over: Operator | None) -> Iterator[Event]:
        names = [self.paths.name(candidate.step) for candidate in role.candidates]
        path = (*handler.through, handler.step)
        predicates = [test for step in path for test in step.predicates]
        planner = self.flux[Runs.CODE].planner
        asked = [each for test in predicates for each in planner.of_test(test, scope.with_focus(Extent.ITEM))]
        source = self._scan(role.step, self.paths.kept(role.step), role.scope)
        selected = Select(
            condition=" and ".join(map(text_of, predicates)) or "what its handler asks for",
            waiting=self.paths.kept(role.step) or ("the start tag",),
            until=f"the predicate of {' and '.join(names)} is decided",
            is_all="*" in names and role.scope.is_single,
            inputs=(replace(source, span=_span_of(handler)), *asked),
            span=_span_of(handler),
            meters=(Meter("buffer", role.variable, self.number),),
        )
        tuples = Bind(variable=role.variable, inputs=(selected,), limit=role.limit, over=over, span=_span_of(handler))
        inside = scope.with_variable(ast.Name(role.variable, None, ""), Extent.ITEM)
        yield from self._written(handler, inside, tuples, Runs.CODE)

    def _data_windows(
        self, scope_role: ScopeRole, index: int, handler: OnWindow | OnEach, scope: Scope, over: Operator | None
    ) -> Iterator[Event]:
        role = next(
            each
            for each in self.program.roles
            if isinstance(each, WindowRole) and each.scope is scope_role and each.position == index
        )
        variable = self.program.slots[role.slot]
        tuples = Window(
            variable=variable,
            form=f"data by {handler.window.kind}",
            holds_items=not role.aggregates,
            aggregates=tuple(function for _, function, _ in role.aggregates),
            inputs=(replace(self._scan(role.step, self.paths.kept(role.step), scope_role), span=handler.window.span),),
            over=over,
            span=handler.window.span,
            meters=(Meter("buffer", variable, self.number),),
        )
        if role.by_kernel is not None:
            tuples = replace(tuples, runs=Runs.KERNEL)
        inside = scope.with_variable(ast.Name(variable, None, ""), Extent.WINDOW)
        runs = Runs.KERNEL if role.kernel_writes else Runs.CODE
        yield from folded(self.flux[runs].events(hoisted(handler.body), inside, tuples), self._windowed)

    # --- fed windows, fed aggregates

    def _windowed(self, opened: OpenedWindows, items: Operator) -> Operator:
        """The operators of window clauses over the items between their brackets."""
        by_kernel = self.program.kernel_windows
        expression = opened.opened.expression
        planner = self.flux[Runs.KERNEL if by_kernel.get(expression) else Runs.CODE].planner
        planner.forms_windows = Runs.KERNEL if expression in by_kernel else Runs.CODE
        before = self.given.get(ITEMS.expanded)
        self.given[ITEMS.expanded] = items
        try:
            found = planner.plan(expression, Scope({}, Extent.ONE), opened.over)
        finally:
            planner.forms_windows = planner.runs
            if before is None:
                del self.given[ITEMS.expanded]
            else:
                self.given[ITEMS.expanded] = before
        return found

    def _fed(self, feed: FeedRole, aggregate: AggregateRole) -> Operator:
        """An aggregate with the records that feed it."""
        step = self.paths.steps[feed.step]
        captured = () if feed.leaf_steps else self.paths.kept(feed.step)
        source = self._scan(feed.step, captured, feed.scope, feed.leaf_steps)
        by_scan = step.result is not None or bool(step.report & Report.COUNT)
        runs = Runs.SCAN if by_scan else Runs.CODE
        input_ = self._taken(feed, aggregate, source, runs)
        span = None if aggregate.taken is None else _placed(aggregate.taken)
        meters = (Meter("buffer", feed.scope.variable, self.number),)
        made = _gathered(aggregate, input_)
        return replace(made, runs=runs, span=span, meters=meters)

    def _taken(self, feed: FeedRole, aggregate: AggregateRole, source: Scan, runs: Runs) -> Operator:
        """The value that an aggregate takes from each record."""
        tuples: Operator = source
        if feed.scope.is_single and self.paths.may_hold_all(feed.step):
            held = self.paths.kept_as(source.path, feed.step)
            until = f"the end of the outermost {source.path}"
            meters = (Meter("buffer", feed.scope.variable, self.number),)
            tuples = Bind(variable="item", inputs=(source,), held=held, until=until, is_all=True, meters=meters)
        if aggregate.taken is None or aggregate.taken == ITEM:
            return tuples
        taken = Substitution({ITEM.name.expanded: _RECORD}).apply(aggregate.taken)
        scope = Scope({_RECORD.name.expanded: Extent.ITEM}, Extent.ITEM)
        planner = self.flux[runs].planner
        if isinstance(taken, _FROM_RECORD):
            self.given[_RECORD.name.expanded] = tuples
            found = planner.plan(taken, scope)
            del self.given[_RECORD.name.expanded]
            return found
        if tuples is source:
            tuples = Bind(variable="item", inputs=(source,), runs=runs)
        return planner.plan(taken, scope, tuples)


def _gathered(aggregate: AggregateRole, input_: Operator) -> Operator:
    inputs = (input_,)
    keys = tuple(_told(key) for key in aggregate.keys)
    if aggregate.table is not None:
        table = aggregate.table
        return Aggregate(
            functions=tuple(dict.fromkeys(part.function for part in table.parts)),
            keys=keys,
            keys_of=keys_of([key.kind for key in table.keys], all(key.items is not None for key in table.keys)),
            inputs=inputs,
        )
    if aggregate.first is not None:
        columns = aggregate.first.columns
        keys = tuple(key + " descending" * column.descending for key, column in zip(keys, columns, strict=True))
        return Sort(keys=keys, limit=aggregate.first.told, is_last=aggregate.first.is_last, inputs=inputs)
    match aggregate.function:
        case "items":
            return Aggregate(keeps_items=True, inputs=inputs)
        case "last":
            number = int(aggregate.parameter or "1")
            return Number(test="last()" if number == 1 else f"the last {number}", last=number, inputs=inputs)
        case "fold-left":
            return Fold(function=" ".join(keys), grows=aggregate.grows, inputs=inputs)
        case "distinct-values":
            return Aggregate(keys=(".",), inputs=inputs)
    return Aggregate(functions=(aggregate.function,), inputs=inputs)


def _told(key: ast.Expr) -> str:
    return text_of(Substitution({ITEM.name.expanded: _RECORD}).apply(key))


def _placed(expr: ast.Expr) -> Span | None:
    """The first place in the query that an expression has."""
    return next((node.span for node in expr.walk() if node.span.end > 0), None)


def _span_of(handler: On) -> Span | None:
    test = handler.step.test
    return test.span if test is not None else None

