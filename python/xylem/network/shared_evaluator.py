"""One evaluator for all subscriptions of a stream: it scans each record once, however many need it.

Subscriptions join and leave between two records. The evaluator only goes forward. Its output depends on the log and on
the positions of these changes, not on when it runs or how the log is divided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xylem.errors import InputError, XylemError
from xylem.run.stream.resumable_program import empty_document
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.values.tree_interface import TreeInterface

from .answer_states import RunState
from .member import Member
from .merged_scan import Found, MergedScan, Share
from .pane_form import PaneForm
from .pane_groups import Compile, PaneGroup, WindowRecords
from .panes import Apart
from .record_log import RecordLog

PIECE_BYTES = 4 << 20
"""Bytes of the log to scan at a time."""
FIRST_BYTES = 1 << 15
GROWTH = 4
"""After a join, the next piece is small and later ones grow: an error in a new query, or an answer that nobody reads,
is then noticed early."""
MOST_APART = 16
"""Most subscriptions of a stream that cannot share a scan."""

Failed = Callable[[Member, XylemError], None]
Members = dict[str, Member]


class _Running:
    """A scan with its members, by the number of their query."""

    def __init__(self, members: Iterable[Member], opening: bytes, limits: Limits) -> None:
        of_query: dict[int, Members] = {}
        for member in members:
            of_query.setdefault(id(member.query), {})[member.name] = member
        self.groups = dict(enumerate(of_query.values()))
        self._numbers = {query: number for number, query in enumerate(of_query)}
        requests = [next(iter(group.values())).query.request for group in self.groups.values()]
        self.scan = MergedScan(requests, opening, limits)
        # News about open elements may come later, with the first records inside.
        self.new_to = {member.name for group in of_query.values() for member in group.values() if not member.is_started}
        """Members that no other scan has told of the elements around the records."""

    def members(self) -> list[Member]:
        return [member for group in self.groups.values() for member in group.values()]

    def admit(self, member: Member) -> int | None:
        """Admit another member from here on; return its group, or None if a new scan is needed."""
        query = member.query
        if query.request.shared is None:
            return None
        number = self._numbers.get(id(query))
        if number is None:
            number = self.scan.add(query.request)
            if number is None:
                return None
            self._numbers[id(query)] = number
            self.groups[number] = {}
        self.groups[number][member.name] = member
        return number

    def dismiss(self, member: Member) -> bool:
        """Remove a member; return whether the scan can go on."""
        number = self._numbers[id(member.query)]
        group = self.groups[number]
        del group[member.name]
        if group:
            return True
        del self.groups[number]
        del self._numbers[id(member.query)]
        return self.scan.remove(number)


class SharedEvaluator:
    """The members of one stream at one position of its log.

    Holds:  the state of the members' runs, and one piece of the log.
    Order:  each member receives the records of the log in order, from the position where it joined.
    """

    def __init__(
        self,
        log: RecordLog | WindowRecords,
        position: int,
        failed: Failed,
        limits: Limits = DEFAULT_LIMITS,
        apart: Callable[[list[str]], None] | None = None,
    ) -> None:
        """`apart` is called with members that left because panes cannot answer them (`join_windows`)."""
        self._log = log
        self._limits = limits
        self._failed = failed
        self.position = position
        self._together: Members = {}
        self._running: _Running | None = None
        self._apart: Members = {}
        self._running_apart: dict[str, _Running] = {}
        self._done: list[str] = []
        self._tell_apart = apart
        self._groups: list[PaneGroup] = []
        """Members over windows, which share panes."""
        self._piece_bytes = FIRST_BYTES
        self.scanned_bytes = 0
        """Total of all scans, to be compared with the bytes of the log."""

    def __len__(self) -> int:
        return len(self._together) + len(self._apart)

    def __contains__(self, name: str) -> bool:
        return name in self._together or name in self._apart or self._group_of(name) is not None

    def names(self) -> list[str]:
        inner = {group.items.name for group in self._groups if group.items is not None}
        own = [name for name in (*self._together, *self._apart) if name not in inner]
        return [*own, *(name for group in self._groups for name in group.names())]

    def states(self) -> dict[str, RunState]:
        """The states of members here, as far as they can be saved."""
        inner = {group.items.name for group in self._groups if group.items is not None}
        found = {name: one.state() for name, one in self._together.items() if name not in inner}
        return {name: state for name, state in found.items() if state is not None}

    @property
    def groups(self) -> list[PaneGroup]:
        return self._groups

    def _group_of(self, name: str) -> PaneGroup | None:
        return next((group for group in self._groups if name in group), None)

    def take_done(self) -> list[str]:
        """Remove and return members whose answers can no longer change."""
        done, self._done = self._done, []
        return done

    def take_over(self, other: SharedEvaluator) -> None:
        """Take over the members of another evaluator at the same position."""
        assert other.position == self.position
        self._apart |= other._apart
        self._running_apart |= other._running_apart
        self._done += other._done
        joining = list(other._together.values())
        other._together, other._apart, other._running = {}, {}, None
        for member in joining:
            self._together[member.name] = member
            self._admit(member)
        for group in other._groups:
            if any(one.takes_over(group) for one in self._groups):
                assert group.items is not None
                self._drop_plain(group.items.name)
            else:
                self._groups.append(group)
        other._groups = []

    def join_windows(self, form: PaneForm, member: Member, like: PaneGroup | None, compiled: Compile) -> None:
        """Add a member over windows from this position on; it reads the windows of `form`."""

        def new_evaluator() -> SharedEvaluator:
            return SharedEvaluator(WindowRecords(), 0, self._failed_over_windows, self._limits)

        fresh = (one for one in self._groups if one.is_fresh and one.form.key == form.key)
        group = next(fresh, None)
        if group is None:
            group = PaneGroup(form, self.position, new_evaluator)
        before = group.items
        items = group.add(form, member, like, compiled)
        if before is None:
            self._groups.append(group)
        if before is not None:
            self._drop_plain(before.name)
        self.join(items)

    def _failed_over_windows(self, member: Member, error: XylemError) -> None:
        """Run the query separately, so that the error of a window is reported in the query's own words."""
        if error.code == "XYRT0058" or self._tell_apart is None:
            self._failed(member, error)
        else:
            self._tell_apart([member.name])

    def _leave_panes(self, group: PaneGroup) -> None:
        """Panes cannot represent an item that arrived: answer each member separately."""
        names = group.names()
        for name in names:
            group.drop(name)
        self._without_empty_groups()
        if self._tell_apart is not None:
            self._tell_apart(names)

    def _without_empty_groups(self) -> None:
        for group in list(self._groups):
            self._done += group.done()
            if not group.rolls:
                self._groups.remove(group)
                if group.items is not None:
                    self._drop_plain(group.items.name)

    def _flush_panes(self) -> None:
        for group in list(self._groups):
            try:
                group.flush()
            except Apart:
                self._leave_panes(group)
        self._without_empty_groups()

    def join(self, member: Member) -> None:
        """Add a member from the position on; XYRT0051 if too many have a scan of their own."""
        self._piece_bytes = FIRST_BYTES
        if member.query.is_merged:
            self._together[member.name] = member
            self._admit(member)
        elif len(self._apart) >= MOST_APART:
            raise InputError(
                "XYRT0051", f"{MOST_APART} queries of this stream need a scan of their own already, which is the limit"
            )
        else:
            self._apart[member.name] = member

    def _admit(self, member: Member) -> None:
        """Let the current scan serve one more member; otherwise another one begins with the next piece."""
        running = self._running
        if running is None:
            return
        number = running.admit(member)
        if number is None:
            self._running = None
        else:
            self._begin(running, number, member)

    def _begin(self, running: _Running, number: int, member: Member) -> bool:
        """Give a member the open elements at the start of a scan; return whether it continues."""
        begun = running.scan.begun
        if begun is None:
            return not member.is_resumed or self._try(member, lambda: member.begin(empty_document().tree, None))
        if not member.is_started:
            share = running.scan.begun_share(number)
            if not self._try(member, lambda: member.begin(begun.tree, share)):
                return False
        member.rest_on(begun.tree)
        return True

    def leave(self, name: str) -> None:
        """Complete a member: it has its records up to the position, and the rest of its answer is written."""
        group = self._group_of(name)
        if group is not None:
            try:
                group.leave(name)
            except Apart:
                self._leave_panes(group)
            self._without_empty_groups()
            return
        member = self.drop(name)
        if member is not None and self._log.opening:
            try:
                member.finish(self._small_tree(member))
            except XylemError as error:
                self._failed(member, error)

    def drop(self, name: str) -> Member | None:
        """Drop a member; its answer stays as it is."""
        group = self._group_of(name)
        if group is None:
            return self._drop_plain(name)
        found = group.drop(name)
        self._without_empty_groups()
        return found

    def _drop_plain(self, name: str) -> Member | None:
        if name in self._apart:
            self._running_apart.pop(name, None)
            return self._apart.pop(name)
        member = self._together.pop(name, None)
        if member is not None and self._running is not None and not self._running.dismiss(member):
            self._running = None
        return member

    def advance(self, end: int) -> int:
        """Evaluate another piece of the log, up to a position; return the position reached."""
        assert isinstance(self._log, RecordLog)
        if self.position >= end:
            return self.position
        if not len(self):
            # Without members, nothing is read.
            self.position = end
            return end
        data, reached = self._log.read(self.position, end, self._piece_bytes)
        self._piece_bytes = min(PIECE_BYTES, self._piece_bytes * GROWTH)
        self.take(data)
        self.position = reached
        return reached

    def advance_each(self, end: int, most_bytes: int, begin: Callable[[int], None]) -> int:
        """Advance record by record: calls `begin` with each position before members receive the record."""
        assert isinstance(self._log, RecordLog)
        found = self._log.records(self.position, end, most_bytes)
        for position, record in found.each():
            self.position = position
            begin(position)
            self.take(record)
        self.position = found.end
        return found.end

    def take(self, data: bytes) -> None:
        """Evaluate the next records."""
        if not data:
            return
        if self._running is None and self._together:
            self._running = self._begun(self._together.values())
        if self._running is not None:
            self._feed(self._running, data)
        for name, member in list(self._apart.items()):
            if name not in self._running_apart:
                self._running_apart[name] = self._begun([member])
            if name in self._apart:
                self._feed(self._running_apart[name], data)
        if self._groups:
            self._flush_panes()

    def _begun(self, members: Iterable[Member]) -> _Running:
        """Start a scan here; new members receive the open elements."""
        running = _Running(members, self._log.opening, self._limits)
        for number, group in list(running.groups.items()):
            for member in list(group.values()):
                if not self._begin(running, number, member):
                    running.dismiss(member)
        return running

    def _feed(self, running: _Running, data: bytes) -> None:
        self.scanned_bytes += len(data)
        found = running.scan.feed(data)
        error = running.scan.error
        if error is not None and len(running.groups) > 1:
            # One of them fails in the scan, before any has received output: look for it in either half.
            self._running = None
            members = running.members()
            for half in members[: len(members) // 2], members[len(members) // 2 :]:
                self._feed(self._begun(half), data)
            return
        if found is not None:
            self._give(running, found)
        if error is not None:
            for member in running.members():
                self._try(member, lambda: _raised(error))

    def _give(self, running: _Running, found: Found) -> None:
        tree = found.tree
        begun = running.scan.begun
        for number, step, written in found.texts:
            for member in list(running.groups.get(number, {}).values()):
                if begun is None or not member.is_started:
                    share = Share([5], [step], [0], [], [written])
                    self._give_share(running, found, member, share)
                    continue
                # There may be very many members, each with little work: keep the cost per member minimal.
                try:
                    member.take_text(step, written)
                except XylemError as error:
                    self._give_up(member, error)
                    continue
                if member.may_be_done:
                    self._look_whether_done(member)
        around: list[int] | None = None
        for number, share in found.shares.items():
            again: Share | None = None
            for member in list(running.groups.get(number, {}).values()):
                given = share
                if member.name not in running.new_to:
                    around = around if around is not None else tree.spine()[: 1 + self._log.depth]
                    given = again = again or share.without_starts_of(around)
                self._give_share(running, found, member, given)

    def _give_share(self, running: _Running, found: Found, member: Member, share: Share) -> None:
        if self._try(member, lambda: member.take(found.tree, share)):
            if running.scan.begun is not None:
                member.rest_on(running.scan.begun.tree)
            self._look_whether_done(member)

    def _look_whether_done(self, member: Member) -> None:
        if member.is_done:
            self.leave(member.name)
            self._done.append(member.name)

    def _try(self, member: Member, action: Callable[[], None]) -> bool:
        """Run a step for a member; return whether it continues. An error in one member does not affect the others."""
        try:
            action()
        except XylemError as error:
            self._give_up(member, error)
            return False
        return True

    def _give_up(self, member: Member, error: XylemError) -> None:
        group = next((one for one in self._groups if one.items is member), None)
        if group is not None:
            self._leave_panes(group)
            return
        self.drop(member.name)
        self._failed(member, error)

    def _small_tree(self, member: Member) -> TreeInterface:
        scan = MergedScan([member.query.request], self._log.opening, self._limits)
        if scan.begun is not None:
            share = scan.begun_share(0)
            if not member.is_started:
                member.begin(scan.begun.tree, share)
            return scan.begun.tree
        if member.is_resumed:
            member.begin(empty_document().tree, None)
        return scan.end(self._log.closing)


def met(evaluators: Iterable[SharedEvaluator]) -> list[SharedEvaluator]:
    """Merge evaluators at the same position, and drop those without members."""
    by_position: dict[int, SharedEvaluator] = {}
    for evaluator in evaluators:
        there = by_position.setdefault(evaluator.position, evaluator)
        if there is not evaluator:
            there.take_over(evaluator)
    return [one for one in by_position.values() if len(one)]


def _raised(error: XylemError) -> None:
    raise error
