"""Records that feed aggregates in a run: added on arrival, or in the order they started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xylem.errors import XylemError
from xylem.plan.scan_table import CellState, python_value
from xylem.values.node import Node

from ..aggregates.state import AggregateState
from .keyed_groups import KeyedGroups
from .late_children import late_child
from .open_scope import Expected
from .roles import FeedRole

if TYPE_CHECKING:
    from .run import StreamRun

Action = Callable[[Node], None]


class FeedRuns:
    """The actions of all aggregates of one run."""

    def __init__(self, run: StreamRun) -> None:
        self.run = run
        self.fed: dict[int, FeedRole] = {}
        """The aggregates, by the step of their records."""

    def take_table(self, step: int, cells: Sequence[tuple[Sequence[Any], Sequence[CellState]]]) -> None:
        """Take the aggregates of a step that the scan has computed."""
        role = self.fed[step]
        aggregate = self.run.open[role.scope.step].aggregates[role.aggregate]
        if isinstance(aggregate, KeyedGroups):
            held = aggregate.held_bytes
            aggregate.take(cells)
            self.run.statistics.hold(role.scope.variable, aggregate.held_bytes - held)
            return
        for _, ((count, total),) in cells:
            assert isinstance(aggregate, AggregateState)
            aggregate.take_scanned(count, python_value(total))

    def feeds(self, role: FeedRole) -> Action:
        if role.takes_runs:
            take = self.takes(role)
            return lambda node: take((node,))
        body = self.run.space[role.body or ""]
        first = role.readers.first
        variable, hold = role.scope.variable, self.run.statistics.hold

        def act(node: Node) -> None:
            scope = self.run.open[role.scope.step]
            if scope.reached >= first:
                raise late_child(node, variable, self.run.statistics.input_bytes)
            aggregate = scope.aggregates[role.aggregate]
            held = aggregate.held_bytes
            try:
                body(aggregate, node)
            except XylemError as error:
                aggregate.fail(error)
            if aggregate.held_bytes != held:
                hold(variable, aggregate.held_bytes - held, node)

        return act

    def takes(self, role: FeedRole) -> Callable[[Sequence[Node]], None]:
        """Add consecutive records in one call."""
        body = self.run.space[role.body or ""]
        first, variable = role.readers.first, role.scope.variable

        def take(nodes: Sequence[Node]) -> None:
            scope = self.run.open[role.scope.step]
            if scope.reached >= first:
                raise late_child(nodes[0], variable, self.run.statistics.input_bytes)
            aggregate = scope.aggregates[role.aggregate]
            held = aggregate.held_bytes
            try:
                body(aggregate, nodes)
            except XylemError as error:
                aggregate.fail(error)
            if aggregate.held_bytes != held:
                self.run.statistics.hold(variable, aggregate.held_bytes - held, nodes[0])

        return take

    def expect(self, role: FeedRole) -> None:
        self.run.open[role.scope.step].expected.setdefault(role.step, Expected()).started()

    def feeds_in_order(self, role: FeedRole) -> Action:
        """Add nested records in the order of their starts, once the outermost has ended."""
        feed = self.feeds(role)

        def act(node: Node) -> None:
            for ready in self.run.open[role.scope.step].expected[role.step].ended(node):
                feed(ready)

        return act
