"""Records of regions: candidates start, receive content and end; results wait or are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xylem.errors import XylemError
from xylem.values.node import Node

from .buffer import Buffer, detached, size_of
from .collector import Recorder
from .open_scope import OpenScope, depth_of
from .regions import Candidate, Regions, verdict_of
from .roles import CandidateFeedRole, CandidateRole, CountedParentRole, RegionRole

if TYPE_CHECKING:
    from .run import StreamRun

Action = Callable[[Node], None]


class RegionRuns:
    """The actions of all regions of one run."""

    def __init__(self, run: StreamRun) -> None:
        self.run = run

    def _regions(self, role: RegionRole) -> Regions:
        scope = self.run.open[role.scope.step]
        found = scope.regions.get(role.step)
        if found is None:
            found = scope.regions[role.step] = Regions(
                role, lambda node: self._write(role, scope, node), lambda size, node: self._hold(role, size, node)
            )
        return found

    def _hold(self, role: RegionRole, size: int, node: Node | None = None) -> None:
        self.run.statistics.hold(role.variable, size, node)

    def _write(self, role: RegionRole, scope: OpenScope, node: Node) -> None:
        env = self.run.env
        env[role.slot] = node
        number = scope.counts[role.step] = scope.counts.get(role.step, 0) + 1
        if role.counter is not None:
            env[role.counter] = number
        self.run.space[role.body](self.run.output, env)

    def _writes_nothing(self, role: RegionRole, node: Node) -> bool:
        recorder = Recorder()
        self.run.env[role.slot] = node
        try:
            self.run.space[role.body](recorder, self.run.env)
        except XylemError:
            # The result only fails if its test holds, which is not known yet.
            return False
        return not recorder.calls

    # --- candidates

    def parent_starts(self, role: CountedParentRole) -> Action:
        return lambda node: self._regions(role.candidate.region).parent_starts(role.candidate.number, depth_of(node))

    def candidate_starts(self, role: CandidateRole) -> Action:
        run = self.run
        facts = [run.space[name] for name in role.facts]
        counts = None if role.counts is None else run.space[role.counts]

        def act(node: Node) -> None:
            run.reach(run.open[role.scope.step], role.region.position, node)
            regions, depth = self._regions(role.region), depth_of(node)
            candidate = regions.opened(role, node, depth, Buffer(node).node if role.reads_element else None)
            if counts is not None and not counts(regions.position(role.number, depth)):
                regions.decided(candidate, False)
            if candidate.is_decided:
                return
            candidate.aggregates = [run.accumulator(aggregate) for aggregate in role.aggregates]
            run.env[role.slot] = candidate.node
            candidate.facts = [fact(run.env) for fact in facts]
            regions.decided(candidate, verdict_of(role.decision, candidate))

        return act

    def candidate_ends(self, role: CandidateRole) -> Action:
        test = self.run.space[role.test]

        def act(node: Node) -> None:
            regions = self._regions(role.region)
            candidate = regions.closed(role.number)
            if not candidate.is_decided:
                self._show(role, candidate)
                regions.decided(candidate, test(self.run.env))
            held = sum(aggregate.held_bytes for aggregate in candidate.aggregates)
            if held:
                self._hold(role.region, -held)

        return act

    def _show(self, role: CandidateRole, candidate: Candidate) -> None:
        """Let the test of a candidate see its values."""
        env = self.run.env
        env[role.slot] = candidate.node
        for made, aggregate in zip(role.aggregates, candidate.aggregates, strict=True):
            env[made.slot] = aggregate

    def feeds(self, role: CandidateFeedRole) -> Action:
        run, candidate_role = self.run, role.candidate
        body = run.space[role.body]

        def act(node: Node) -> None:
            regions = self._regions(candidate_role.region)
            for candidate in regions.fed(candidate_role.number, role.segment, node, depth_of(node)):
                aggregate = candidate.aggregates[role.aggregate]
                held = aggregate.held_bytes
                try:
                    body(aggregate, node)
                except XylemError as error:
                    aggregate.fail(error)
                if aggregate.held_bytes != held:
                    self._hold(candidate_role.region, aggregate.held_bytes - held, node)
                regions.decided(candidate, verdict_of(candidate_role.decision, candidate))

        return act

    # --- results

    def result_starts(self, role: RegionRole) -> Action:
        return lambda node: self._regions(role).reserve()

    def result(self, role: RegionRole) -> Action:
        # The start tag determines all output: if there is none, nothing has to wait for it.
        may_be_nothing = role.at_start and role.counter is None and role.is_tried

        def copied(node: Node) -> tuple[Node, int] | None:
            return None if may_be_nothing and self._writes_nothing(role, node) else _copied(role, node)

        def act(node: Node) -> None:
            self._regions(role).complete(role.segment, node, depth_of(node), lambda: copied(node), role.nested)

        return act


def _copied(role: RegionRole, node: Node) -> tuple[Node, int]:
    """The part of a result that outlives its batch: its start tag, or all its kept content."""
    copy = Buffer(node).node if role.at_start else detached(node)
    return copy, size_of(copy)
