"""Plan results that wait for predicates: the candidates, their conditions, and the records that decide them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.projection import NotProjectable, Projection, Use, project
from xylem.analysis.streamable_paths import is_counting
from xylem.functions.registry import FN
from xylem.plan.flux import On, Step
from xylem.plan.needs import add_expression, add_needs, element_names
from xylem.plan.scan_plan import PositionTest, Report, StartTest
from xylem.rewrite.counted_positions import counted, first_and_last
from xylem.rewrite.focus_conditions import of_focus
from xylem.rewrite.simple_expressions import is_known_at_start
from xylem.rewrite.substitution import FocusInTheWay, Substitution, variable
from xylem.run.stream.decisions import Decision
from xylem.run.stream.roles import (
    AggregateRole,
    CandidateFeedRole,
    CandidateRole,
    CountedParentRole,
    RegionRole,
    ScopeRole,
    Segment,
)
from xylem.syntax import ast
from xylem.values import node as nk
from xylem.values.sequence_type import NodeItem

from .aggregates import IN_ORDER, Aggregate, Extraction
from .counted_limit import limit_of
from .decision_plan import DecisionBuilder, may_hold_empty
from .fed_records import ITEM
from .hoisting import without_conditions
from .selection import guards
from .steps import PlannedStep

if TYPE_CHECKING:
    from .build import StreamBuilder

CANDIDATE = "candidate "
"""Prefix for the variables of candidates, which no query can use."""
POSITION = "position below a parent"
_TRUE = ast.FunctionCall(ast.Name("true", "fn", FN), ())


@dataclass(frozen=True)
class PlannedTest:
    """The predicates of one step, taken apart."""

    variable: str
    position: ast.Expr | None
    """The test that counts matches below one parent."""
    condition: ast.Expr | None
    """The rest, with variables for content of the element."""
    aggregates: tuple[Aggregate, ...]
    decision: Decision
    facts: tuple[ast.Expr, ...]
    tests: tuple[StartTest, ...] = ()
    """The tests that the scan can make by itself."""
    needs_records: bool = False
    """Whether the condition is false if nothing below the element feeds its aggregates."""


class RegionPlanner:
    """Plans the handlers of one program that select by predicates."""

    def __init__(self, builder: StreamBuilder) -> None:
        self.b = builder
        self._number = 0

    # --- recognising them

    def scan_tests(self, step: Step) -> tuple[StartTest, ...] | None:
        """The predicates of a step, if the scan can test all of them at the start tag."""
        tests, rest = self._tested_first(step)
        return None if rest else tests

    def _tested_first(self, step: Step) -> tuple[tuple[StartTest, ...], tuple[ast.Expr, ...]]:
        """The leading predicates of a step that the scan can test at a start tag, as tests; and the rest."""
        tests: list[StartTest] = []
        for number, predicate in enumerate(step.predicates):
            counted = position_test(predicate)
            conditions = self._conditions(predicate)
            selection = self.b.selection.behind(tuple(tests))
            found = [counted] if counted else [selection.test(one, CANDIDATE) for one in conditions]
            made = [test for test in found if test is not None]
            if len(made) < len(found) or not found:
                return tuple(tests), step.predicates[number:]
            tests += made
        return tuple(tests), ()

    def _conditions(self, predicate: ast.Expr) -> list[ast.Expr]:
        if is_counting(predicate):
            return []
        try:
            return conjuncts(Substitution({}, variable(CANDIDATE)).apply(predicate))
        except FocusInTheWay:
            return []

    def can(self, handler: On) -> bool:
        """Whether all predicates of a handler's path can be decided while their elements are open."""
        kept = Projection()
        add_needs(handler.body, {handler.variable: kept})
        if kept.above is not None:
            # Waiting results are copies: nothing is around them.
            return False
        steps = [step for step in (*handler.through, handler.step) if self.scan_tests(step) is None]
        return handler.step.axis != "attribute" and all(self._test(step, CANDIDATE, 0) is not None for step in steps)

    def guarded(self, handler: On) -> On | None:
        """The handler with the condition of all its output as a predicate, if its start tag suffices for the rest.

            on //a as $x return { if ($x/b) then {$x/@c} }     →     on //a[b] as $x return {$x/@c}

        Gain:   of nested elements, only the start tags wait, not the whole outermost one.
        """
        name = handler.variable
        conditions = [c for c in guards(handler.body) or () if _reads(c, frozenset({name}))]
        if not conditions or handler.position is not None or handler.outermost:
            return None
        body = without_conditions(handler.body, frozenset(conditions))
        kept = Projection()
        add_needs(body, {name: kept})
        if not is_known_at_start(kept):
            return None
        try:
            predicates = tuple(of_focus(condition, name) for condition in conditions)
        except FocusInTheWay:
            return None
        tested = replace(handler.step, predicates=(*handler.step.predicates, *predicates))
        planned = self._test(tested, CANDIDATE, 0)
        if planned is None or not planned.aggregates:
            # The start tag decides: nothing would wait.
            return None
        made = replace(handler, step=tested, body=body)
        return made if self.can(made) else None

    def _test(self, step: Step, name: str, first_number: int) -> PlannedTest | None:
        first, rest = self._tested_first(step)
        predicates = list(rest)
        position = predicates.pop(0) if predicates and is_counting(predicates[0]) else None
        if any(map(is_counting, predicates)):
            return None
        try:
            tests = [Substitution({}, variable(name)).apply(predicate) for predicate in predicates]
        except FocusInTheWay:
            return None
        if not tests:
            return PlannedTest(name, position, None, (), Decision("and"), (), first)
        whole = reduce(ast.And, tests)
        extraction = Extraction(name, first_number, self.b.program_variables, takes_items=True)
        condition = extraction.condition(whole)
        own = Projection()
        try:
            project(condition, {("", name): own}, use=Use.PRESENCE)
        except NotProjectable:
            return None
        if own.above is not None or not is_known_at_start(own) or _reads(condition, self.b.program_variables):
            return None
        if any(self._nests(aggregate) for aggregate in extraction.found):
            return None
        if any(a.fold is not None or a.grouping is not None or a.first is not None for a in extraction.found):
            # Their values are not facts that decide anything before the candidate ends.
            return None
        numbers = {a.name: (number, a.function) for number, a in enumerate(extraction.found)}
        decisions = DecisionBuilder(numbers)
        decision = decisions.build(condition)
        selection = self.b.selection.behind(first)
        found = (*first, *selection.tests(conjuncts(whole), name)) if position is None else first
        made = PlannedTest(name, position, condition, tuple(extraction.found), decision, tuple(decisions.facts), found)
        functions = {aggregate.name: aggregate.function for aggregate in extraction.found}
        return replace(made, needs_records=not may_hold_empty(condition, functions))

    def _nests(self, aggregate: Aggregate) -> bool:
        """Whether the records of an aggregate may come in another order than it needs, or look around."""
        taken = Projection()
        add_expression(aggregate.taken, {ITEM.name.local: taken}, Use.PRESENCE)
        if taken.above is not None:
            return True
        return aggregate.function in IN_ORDER and any(step.axis == "descendant" for step in aggregate.prefix)

    # --- planning

    def plan(self, role: ScopeRole, index: int, handler: On, nested: bool) -> None:
        """Steps and roles for a handler whose path has predicates."""
        b, path = self.b, (*handler.through, handler.step)
        planned = [self._planned_test(step) for step in path]
        last = max(i for i, test in enumerate(planned) if test is not None)
        region = RegionRole(0, role, index, b.slot(handler.variable), "", handler.variable, _segment(path[last + 1 :]))
        kept = Projection()
        add_needs(handler.body, {handler.variable: kept})
        region.at_start = is_known_at_start(kept)
        region.is_tried = not b.c.static.is_sequential
        region.nested = nested and not region.at_start
        region.counter = None if handler.position is None else b.slot(handler.position)
        region.limit = limit_of(handler)
        parent, since = role.step, -1
        for i, (step, test) in enumerate(zip(path, planned, strict=True)):
            is_result = i == len(path) - 1
            if is_result and not region.at_start:
                # Before the candidate that it may be itself: its end is reported first.
                self._result(region, parent, step, kept, test)
            if test is not None:
                made = self._candidate(region, parent, step, test, _segment(path[since + 1 : i + 1]))
                if test.position is not None:
                    self._counted_parents(region.candidates[-1], parent, step)
                # Nothing need be known about an element without results or deciding records.
                made.late = test.position is None and (not is_result or (region.at_start and test.needs_records))
                since = i
                below = made.index
            elif not is_result:
                following = b.steps.follow(parent, step, Report.NOTHING)
                following.tests = self.scan_tests(step) or ()
                below = following.index
            if is_result and region.at_start and test is not None:
                # The start tag announces both the candidate and the result that it is.
                region.step = made.index
                add_needs(handler.body, {handler.variable: made.kept})
            elif is_result and region.at_start:
                self._result(region, parent, step, kept, test)
            parent = below if not is_result else parent
        region.body = b.code.function("on", handler.body, role, handler)
        b.roles.append(region)

    def _planned_test(self, step: Step) -> PlannedTest | None:
        if self.scan_tests(step) is not None:
            return None
        self._number += 1
        found = self._test(step, f"{CANDIDATE}{self._number}", self.b.next_aggregate)
        assert found is not None
        self.b.next_aggregate += len(found.aggregates)
        return found

    def _result(
        self, region: RegionRole, parent: int, step: Step, kept: Projection, test: PlannedTest | None
    ) -> None:
        report = Report.START if region.at_start else Report.START | Report.ITEM if region.nested else Report.ITEM
        planned = self.b.steps.follow(parent, step, report)
        planned.tests = test.tests if test is not None else self.scan_tests(step) or ()
        planned.kept = kept
        region.step = planned.index

    def _candidate(
        self, region: RegionRole, parent: int, step: Step, test: PlannedTest, segment: Segment
    ) -> PlannedStep:
        b, name = self.b, test.variable
        planned = b.steps.follow(parent, step, Report.START | Report.END)
        planned.tests = test.tests
        b.item_types[name] = NodeItem(nk.ELEMENT)
        number = len(region.candidates)
        role = CandidateRole(planned.index, region.scope, region, number, segment, b.slot(name), test.decision)
        region.candidates.append(role)
        b.roles.append(role)
        if test.condition is not None:
            add_expression(test.condition, {name: planned.kept}, Use.PRESENCE)
            role.reads_element = _reads(test.condition, frozenset({name}))
        role.aggregates = [AggregateRole(b.slot(a.name), a.function, a.parameter) for a in test.aggregates]
        role.facts = [b.code.test(fact, [name]) for fact in test.facts]
        names = [name, *(aggregate.name for aggregate in test.aggregates)]
        role.test = b.code.test(test.condition or _TRUE, names)
        if test.position is not None:
            role.counts = b.code.position_test(counted(test.position, variable(POSITION)), POSITION)
        for number, aggregate in enumerate(test.aggregates):
            self._feed(role, number, aggregate)
        return planned

    def _feed(self, role: CandidateRole, number: int, aggregate: Aggregate) -> None:
        b, parent, name = self.b, role.step, ITEM.name.local
        for step in aggregate.prefix:
            planned = b.steps.add(parent, step.axis, *element_names(Step("*", step.axis, step.test)), Report.NOTHING)
            parent = planned.index
        planned.tests, _ = b.selection.tests_of_predicates(aggregate.taken, name)
        use = Use.PRESENCE if aggregate.counts else Use.SUBTREE if aggregate.takes_nodes else Use.STRING
        add_expression(aggregate.taken, {name: planned.kept}, use)
        at_start = is_known_at_start(planned.kept)
        planned.report = Report.START if at_start else Report.ITEM
        if not at_start:
            planned.value_tests = b.selection.value_tests_of_predicates(aggregate.taken, name)
        segment = Segment(tuple((s.axis, *element_names(Step("*", s.axis, s.test))) for s in aggregate.prefix))
        body = b.aggregates.feeder(aggregate, name)
        b.roles.append(CandidateFeedRole(planned.index, role.scope, role, number, segment, body, at_start))

    def _counted_parents(self, candidate: CandidateRole, parent: int, step: Step) -> None:
        """The elements below which the matches of a step are counted: those its parent step reaches, and below."""
        b = self.b
        if step.axis == "descendant":
            planned = b.steps.add(parent, "descendant", None, None, Report.START)
            b.roles.append(CountedParentRole(planned.index, candidate.scope, candidate))
        above = b.steps.steps[parent]
        if parent != candidate.scope.step:
            planned = b.steps.add(above.parent, above.axis, above.uri, above.local, Report.START)
            planned.tests = above.tests
            b.roles.append(CountedParentRole(planned.index, candidate.scope, candidate))


def position_test(predicate: ast.Expr) -> PositionTest | None:
    """A positional predicate as a test of the scan, if it has a first and a last number."""
    found = first_and_last(predicate)
    return None if found is None else PositionTest(*found)


def _segment(path: tuple[Step, ...]) -> Segment:
    return Segment(tuple((step.axis, *element_names(step)) for step in path))


def _reads(condition: ast.Expr, names: frozenset[str]) -> bool:
    return any(isinstance(n, ast.VarRef) and not n.name.uri and n.name.local in names for n in condition.walk())
