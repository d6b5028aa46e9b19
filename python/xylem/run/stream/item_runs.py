"""Records that handlers take whole: one at a time, in runs, or in the order they started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xylem.plan.result_template import HOLE
from xylem.values.node import Node

from .buffer import ROW_BYTES, detached, size_of
from .collector import Recorder
from .filled_holes import Filling, write_filled
from .late_children import late_result
from .open_scope import Region
from .roles import HoleRole, ItemRole, ScopeRole

if TYPE_CHECKING:
    from .run import StreamRun

Action = Callable[[Node], None]
Handler = Callable[[Any, list[Any]], None]


class ItemRuns:
    """The actions of all such records of one run."""

    def __init__(self, run: StreamRun) -> None:
        self.run = run

    def item(self, role: ItemRole) -> Action:
        """Records one at a time."""
        run = self.run
        body: Handler = run.space[role.body]
        env, step, position, slot, counter = run.env, role.scope.step, role.position, role.slot, role.counter
        held_as, statistics, hold = role.held_as, run.statistics, run.statistics.hold
        most = -1

        def act(node: Node) -> None:
            nonlocal most
            scope = run.open[step]
            if scope.next_handler != position or scope.reached != position:
                run.reach(scope, position, node)
            env[slot] = node
            if counter is not None:
                scope.counts[role.step] = env[counter] = scope.counts.get(role.step, 0) + 1
            if held_as is not None:
                size = size_of(node)
                if size <= most and statistics.held_bytes + size <= statistics.recent_peak_bytes:
                    # No more than was held before, so nothing has to be noted.
                    statistics.held_bytes += size
                    body(run.output, env)
                    statistics.held_bytes -= size
                    return
                most = max(size, most)
                hold(held_as, size, node)
                body(run.output, env)
                hold(held_as, -size)
            else:
                body(run.output, env)

        return act

    def tested(self, role: ItemRole) -> Action:
        """Records that the scan cannot test."""
        passes, take, env = self.run.space[role.passes or ""], self.item(role), self.run.env

        def act(node: Node) -> None:
            env[role.slot] = node
            if passes(env):
                take(node)

        return act

    def items(self, role: ItemRole) -> Callable[[Sequence[Node]], None]:
        """Consecutive records in one call."""
        body: Callable[[Any, list[Any], Sequence[Node]], None] = self.run.space[role.run or ""]

        def take(nodes: Sequence[Node]) -> None:
            scope = self.run.open[role.scope.step]
            self.run.reach(scope, role.position, nodes[0])
            body(self.run.output, self.run.env, nodes)

        return take

    def written(
        self,
        around: ScopeRole,
        position: int,
        held_as: str | None = None,
        holes: tuple[HoleRole, ...] = (),
        counted: int | None = None,
    ) -> Action:
        """Results that the scan has written, instead of one handler call per record.

        With `counted`, count the records of that step.
        """
        step, hold = around.step, self.run.statistics.hold
        fillings = [Filling(self.run.space[hole.function], hole.in_attribute) for hole in holes]

        def act(node: Node) -> None:
            scope = self.run.open[step]
            if position < scope.next_handler:
                raise late_result(self.run.env[around.slot], around.variable, self.run.statistics.input_bytes)
            self.run.advance(scope, position)
            scope.reached = position
            written = next(self.run.written)
            if counted is not None:
                scope.counts[counted] = scope.counts.get(counted, 0) + written.elements
            if held_as is not None:
                size = written.most_characters + ROW_BYTES * written.most_rows
                hold(held_as, size)
                hold(held_as, -size)
            if fillings and HOLE in written.text:
                write_filled(written, fillings, self.run.env, self.run.output.markup)
            elif written.begins_with_atomic or written.ends_with_atomic:
                edges = written.begins_with_atomic, written.ends_with_atomic
                self.run.output.markup(written.text, written.items, *edges)
            elif written.text or written.items:
                self.run.output.markup(written.text, written.items)

        return act

    def _nested_and_tested(self, role: ItemRole, alone: Action) -> Action:
        """Only records that pass are counted, in the order they started: inner records wait for the outer one."""
        env, passes, held_as = self.run.env, self.run.space[role.passes or ""], role.held_as or ""

        def act(node: Node) -> None:
            scope = self.run.open[role.scope.step]
            env[role.slot] = node
            is_passing = passes(env)
            if not scope.started:
                if is_passing:
                    alone(node)
                return
            region = scope.started.pop()
            if is_passing:
                region.node = detached(node)
                self.run.statistics.hold(held_as, size_of(region.node), node)
            if scope.started:
                return
            for each in scope.waiting:
                if each.node is not None:
                    self.run.statistics.hold(held_as, -size_of(each.node))
                    alone(each.node)
            scope.waiting.clear()

        return act

    def reserve(self, role: ItemRole, node: Node) -> None:
        scope = self.run.open[role.scope.step]
        self.run.reach(scope, role.position, node)
        region = Region()
        if role.counter is not None and role.passes is None:
            scope.counts[role.step] = region.number = scope.counts.get(role.step, 0) + 1
        scope.waiting.append(region)
        scope.started.append(region)

    def nested(self, role: ItemRole) -> Action:
        """Handle nested records: results are written in the order of the records' starts."""
        body: Handler = self.run.space[role.body]
        hold = self.run.statistics.hold
        alone = self.item(role)
        if role.passes is not None:
            return self._nested_and_tested(role, alone)

        def act(node: Node) -> None:
            scope = self.run.open[role.scope.step]
            if not scope.started:
                # It was not announced: it comes in document order.
                alone(node)
                return
            waiting, region = scope.waiting, scope.started.pop()
            self.run.env[role.slot] = node
            if role.counter is not None:
                self.run.env[role.counter] = region.number
            if role.held_as is not None:
                size = size_of(node)
                hold(role.held_as, size, node)
                hold(role.held_as, -size)
            if scope.started:
                region.recorder = Recorder()
                body(region.recorder, self.run.env)
                if not region.recorder.calls and waiting[-1] is region:
                    waiting.pop()
                return
            body(self.run.output, self.run.env)
            for inner in waiting:
                if inner.recorder is not None:
                    inner.recorder.replay(self.run.output)
            waiting.clear()

        return act
