"""One run of a stream program: records in, output out.

Records are dispatched by the role of their step. Only the state of the roles is held between batches: the open scopes
with their buffers and aggregates, and results that wait for an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from math import inf
from typing import Any

from xylem.errors import InputError, XylemError
from xylem.functions.context import Context
from xylem.plan.scan_plan import LEAF, WRITTEN, Written
from xylem.plan.scan_table import TableState
from xylem.schema.past_tracker import PastTracker
from xylem.schema.symbols import END as AT_END_TAG
from xylem.values.at_hand import RecordsAtHand
from xylem.values.node import Node
from xylem.values.tree_interface import TreeInterface

from ..aggregates.count_state import CountState
from .accumulator import Accumulator, accumulator
from .buffer import ROW_BYTES, Buffer, size_of
from .feed_runs import FeedRuns
from .first_tuples import FirstSpec, FirstTuples, limit_of
from .item_runs import ItemRuns
from .keyed_groups import KeyedGroups
from .late_children import has_any, late_child
from .left_fold import LeftFold
from .open_scope import OpenScope, depth_of
from .region_runs import RegionRuns
from .roles import (
    AggregateRole,
    CandidateFeedRole,
    CandidateRole,
    CountedParentRole,
    FeedRole,
    FiringRole,
    ItemRole,
    KeepRole,
    RegionRole,
    Role,
    ScopeRole,
    TrackRole,
    TriggerRole,
    WindowRole,
)
from .statistics import Statistics
from .stopping import Stopping
from .window_runs import WindowRuns

__all__ = ["Statistics", "StreamRun"]

START, END, ITEM = 1, 2, 4
_NOTHING_WRITTEN: Sequence[Written] = ()
Action = Callable[[Node], None]
Handler = Callable[[Any, list[Any]], None]


class StreamRun:
    """The state of one run."""

    def __init__(
        self,
        roles: list[Role],
        slots: int,
        space: dict[str, Any],
        context: Context,
        output: Any,
        statistics: Statistics,
    ) -> None:
        self.output = output
        self.statistics = statistics
        self.env: list[Any] = [None] * slots
        self.space = space
        self.context = context
        self.open: dict[int, OpenScope] = {}
        """Open scopes by step; scopes never nest within themselves."""
        self.actions: dict[int, Action] = {}
        """By step and kind of record: step << 3 | kind."""
        self.takes_runs: dict[int, Callable[[Sequence[Node]], None]] = {}
        """Those of them that take several records at once, if no other record stands between them."""
        self.counted: list[tuple[int, FeedRole]] = []
        """Steps whose counts belong to an aggregate."""
        self.handlers: dict[int, list[Handler | None]] = {}
        self.windows: dict[tuple[int, int], WindowRole] = {}
        """By the step of their scope and their index in it."""
        self.keeps: dict[int, list[KeepRole]] = {}
        """What to keep, by the step of its scope."""
        self.trackers: dict[int, PastTracker] = {}
        """By the step of their scope."""
        self.written: Iterator[Written] = iter(_NOTHING_WRITTEN)
        """Results that the scan wrote in this batch, whose records have not been reached yet."""
        self.item_runs = ItemRuns(self)
        self.region_runs = RegionRuns(self)
        self.window_runs = WindowRuns(self)
        self.feed_runs = FeedRuns(self)
        for role in roles:
            self._install(role)
        self.stopping = Stopping(roles)
        self.root = next(role for role in roles if isinstance(role, ScopeRole) and role.parent is None)

    def _install(self, role: Role) -> None:
        key = role.step << 3
        match role:
            case ScopeRole():
                self.handlers[role.step] = [None if name is None else self.space[name] for name in role.bodies]
                self.actions[key | START] = lambda node: self._open(role, node)
                self.actions[key | END] = lambda node: self._close(role)
                if role.parent is not None:
                    self.actions[key | WRITTEN] = self.item_runs.written(role.parent, role.position, holes=role.holes)
            case ItemRole() if role.leaf_steps:
                act = self.item_runs.item(role) if role.passes is None else self.item_runs.tested(role)
                self.actions |= dict.fromkeys(_leaves(role), act)
                written = self.item_runs.written(role.scope, role.position, role.held_as)
                self.actions |= dict.fromkeys(_leaves(role, WRITTEN), written)
            case ItemRole(at_start=True):
                self.actions[key | START] = self.item_runs.item(role)
                if role.run is not None:
                    self.takes_runs[key | START] = self.item_runs.items(role)
            case ItemRole(nested=True):
                self.actions[key | START] = lambda node: self.item_runs.reserve(role, node)
                self.actions[key | ITEM] = self.item_runs.nested(role)
                self.actions[key | WRITTEN] = self.item_runs.written(
                    role.scope, role.position, role.held_as, role.holes
                )
            case ItemRole():
                act = self.item_runs.item(role) if role.passes is None else self.item_runs.tested(role)
                self.actions[key | ITEM] = act
                if role.run is not None:
                    self.takes_runs[key | ITEM] = self.item_runs.items(role)
                counted = None if role.counter is None else role.step
                self.actions[key | WRITTEN] = self.item_runs.written(
                    role.scope, role.position, role.held_as, role.holes, counted
                )
            case WindowRole():
                self.windows[role.scope.step, role.position] = role
                self.actions[key | ITEM] = self.window_runs.item(role)
                self.actions[key | WRITTEN] = self.window_runs.written(role)
            case KeepRole():
                self.keeps.setdefault(role.scope.step, []).append(role)
                self.actions[key | ITEM] = self._keep(role)
            case TriggerRole():
                self.actions[key | (END if role.at_end else START)] = self._trigger(role)
            case TrackRole():
                sets = [(AT_END_TAG,) if names is None else names for names in role.sets]
                self.trackers[role.scope.step] = PastTracker(role.constraints, sets)
                self.actions[key | START] = self._track(role, at_end=False)
                self.actions[key | END] = self._track(role, at_end=True)
            case FiringRole():
                self.actions[key | ITEM] = self._fire(role)
            case CandidateRole():
                self.actions[key | START] = self.region_runs.candidate_starts(role)
                self.actions[key | END] = self.region_runs.candidate_ends(role)
            case CountedParentRole():
                self.actions[key | START] = self.region_runs.parent_starts(role)
            case CandidateFeedRole():
                self.actions[key | (START if role.at_start else ITEM)] = self.region_runs.feeds(role)
            case RegionRole():
                if role.nested:
                    self.actions[key | START] = self.region_runs.result_starts(role)
                # A start tag may belong to a candidate and to the result itself.
                before = self.actions.get(key | START) if role.at_start else None
                act = self.region_runs.result(role)
                self.actions[key | (START if role.at_start else ITEM)] = act if before is None else both(before, act)
            case FeedRole(body=None):
                self.counted.append((role.step, role))
            case FeedRole() if role.leaf_steps:
                self.counted += [(step, role) for step in role.leaf_steps]
                self.actions |= dict.fromkeys(_leaves(role), self.feed_runs.feeds(role))
                if role.takes_runs:
                    self.takes_runs |= dict.fromkeys(_leaves(role), self.feed_runs.takes(role))
            case FeedRole(nested=True):
                self.actions[key | START] = lambda node: self.feed_runs.expect(role)
                self.actions[key | ITEM] = self.feed_runs.feeds_in_order(role)
            case FeedRole():
                # The scan may count records by itself, and report only some of them here.
                self.feed_runs.fed[role.step] = role
                self.counted.append((role.step, role))
                key |= START if role.at_start else ITEM
                self.actions[key] = self.feed_runs.feeds(role)
                if role.takes_runs:
                    self.takes_runs[key] = self.feed_runs.takes(role)

    # --- input

    def start(self, document: Node) -> None:
        self._open(self.root, document)

    def push(
        self,
        tree: TreeInterface,
        kinds: list[int],
        steps: list[int],
        rows: list[int],
        counts: list[int],
        written: Sequence[Written] = _NOTHING_WRITTEN,
        tables: Sequence[TableState] = (),
    ) -> None:
        """Process the records of a batch."""
        self._move_spine(tree)
        for step, cells in tables:
            self.feed_runs.take_table(step, cells)
        self.written = iter(written)
        for step, role in self.counted:
            if counts and counts[step]:
                self._count(role, counts[step])
        actions = self.actions
        self.context.run.at_hand = RecordsAtHand(tree, kinds, steps, rows)
        if self.takes_runs:
            self._push_runs(tree, kinds, steps, rows)
        else:
            for kind, step, row in zip(kinds, steps, rows, strict=True):
                action = actions.get(step << 3 | kind)
                if action is not None:
                    action(Node(tree, row))
        self.context.run.at_hand = None
        self.statistics.records += len(kinds) + sum(each.elements - 1 for each in written)
        if self.statistics.counters is not None:
            self.statistics.counters.take_batch(kinds, steps, counts, written, tables)

    def passes_on(self, role: ItemRole, written: Written) -> bool:
        """Whether a result that the scan has written is the next part of the output, with no other action before it."""
        scope, statistics = self.open.get(role.scope.step), self.statistics
        if role.holes or scope is None or scope.next_handler != role.position:
            return False
        scope.reached = role.position
        size = written.most_characters + ROW_BYTES * written.most_rows
        if role.held_as is not None and statistics.held_bytes + size > statistics.recent_peak_bytes:
            statistics.hold(role.held_as, size)
            statistics.hold(role.held_as, -size)
        statistics.records += written.elements
        return True

    def _push_runs(self, tree: TreeInterface, kinds: list[int], steps: list[int], rows: list[int]) -> None:
        """Process the records of a batch, consecutive ones of the same kind together."""
        place = 0
        for key, length in _runs(kinds, steps):
            before, place = place, place + length
            nodes = [Node(tree, row) for row in rows[before:place]]
            take, action = self.takes_runs.get(key), self.actions.get(key)
            if take is not None:
                take(nodes)
            elif action is not None:
                for node in nodes:
                    action(node)

    @property
    def is_done(self) -> bool:
        """Whether no further input can change the answer."""
        return self.stopping.is_reached(self.open)

    def finish(self) -> None:
        """The input has ended, or the rest of it does not matter."""
        for scope in reversed(list(self.open.values())):
            self._close(scope.role)
        self.output.finish()

    def _move_spine(self, tree: TreeInterface) -> None:
        """Update variables of open elements, whose rows differ in each batch."""
        spine = tree.spine()
        for scope in self.open.values():
            if scope.buffer is None and scope.depth < len(spine):
                self.env[scope.role.slot] = Node(tree, spine[scope.depth])

    # --- scopes

    def _open(self, role: ScopeRole, node: Node) -> None:
        if role.parent is not None:
            self.reach(self.open[role.parent.step], role.position, node)
        if role.step in self.open:
            raise InputError("XYIN0021", f"<{node.name}> is nested in another one")
        scope = OpenScope(role, depth_of(node))
        self.open[role.step] = scope
        if role.keeps_children:
            scope.buffer = Buffer(node)
            self.env[role.slot] = scope.buffer.node
        else:
            self.env[role.slot] = node
        scope.aggregates = [self.accumulator(aggregate) for aggregate in role.aggregates]
        for made, aggregate in zip(role.aggregates, scope.aggregates, strict=True):
            self.env[made.slot] = aggregate
        self.advance(scope, role.at_start)
        tracker = self.trackers.get(role.step)
        if tracker is not None:
            scope.tracker = tracker
            tracker.begin()

    def accumulator(self, role: AggregateRole) -> Accumulator:
        if role.table is not None:
            return KeyedGroups(role.table, self.context, self.space)
        if role.first is not None:
            return self._first_tuples(role.first)
        if role.zero is None:
            return accumulator(role.function, self.context, role.parameter)
        fold = LeftFold()
        try:
            fold.add(self.space[role.zero]())
        except XylemError as error:
            fold.fail(error)
        return fold

    def _first_tuples(self, spec: FirstSpec) -> FirstTuples:
        limit: float = inf
        # A variable that cannot be computed; reading it raises the error.
        with suppress(XylemError):
            limit = spec.limit if isinstance(spec.limit, int) else limit_of(self.space[spec.limit]())
        return FirstTuples(spec, limit, self.context.run.implicit_timezone_minutes)

    def reach(self, scope: OpenScope, position: int, node: Node) -> None:
        """A record for an on-handler: fire the handlers before it that have not fired."""
        if position < scope.next_handler:
            # The schema promised that nothing for this handler follows records of later handlers.
            raise late_child(node, scope.role.variable, self.statistics.input_bytes)
        self.advance(scope, position)
        scope.reached = position

    def advance(self, scope: OpenScope, position: int) -> None:
        """Fire the on-first handlers before an index."""
        before = scope.next_handler
        handlers = self.handlers[scope.role.step]
        while scope.next_handler < position:
            handler = handlers[scope.next_handler]
            windows = self.windows.get((scope.role.step, scope.next_handler))
            scope.reached = scope.next_handler
            scope.next_handler += 1
            if windows is not None:
                self.window_runs.finish(windows, scope)
            if handler is not None:
                handler(self.output, self.env)
        if scope.buffer is not None and scope.buffer.bytes and position < len(handlers):
            self._give_back(scope, before)

    def _give_back(self, scope: OpenScope, before: int) -> None:
        """Drop content that only handlers read that have fired by now."""
        buffer, after = scope.buffer, scope.next_handler
        keeps = self.keeps.get(scope.role.step, ())
        if buffer is None or not any(before <= keep.readers.last < after for keep in keeps):
            return
        freed = buffer.keep_only([keep.test for keep in keeps if keep.readers.last >= after])
        if freed:
            self.env[scope.role.slot] = buffer.node
            self.statistics.hold(scope.role.variable, -freed)

    def _trigger(self, role: TriggerRole) -> Action:
        step, last = role.scope.step, role.last

        def act(node: Node) -> None:
            scope = self.open[step]
            if scope.next_handler <= last:
                self.advance(scope, last + 1)

        return act

    def _track(self, role: TrackRole, at_end: bool) -> Action:
        step = role.scope.step

        def act(node: Node) -> None:
            scope = self.open[step]
            tracker = scope.tracker
            if tracker is None:
                return
            if at_end:
                past = tracker.child_ended()
            else:
                name = node.name
                try:
                    past = tracker.child(name.local, name.uri) if name is not None else 0
                except InputError:
                    # The input violates the schema: nothing is past before the end tag. Late children are detected.
                    scope.tracker = None
                    return
            # Symbols that are past for a handler are past for those before it.
            if past.bit_length() > scope.next_handler:
                self.advance(scope, past.bit_length())

        return act

    def _close(self, role: ScopeRole) -> None:
        scope = self.open[role.step]
        self.advance(scope, len(role.bodies))
        del self.open[role.step]
        self.env[role.slot] = None
        held = sum(scope.window_bytes) + (scope.buffer.bytes if scope.buffer is not None else 0)
        held += sum(aggregate.held_bytes for aggregate in scope.aggregates)
        if held:
            self.statistics.hold(role.variable, -held)

    # --- records

    def _keep(self, role: KeepRole) -> Action:
        step, variable = role.scope.step, role.scope.variable
        first = role.readers.first

        def act(node: Node) -> None:
            scope = self.open[step]
            buffer = scope.buffer
            assert buffer is not None
            if scope.reached >= first:
                if role.sought and not has_any(node, role.sought):
                    return
                raise late_child(node, variable, self.statistics.input_bytes)
            # Several paths may lead to one child. Its row has what all of them need; it is kept once.
            if not buffer.has_just_kept(node):
                self.statistics.hold(variable, buffer.append(node), node)

        return act

    def _fire(self, role: FiringRole) -> Action:
        env, slot, held_as = self.env, role.scope.slot, role.held_as

        def act(node: Node) -> None:
            scope = self.open[role.scope.step]
            if scope.next_handler > role.last:
                raise late_child(node, role.scope.variable, self.statistics.input_bytes)
            usual = env[slot]
            # The batch contains the new content of its element, and that child is part of it.
            env[slot] = node.parent
            size = 0 if held_as is None else size_of(node)
            self.statistics.hold(role.scope.variable, size, node)
            self.advance(scope, role.last + 1)
            self.statistics.hold(role.scope.variable, -size)
            env[slot] = usual

        return act

    def _count(self, role: FeedRole, number: int) -> None:
        counter = self.open[role.scope.step].aggregates[role.aggregate]
        assert isinstance(counter, CountState)
        counter.count += number


def both(first: Action, then: Action) -> Action:
    """Run two actions for one record."""

    def act(node: Node) -> None:
        first(node)
        then(node)

    return act


def _runs(kinds: list[int], steps: list[int]) -> list[tuple[int, int]]:
    """(step << 3 | kind, length) of each run of records of the same kind; if all are, the run is the whole batch."""
    size = len(kinds)
    if size and kinds.count(kinds[0]) == size and steps.count(steps[0]) == size:
        return [(steps[0] << 3 | kinds[0], size)]
    keys = [step << 3 | kind for kind, step in zip(kinds, steps, strict=True)]
    return [(key, len(list(same))) for key, same in groupby(keys)]


def _leaves(role: ItemRole | FeedRole, kind: int = LEAF) -> list[int]:
    """The keys of the records of text nodes."""
    return [step << 3 | kind for step in role.leaf_steps]
