"""Plan handlers for leaf nodes: the scan reports each text, comment or processing instruction on its own.

    on //*/text() as $t return β                 each text node of the document
    ps $book: on //text() as $t return β         each text node of the book, at any depth
    on //comment() as $c return β                each comment, also those outside the root element
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.analysis.free_variables import free_in
from xylem.analysis.projection import Projection, project
from xylem.analysis.streamable_paths import is_test
from xylem.analysis.types import leaf_kind
from xylem.plan.flux import ROOT, On, Step
from xylem.plan.needs import add_needs, node_test
from xylem.plan.scan_plan import Report
from xylem.plan.symbols import LEAVES, TEXT
from xylem.run.stream.roles import ItemRole, ScopeRole
from xylem.syntax import ast
from xylem.values import node as nk
from xylem.values.sequence_type import NodeItem

from .counted_limit import limit_of
from .hoisting import hoisted
from .steps import variable_expression

if TYPE_CHECKING:
    from .build import StreamBuilder


class LeafPlanner:
    """Plans the handlers of one program for such nodes."""

    def __init__(self, builder: StreamBuilder) -> None:
        self.b = builder

    def plan(self, role: ScopeRole, index: int, handler: On) -> None:
        """Report them one by one, as soon as they are complete."""
        kind = leaf_kind(node_test(handler.step))
        self.b.item_types[handler.variable] = NodeItem(kind)
        through = handler.through
        parent = self.b.follow(role.step, through) if through else self.b.steps.again(role.step).index
        below = [parent]
        if handler.step.axis == "descendant":
            below.append(self.b.steps.add(parent, "descendant", None, None, Report.NOTHING).index)
        for number in below:
            self.b.steps.steps[number].report_leaves(kind)
        needs = Projection()
        add_needs(handler.body, {handler.variable: needs})
        for predicate in handler.step.predicates:
            project(predicate, {}, focus=needs)
        self.b.keep_above(needs)
        slot = self.b.slot(handler.variable)
        hoisted_body = hoisted(handler.body)
        body = self.b.code.function("on", hoisted_body, role, handler)
        item = ItemRole(parent, role, index, slot, body, leaf_steps=tuple(below))
        if handler.step.predicates:
            # Only nodes that pass are counted; without a position, the body tests them.
            passing: ast.Expr = variable_expression(handler.variable)
            for predicate in handler.step.predicates:
                passing = ast.Filter(passing, predicate, span=predicate.span)
            item.passes = self.b.code.test(passing, [handler.variable])
        item.counter = None if handler.position is None else self.b.slot(handler.position)
        item.limit = limit_of(handler)
        if kind == nk.TEXT and item.counter is None and item.passes is None:
            for number in below:
                self.b.steps.steps[number].result = self.b.template(hoisted_body, handler.variable, self.b.selection)
        self.b.roles.append(item)

    def can(self, path: tuple[Step, ...], source: str) -> bool:
        """Whether a path leads to the leaves of elements that the scan itself can find, each by one path."""
        *way, last = path
        if last.name not in LEAVES or not self.b.is_scannable(tuple(way)):
            return False
        own = {("", name) for name in self.b.program_variables}
        if not all(is_test(predicate) and not free_in(predicate) & own for predicate in last.predicates):
            return False
        return (bool(way) or source != ROOT or last.name != TEXT) and not (
            last.axis == "descendant" and any(step.axis == "descendant" for step in way)
        )
