"""Filter streams out of another stream of the same site; records keep their positions.

A filter looks at one record at a time, so its output after a position does not depend on earlier records. An
interrupted filter resumes at the end of the log that it writes. All filters at one position share a scan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xylem.errors import XylemError

from .member import Member, SubscribedQuery
from .network_state import Feed
from .record_log import RecordLog
from .shared_evaluator import SharedEvaluator, met

PIECE_BYTES = 1 << 20
"""Size of the pieces to filter; the result is written after each."""

Compile = Callable[[str, str], SubscribedQuery]


@dataclass
class _Filtered:
    """One stream that is filtered here."""

    name: str
    log: RecordLog
    feed: Feed
    until: int | None
    """The position where another feed replaces it."""
    is_safe: bool = False
    """Whether the query is the one for values that cannot be tested."""
    at: list[int] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)

    def take(self, position: int, data: bytes) -> None:
        if self.at and self.at[-1] == position:
            self.records[-1] += data
        else:
            self.at.append(position)
            self.records.append(data)

    def write(self, end: int) -> None:
        """Write the passed records up to a position, and mark the log as complete up to there."""
        self.log.append_at(self.records, self.at, end)
        self.at, self.records = [], []


class FilterStage:
    """All filters over one stream of a site. One thread works here."""

    def __init__(self, log: RecordLog, compiled: Compile) -> None:
        self.log = log
        self._compiled = compiled
        self._filters: dict[str, _Filtered] = {}
        self._waiting: list[_Filtered] = []
        self._evaluators: list[SharedEvaluator] = []
        self._position = 0
        self.faults: dict[str, str] = {}
        """Streams without output, with the reason."""

    def __len__(self) -> int:
        return len(self._filters)

    def names(self) -> list[str]:
        return list(self._filters)

    def add(self, name: str, log: RecordLog, feed: Feed, until: int | None) -> None:
        """Add a stream to filter, from the end of its log on."""
        made = self._filters[name] = _Filtered(name, log, feed, until)
        self._waiting.append(made)

    def remove(self, name: str) -> None:
        self.faults.pop(name, None)
        gone = self._filters.pop(name, None)
        self._waiting = [one for one in self._waiting if one is not gone]
        for evaluator in self._evaluators:
            evaluator.drop(name)

    def work(self) -> bool:
        """Filter the next piece; False if there is none."""
        for one in list(self._waiting):
            self._begin(one)
        behind = min(self._evaluators, key=lambda one: one.position, default=None)
        if behind is None:
            return False
        taking = [self._filters[name] for name in behind.names()]
        stops = [self.log.end, *(one.until for one in taking if one.until is not None)]
        stops += [one.position for one in self._evaluators if one.position > behind.position]
        before = behind.position
        if min(stops) <= before:
            return False
        reached = behind.advance_each(min(stops), PIECE_BYTES, self._at)
        for name in behind.names():
            one = self._filters[name]
            one.write(reached)
            if one.until is not None and reached >= one.until:
                self.remove(name)
        self._evaluators = met(self._evaluators)
        return True

    @property
    def has_work(self) -> bool:
        return bool(self._waiting) or any(one.position < self.log.end for one in self._evaluators)

    @property
    def position(self) -> int:
        """How far all filters have read the stream."""
        return min((one.position for one in self._evaluators), default=self.log.end)

    def _at(self, position: int) -> None:
        self._position = position

    def _begin(self, one: _Filtered) -> None:
        if not self.log.opening or one.log.end < self.log.base or one.log.end > self.log.end:
            # Nothing has arrived yet.
            return
        self._waiting.remove(one)
        one.log.begin(one.feed.opening.encode())
        if one.until is not None and one.log.end >= one.until:
            self._filters.pop(one.name, None)
            return
        start = one.log.end
        text = one.feed.safe_query if one.is_safe or not one.feed.query else one.feed.query
        query = self._compiled(text, one.name)
        member = Member(one.name, query, 0, lambda data: one.take(self._position, data))
        here = next((each for each in self._evaluators if each.position == start), None)
        if here is None:
            here = SharedEvaluator(self.log, start, self._failed)
            self._evaluators.append(here)
        here.join(member)

    def _failed(self, member: Member, error: XylemError) -> None:
        one = self._filters[member.name]
        # The resuming filter writes this record.
        if one.at and one.at[-1] == self._position:
            one.at.pop()
            one.records.pop()
        one.write(self._position)
        if one.is_safe or not one.feed.query:
            self.faults[one.name] = str(error)
            self._filters.pop(one.name, None)
            return
        one.is_safe = True
        self._waiting.append(one)
