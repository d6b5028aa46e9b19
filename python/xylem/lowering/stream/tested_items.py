"""Count only records that pass a test of their whole content.

        head(//a[contains(., "x")])     (//a[. = "x"])[position() <= 3]

    →   on //a as $x at $i, counted where contains($x, "x"), return { if ($i = 1) then {$x} }

Gain:   the run keeps one element at a time, with its matching ancestors, and ends with the last one it needs.
Needs:  each predicate tests and reads only the element.
Safe:   elements come in document order, nested ones too: inner elements wait for the outermost one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.analysis.free_variables import free_in
from xylem.analysis.projection import NotProjectable, Projection, Use, project
from xylem.analysis.streamable_paths import is_test
from xylem.plan.flux import On
from xylem.plan.needs import add_needs
from xylem.plan.scan_plan import Report
from xylem.plan.symbols import is_element_step
from xylem.run.stream.roles import ItemRole, ScopeRole
from xylem.syntax import ast

from .counted_limit import limit_of
from .hoisting import hoisted
from .steps import variable_expression

if TYPE_CHECKING:
    from .build import StreamBuilder


class TestedItemPlanner:
    """Plans the handlers of one program that count elements which pass a test."""

    def __init__(self, builder: StreamBuilder) -> None:
        self.b = builder

    def can(self, handler: On) -> bool:
        """Whether a handler counts elements by a test that only their end decides."""
        step = handler.step
        if handler.position is None or handler.outermost or not step.predicates or not is_element_step(step):
            return False
        own = {("", name) for name in self.b.program_variables}
        if not all(is_test(predicate) and not free_in(predicate) & own for predicate in step.predicates):
            return False
        try:
            kept = self._needs(handler)
        except NotProjectable:
            return False
        return kept.above is None and self.b.is_scannable(handler.through)

    def plan(self, role: ScopeRole, index: int, handler: On, nested: bool) -> None:
        """A step and a role for the elements, complete."""
        b, name = self.b, handler.variable
        assert handler.position is not None
        planned = b.steps.follow(b.follow(role.step, handler.through), handler.step, Report.ITEM)
        planned.kept = self._needs(handler)
        passing: ast.Expr = variable_expression(name)
        for predicate in handler.step.predicates:
            passing = ast.Filter(passing, predicate, span=predicate.span)
        planned.tests, _ = b.selection.tests_of_predicates(passing, name)
        planned.value_tests = b.selection.value_tests_of_predicates(passing, name)
        body = b.code.function("on", hoisted(handler.body), role, handler)
        item = ItemRole(planned.index, role, index, b.slot(name), body, held_as=name)
        item.passes = b.code.test(passing, [name])
        item.counter, item.limit, item.nested = b.slot(handler.position), limit_of(handler), nested
        if nested:
            planned.report, planned.nests = Report.START | Report.ITEM, role.step in b.alone
        b.roles.append(item)

    @staticmethod
    def _needs(handler: On) -> Projection:
        kept = Projection()
        add_needs(handler.body, {handler.variable: kept})
        for predicate in handler.step.predicates:
            project(predicate, {}, focus=kept, use=Use.PRESENCE)
        return kept
