"""Plan aggregates over a stream: the steps that report their records, the values kept, and the code that feeds them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from xylem.analysis.facts.value_class import declared_class
from xylem.analysis.projection import Projection, Use
from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS
from xylem.plan.flux import ROOT, ProcessStream, Step
from xylem.plan.needs import add_expression, add_needs, element_names
from xylem.plan.result_template import Tally
from xylem.plan.scan_plan import Report
from xylem.plan.symbols import reached_type
from xylem.rewrite.simple_expressions import is_known_at_start
from xylem.run.stream.roles import AggregateRole, FeedRole, ScopeRole
from xylem.schema.constraints import ElementConstraints
from xylem.syntax import ast
from xylem.values import node as nk
from xylem.values.sequence_type import NodeItem, Occurrence

from ..python.code import one
from ..python.folds import ONE, Fold, value_type, write_step
from ..python.keyed_groups import Grouping, table_spec, write_cells, written_value, written_zero
from ..python.scope import Focus, Scope
from .aggregates import Aggregate, is_fed_with_leaves
from .fed_records import AROUND, ITEM, each_leaf, gives_itself
from .first_tuples_code import first_spec, write_offers
from .growing_folds import fold_grows
from .kept_children import variable_readers
from .nesting import may_nest
from .scan_tables import TableMaker, without_common_conditions
from .steps import PlannedStep
from .tallies import tally_of

if TYPE_CHECKING:
    from .build import StreamBuilder


class AggregatePlanner:
    """Plans the aggregates of one program."""

    def __init__(self, builder: StreamBuilder) -> None:
        self.b = builder

    @cached_property
    def tables(self) -> TableMaker:
        declared = [d for unit in self.b.builder.units for d in unit.module.prolog if isinstance(d, ast.VariableDecl)]
        types = {d.name.expanded: declared_class(d.type) for d in declared}
        by_code_points = self.b.selection.by_code_points
        return TableMaker(types, lambda value: written_value(self.b.c, "constant", value), by_code_points)

    def plan(self, role: ScopeRole, aggregate: Aggregate, stream: ProcessStream) -> None:
        """The records that feed an aggregate of a scope."""
        b = self.b
        tests, is_plain = b.selection.tests_of_predicates(aggregate.taken, ITEM.name.local)
        # Counts are added once per batch: enough for the document, which is open all the time.
        counted = is_plain and aggregate.counts and role.parent is None
        parent, kind = role.step, b.types.get(role.variable)
        if aggregate.prefix[0].axis in AROUND:
            planned, passed = b.steps.again(parent), Step("*")
        for step in aggregate.prefix:
            if step.axis in AROUND:
                break
            passed = Step("*", step.axis, step.test)
            planned = b.steps.add(parent, step.axis, *element_names(passed), Report.NOTHING)
            parent, kind = planned.index, reached_type(passed, kind, b.schema)
        planned.report = Report.COUNT if counted else Report.ITEM
        planned.tests = tests
        zero = None if aggregate.fold is None else written_zero(b.c, aggregate.fold)
        table = None if aggregate.grouping is None else table_spec(b.c, aggregate.grouping)
        slot = b.slot(aggregate.name)
        grows = aggregate.fold is not None and fold_grows(aggregate.fold.step)
        first = None if aggregate.first is None else first_spec(b.c, aggregate.first)
        made_of = (aggregate.function, aggregate.parameter, zero, table, grows, first)
        role.aggregates.append(AggregateRole(slot, *made_of, aggregate.taken, aggregate.keys))
        readers = variable_readers(stream, aggregate.name)
        made = FeedRole(planned.index, role, b.slot(ITEM.name.local), len(role.aggregates) - 1, None, readers)
        b.roles.append(made)
        if counted:
            return
        if self._is_fed_with_leaves(aggregate, passed, kind):
            self._feed_leaves(made, aggregate, planned)
            return
        self._need(aggregate, planned.kept, stream)
        b.keep_above(planned.kept)
        b.keep_siblings(planned)
        made.body = self.feeder(aggregate, ITEM.name.local)
        made.takes_runs = aggregate.fold is not None
        if is_known_at_start(planned.kept):
            made.at_start, planned.report = True, Report.START
        elif planned.awaits:
            planned.value_tests = ()
        elif aggregate.depends_on_order and may_be_inside(aggregate.prefix, passed, kind):
            made.nested, planned.report = True, Report.START | Report.ITEM
        else:
            self._tally(role, aggregate, planned)

    def _is_fed_with_leaves(self, aggregate: Aggregate, last: Step, kind: ElementConstraints | None) -> bool:
        """Whether text nodes are reported singly: if an element around them may be open for long; comments always."""
        if not is_fed_with_leaves(aggregate.function, aggregate.taken):
            return False
        leaves = each_leaf(aggregate.taken)
        if leaves is not None and leaves.kind != nk.TEXT:
            return True
        return aggregate.prefix[-1].axis in AROUND or may_be_inside(aggregate.prefix, last, kind)

    def _feed_leaves(self, role: FeedRole, aggregate: Aggregate, planned: PlannedStep) -> None:
        b = self.b
        leaves = each_leaf(aggregate.taken)
        assert leaves is not None
        kind, taken = leaves
        steps = [planned]
        if aggregate.prefix[-1].axis == "descendant-or-self":
            steps.append(b.steps.add(planned.index, "descendant", None, None, Report.NOTHING))
        for step in steps:
            step.report_leaves(kind)
            if taken == ITEM and aggregate.function == "count" and role.scope.parent is None:
                step.result = Tally(())
        needs = Projection()
        add_expression(taken, {ITEM.name.local: needs}, Use.STRING)
        b.keep_above(needs)
        role.leaf_steps = tuple(step.index for step in steps)
        role.body = self.feeder(replace(aggregate, taken=taken), ITEM.name.local, kind)
        role.takes_runs = aggregate.fold is not None

    def _tally(self, role: ScopeRole, aggregate: Aggregate, planned: PlannedStep) -> None:
        """The tests and counts of an aggregate's records that the scan computes itself."""
        b, name = self.b, ITEM.name.local
        planned.value_tests = b.selection.value_tests_of_predicates(aggregate.taken, name)
        tallied = tally_of(aggregate.taken, name, b.selection)
        if tallied is not None and aggregate.function == "count" and role.parent is None:
            planned.tests, planned.value_tests = tallied.tests, tallied.value_tests
            planned.result = tallied.tally
        elif role.parent is None:
            self._table(aggregate, planned)

    def _table(self, aggregate: Aggregate, planned: PlannedStep) -> None:
        """An aggregate that the scan computes, if it decides all conditions of its records."""
        b, name = self.b, ITEM.name.local
        conditions, aggregate = without_common_conditions(aggregate)
        table = self.tables.table_of(aggregate)
        found = [b.selection.value_test(condition, name) for condition in conditions]
        value_tests = tuple(test for test in found if test is not None)
        if table is None or len(value_tests) < len(conditions):
            return
        if aggregate.grouping is not None and aggregate.taken != ITEM:
            decided = tally_of(aggregate.taken, name, b.selection)
            if decided is None or decided.tally != Tally(()):
                return
            planned.tests, planned.value_tests = decided.tests, decided.value_tests
        planned.result = replace(table, tests=value_tests)

    def _need(self, aggregate: Aggregate, kept: Projection, stream: ProcessStream) -> None:
        """The parts of its records that an aggregate needs."""
        name = ITEM.name.local
        if aggregate.function in ("last", "first", "items"):
            # The parts of its value that handlers read, and those that decide whether a record counts.
            value, document = Projection(), Projection()
            add_needs(stream, {aggregate.name: value, ROOT: document})
            # If it is unknown what is read of the document, it is unknown for the value, too.
            value.subtree |= document.subtree
            if gives_itself(aggregate.taken):
                kept.merge(value)
                add_expression(aggregate.taken, {name: kept}, Use.PRESENCE)
            else:
                add_expression(aggregate.taken, {name: kept}, Use.SUBTREE)
        elif aggregate.grouping is not None:
            self._need_of_groups(aggregate, aggregate.grouping, kept)
        elif aggregate.fold is not None:
            add_expression(aggregate.in_one_step, {name: kept}, Use.SUBTREE)
        else:
            add_expression(aggregate.taken, {name: kept}, Use.PRESENCE if aggregate.counts else Use.STRING)

    def _need_of_groups(self, aggregate: Aggregate, grouping: Grouping, kept: Projection) -> None:
        """Add the parts that groups need: keys and aggregates may read nodes below an item."""

        def add(value: ast.Expr, use: Use) -> None:
            taken = ast.ForClause(ITEM.name, None, aggregate.taken)
            add_expression(ast.Flwor((taken,), value), {ITEM.name.local: kept}, use)

        add(ITEM, Use.PRESENCE)
        for key in grouping.keys:
            add(key.value, Use.STRING)
        for part in grouping.parts:
            if part.fold is not None:
                add(ast.Flwor((ast.ForClause(ONE.name, None, part.taken),), part.fold.step), Use.SUBTREE)
            else:
                add(part.taken, Use.PRESENCE if (FN, part.function) in COUNTS else Use.STRING)

    def feeder(self, aggregate: Aggregate, name: str, kind: int = nk.ELEMENT) -> str:
        """def feed(into, item): add the values taken from a record."""
        c = self.b.c
        if aggregate.fold is not None:
            return self._folder(aggregate, aggregate.fold, name, kind)
        with (
            c.writer.function("feed", ["into", "item"], c.describe(aggregate.taken)) as frame,
            c.scoped(Scope({}, Focus(None))),
        ):
            c.declare(("", name), one("item", NodeItem(kind), simple=True))
            if aggregate.grouping is not None:
                self._groups(aggregate, aggregate.grouping, name)
                return frame.name
            if aggregate.first is not None:
                write_offers(c, aggregate.taken, aggregate.first)
                return frame.name
            code = c.compile(aggregate.taken)
            code = code if aggregate.counts or aggregate.takes_nodes else c.atomized(code)
            c.writer.line(f"into.add({c.as_iterable(code)})")
        return frame.name

    def _folder(self, aggregate: Aggregate, fold: Fold, name: str, kind: int) -> str:
        """def feed(into, items): apply the step of the fold once per record."""
        c = self.b.c
        with (
            c.writer.function("feed", ["into", "items"], c.describe(aggregate.taken)) as frame,
            c.scoped(Scope({}, Focus(None))),
        ):
            # After an error there is no value to continue from.
            c.writer.line("if into.is_decided:")
            with c.writer.indented(block=True):
                c.writer.line("return")
            so_far = c.writer.fresh("so_far")
            is_single = value_type(fold).occurrence is Occurrence.ONE
            c.writer.line(f"{so_far} = into.so_far{'[0]' if is_single else ''}")
            c.writer.line("for item in items:")
            with c.writer.indented(block=True), c.scoped():
                c.declare(("", name), one("item", NodeItem(kind), simple=True), loops=True)
                if aggregate.taken == ITEM:
                    write_step(c, fold, one("item", NodeItem(kind), simple=True), so_far)
                else:
                    taken, each = c.compile(aggregate.taken), c.writer.fresh("one")
                    c.writer.line(f"for {each} in {c.as_iterable(taken)}:")
                    with c.writer.indented(block=True), c.scoped():
                        write_step(c, fold, one(each, taken.item, simple=True), so_far)
            c.writer.line(f"into.add({f'({so_far},)' if is_single else so_far})")
        return frame.name

    def _groups(self, aggregate: Aggregate, grouping: Grouping, name: str) -> None:
        """A record that passes its conditions is added to the cells of its keys."""
        c = self.b.c
        if aggregate.taken == ITEM:
            write_cells(c, grouping)
            return
        taken, record = c.compile(aggregate.taken), c.writer.fresh("record")
        c.writer.line(f"for {record} in {c.as_iterable(taken)}:")
        with c.writer.indented(block=True), c.scoped():
            c.declare(("", name), one(record, taken.item, simple=True))
            write_cells(c, grouping)


def may_be_inside(prefix: tuple[ast.AxisStep, ...], last: Step, of: ElementConstraints | None) -> bool:
    """Whether a record of a path may contain another one."""
    return any(step.axis == "descendant" for step in prefix) and may_nest(last, of)
