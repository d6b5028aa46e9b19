"""Results whose predicates are not decided yet: suspended, then released or discarded (XQPull §4; design §7).

        //section[title = "x"]/para       a para waits until its section has a title "x", or ends without one
        //*[t]//c                         nested candidates: one that holds is enough

A *candidate* is an open element that a step with a predicate reached. A result belongs to the candidates it is reached
through, each with candidates of earlier steps before it. As soon as one such chain holds it is written, unless an
earlier result waits; when none can hold any more it is forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xylem.values.node import Node

from .accumulator import Accumulator
from .decisions import Decision, Verdict
from .roles import CandidateRole, RegionRole, Segment

Copied = Callable[[], tuple[Node, int] | None]
"""Copies the part of a result that outlives the batch, and returns its size; None if nothing would be written."""


class Candidate:
    """An open element that must pass a test.

    Holds:  the aggregates of its test, and its attributes if the test reads them.
    """

    __slots__ = ("_holds", "_parents", "aggregates", "depth", "entries", "facts", "node")

    def __init__(self, depth: int, parents: Sequence[Candidate] | None, node: Node | None) -> None:
        """`parents` are the earlier candidates through which it is reached; None for the first step."""
        self.depth = depth
        self.node = node
        self.aggregates: list[Accumulator] = []
        self.facts: list[bool] = []
        self.entries: list[Entry] = []
        """The results that wait for it, or for a later candidate of the same chain."""
        self._parents = parents
        self._holds: Verdict = None

    @property
    def is_decided(self) -> bool:
        return self._holds is not None

    def decide(self, holds: bool) -> None:
        """Its own test is decided."""
        self._holds = holds

    def verdict(self) -> Verdict:
        """Whether it and a chain of candidates before it hold."""
        if self._holds is False or self._parents is None:
            return self._holds
        above = any_of(self._parents)
        if above is False:
            return False
        return True if above and self._holds else None

    def wait(self, entry: Entry) -> None:
        """Register a result that depends on it and on the candidates before it."""
        self.entries.append(entry)
        for parent in self._parents or ():
            parent.wait(entry)


def any_of(candidates: Sequence[Candidate]) -> Verdict:
    """Whether one of them holds."""
    found: Verdict = False
    for candidate in candidates:
        verdict = candidate.verdict()
        if verdict:
            return True
        if verdict is None:
            found = None
    return found


@dataclass(eq=False)
class Entry:
    """A result in its place among the others."""

    candidates: list[Candidate] = field(default_factory=list)
    node: Node | None = None
    """None while it is incomplete, and after it was discarded."""
    size: int = 0
    is_complete: bool = False

    def verdict(self) -> Verdict:
        return any_of(self.candidates)


class Regions:
    """The results of one handler in one scope, in the order they started.

    Holds:  those that wait for a candidate, or for an earlier waiting result.
    """

    def __init__(
        self, role: RegionRole, write: Callable[[Node], None], hold: Callable[[int, Node | None], None]
    ) -> None:
        self._write = write
        self._hold = hold
        self._open: list[list[Candidate]] = [[] for _ in role.candidates]
        self._waiting: deque[Entry] = deque()
        self._started: list[Entry] = []
        self._counts: list[dict[int, int]] = [{} for _ in role.candidates]
        """For each step with a predicate, the number of matches so far in the open element at each depth."""

    # --- candidates

    def parent_starts(self, number: int, depth: int) -> None:
        """Start an element whose children are counted for a step."""
        self._counts[number][depth] = 0

    def position(self, number: int, depth: int) -> int:
        """The number of an element among those of its step below one parent."""
        counts = self._counts[number]
        counts[depth - 1] = found = counts.get(depth - 1, 0) + 1
        return found

    def opened(self, role: CandidateRole, node: Node, depth: int, kept: Node | None) -> Candidate:
        """A candidate starts."""
        parents = None if role.number == 0 else self._leading(role.number - 1, role.segment, node, depth)
        made = Candidate(depth, parents, kept)
        if parents is not None and any_of(parents) is False:
            made.decide(False)
        self._open[role.number].append(made)
        return made

    def fed(self, number: int, segment: Segment, node: Node, depth: int) -> list[Candidate]:
        """The candidates whose tests are fed by a record below them."""
        return [one for one in self._leading(number, segment, node, depth) if not one.is_decided]

    def closed(self, number: int) -> Candidate:
        """The innermost candidate of a step ends."""
        return self._open[number].pop()

    def decided(self, candidate: Candidate, decision: Verdict) -> None:
        """Update the value of its test."""
        if decision is None or candidate.is_decided:
            return
        candidate.decide(decision)
        if candidate.verdict() is False:
            for entry in candidate.entries:
                if entry.size and entry.verdict() is False:
                    self._discard(entry)
        candidate.entries.clear()
        self._flush()

    def _leading(self, number: int, segment: Segment, node: Node, depth: int) -> list[Candidate]:
        return [one for one in self._open[number] if segment.leads(one.depth, node, depth)]

    # --- results

    def reserve(self) -> None:
        """Reserve the place of a result that may contain others."""
        entry = Entry()
        self._waiting.append(entry)
        self._started.append(entry)

    def complete(self, segment: Segment, node: Node, depth: int, copied: Copied, reserved: bool) -> None:
        """Complete a result: the innermost reserved one, or one that contains no other."""
        # All elements it is reached through are open, because its own end tag is reported first.
        candidates = self._leading(len(self._open) - 1, segment, node, depth)
        verdict = any_of(candidates)
        if reserved:
            entry = self._started.pop()
        elif verdict and not self._waiting:
            self._write(node)
            return
        elif verdict is False:
            return
        else:
            entry = Entry()
            self._waiting.append(entry)
        entry.candidates = candidates
        entry.is_complete = True
        if verdict is not False:
            if verdict and self._waiting[0] is entry:
                # Nothing has to wait: it is written directly from its batch.
                entry.node = node
                self._flush()
                return
            copy = copied()
            if copy is None:
                self._waiting.pop()
                return
            entry.node, entry.size = copy
            self._hold(entry.size, node)
            if verdict is None:
                for candidate in entry.candidates:
                    candidate.wait(entry)
        self._flush()

    def _flush(self) -> None:
        """Write the decided results that are next in order."""
        waiting = self._waiting
        while waiting:
            entry = waiting[0]
            verdict = entry.verdict() if entry.is_complete else None
            if verdict is None:
                return
            waiting.popleft()
            node = entry.node
            if entry.size:
                self._discard(entry)
            if verdict and node is not None:
                self._write(node)

    def _discard(self, entry: Entry) -> None:
        self._hold(-entry.size, None)
        entry.node, entry.size = None, 0


def verdict_of(decision: Decision, candidate: Candidate) -> Verdict:
    """The current value of a candidate's test."""
    return decision.verdict(candidate.aggregates, candidate.facts)
