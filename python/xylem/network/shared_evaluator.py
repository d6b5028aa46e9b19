"""One evaluator for all subscriptions of a stream: each record is scanned once, whoever asks for it.

Subscriptions join and leave between two records. The evaluator only goes forward; what it writes follows from the log
and from the positions of these changes, and not from when it is run or how the log is cut into pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xylem.errors import InputError, XylemError
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.values.tree_interface import TreeInterface

from .member import Member
from .merged_scan import MergedScan, Share
from .record_log import RecordLog

PIECE_BYTES = 1 << 20
"""So much of the log is scanned at a time."""
MOST_APART = 16
"""Subscriptions that cannot share a scan: no more of them for one stream."""

Failed = Callable[[Member, XylemError], None]


@dataclass
class _Running:
    """A scan and who takes part in it: by plan, those that have subscribed the same query."""

    scan: MergedScan
    groups: list[list[Member]]
    new_to: set[str]
    """Who has not been told before, by another scan, that the elements around the records have begun."""


class SharedEvaluator:
    """The members of one stream at one position of its log.

    Holds:  what the runs of the members hold, and one piece of the log.
    Order:  each member has the records of the log from where it joined, in their order.
    """

    def __init__(self, log: RecordLog, position: int, failed: Failed, limits: Limits = DEFAULT_LIMITS) -> None:
        self._log = log
        self._limits = limits
        self._failed = failed
        self.position = position
        self._together: dict[str, Member] = {}
        self._running: _Running | None = None
        self._apart: dict[str, Member] = {}
        self._running_apart: dict[str, _Running] = {}
        self._done: list[str] = []
        self.scanned_bytes = 0
        """By all scans together, to be compared with the bytes of the log."""

    def __len__(self) -> int:
        return len(self._together) + len(self._apart)

    def names(self) -> list[str]:
        return [*self._together, *self._apart]

    def take_done(self) -> list[str]:
        """Members whose answers nothing could change any more: they have left."""
        done, self._done = self._done, []
        return done

    def take_over(self, other: SharedEvaluator) -> None:
        """The members of another evaluator at the same position go on here."""
        assert other.position == self.position
        self._together |= other._together
        self._apart |= other._apart
        self._running_apart |= other._running_apart
        self._done += other._done
        if other._together:
            self._running = None
        other._together, other._apart = {}, {}

    def join(self, member: Member) -> None:
        """A member takes part from the position on; XYRT0051 where it is one too many of those with their own scan."""
        if member.query.is_merged:
            self._together[member.name] = member
            self._running = None
        elif len(self._apart) >= MOST_APART:
            raise InputError("XYRT0051", f"{MOST_APART} queries with a scan of their own are on the stream already")
        else:
            self._apart[member.name] = member

    def leave(self, name: str) -> None:
        """A member is complete: it has its records up to the position, and the rest of its answer is written."""
        member = self.drop(name)
        if member is not None and self._log.opening:
            try:
                member.finish(self._small_tree(member))
            except XylemError as error:
                self._failed(member, error)

    def drop(self, name: str) -> Member | None:
        """A member takes no part any more; its answer stays as it is."""
        if name in self._apart:
            self._running_apart.pop(name, None)
            return self._apart.pop(name)
        # The scan goes on without it, until it begins anew for another reason or at the next piece.
        self._running = None
        return self._together.pop(name, None)

    def advance(self, end: int) -> int:
        """Evaluate another piece of the log, up to a position; the position that was reached."""
        if self.position >= end:
            return self.position
        if not len(self):
            # Nobody asks: nothing is read.
            self.position = end
            return end
        data, reached = self._log.read(self.position, end, PIECE_BYTES)
        running = self._running
        if running is None and self._together:
            running = self._begun(list(self._together.values()))
            self._running = running
        if running is not None:
            self._feed(running, data)
        for name, member in list(self._apart.items()):
            if name not in self._running_apart:
                self._running_apart[name] = self._begun([member])
            if name in self._apart:
                self._feed(self._running_apart[name], data)
        self.position = reached
        return reached

    def _begun(self, members: list[Member]) -> _Running:
        """A scan from here on; members that have not begun are told of what is open."""
        same: dict[int, list[Member]] = {}
        for member in members:
            same.setdefault(id(member.query), []).append(member)
        groups = list(same.values())
        scan = MergedScan([group[0].query.plan for group in groups], self._log.opening, self._limits)
        # News of what is open may come later, with the first records inside.
        running = _Running(scan, groups, {member.name for member in members if not member.is_started})
        if scan.begun is not None:
            tree, shares = scan.begun
            for number, group in enumerate(groups):
                for member in group:
                    if not member.is_started:
                        share = shares.get(number)
                        self._try(member, lambda m=member, s=share: m.start(tree) if s is None else m.take(tree, s))  # type: ignore[misc]
        return running

    def _feed(self, running: _Running, data: bytes) -> None:
        self.scanned_bytes += len(data)
        found = running.scan.feed(data)
        error = running.scan.error
        if error is not None and len(running.groups) > 1:
            # One of them fails in the scan, and none has been given anything: each reads this piece by itself.
            for group in running.groups:
                self._feed(self._begun([member for member in group if self._has(member)]), data)
            self._running = None
            return
        if found is not None:
            self._give(running, *found)
        if error is not None:
            for group in running.groups:
                for member in group:
                    self._try(member, lambda: _raised(error))

    def _give(self, running: _Running, tree: TreeInterface, shares: dict[int, Share]) -> None:
        around = tree.spine()[: 1 + self._log.depth]
        begun = running.scan.begun
        for number, share in shares.items():
            again: Share | None = None
            for member in running.groups[number]:
                if not self._has(member):
                    continue
                given = share
                if member.name not in running.new_to:
                    given = again = again or share.without_starts_of(around)
                if self._try(member, lambda m=member, s=given: m.take(tree, s)):  # type: ignore[misc]
                    if begun is not None:
                        member.rest_on(begun[0])
                    if member.is_done:
                        self.leave(member.name)
                        self._done.append(member.name)

    def _has(self, member: Member) -> bool:
        return self._together.get(member.name) is member or self._apart.get(member.name) is member

    def _try(self, member: Member, action: Callable[[], None]) -> bool:
        """Whether a member goes on: what fails in one of them is its own affair."""
        try:
            action()
        except XylemError as error:
            self.drop(member.name)
            self._failed(member, error)
            return False
        return True

    def _small_tree(self, member: Member) -> TreeInterface:
        scan = MergedScan([member.query.plan], self._log.opening, self._limits)
        if scan.begun is not None:
            tree, shares = scan.begun
            if not member.is_started and 0 in shares:
                member.take(tree, shares[0])
            return tree
        return scan.end(self._log.closing)


def _raised(error: XylemError) -> None:
    raise error
