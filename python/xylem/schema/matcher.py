"""Following the children of an element through its content model, one name at a time.

States are small integers, created on demand: sets of states of the Glushkov automaton, so that ambiguous models are
followed in all their readings, or numbers of occurrences where the parts may come in any order (xs:all). Facts about a
state are computed once, and a step is one lookup.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from .content_model import All, Content, Name, Optional, Wildcard, _Repeated, leaves
from .glushkov import Glushkov
from .state_sets import states, union

START = 0
"""The state before the first child."""
NO_STATE = -1
"""No such child is allowed here."""
MOST_REMEMBERED = 10_000
"""Cache limit: a wildcard matches any number of names, which must not fill the memory."""


class Matcher(Protocol):
    """A deterministic automaton for one content model."""

    def advance(self, state: int, local: str, uri: str | None) -> int:
        """The state after a child, or NO_STATE. A namespace of None is unknown and matches any."""

    def accepts(self, state: int) -> bool:
        """Whether the end tag is allowed."""

    def being_read(self, state: int) -> int:
        """The automaton's states of the child that started last."""

    def ahead(self, state: int) -> int:
        """The automaton's states of everything that may still come."""

    def expected(self, state: int) -> list[str]:
        """The names that may come next, as written in the schema."""


def matcher(model: Content, automaton: Glushkov) -> Matcher:
    """Follows a model over child elements."""
    group = model.part if isinstance(model, Optional) else model
    if isinstance(group, All):
        return _AllMatcher(group, group is not model)
    return _SetMatcher(automaton)


class _SetMatcher:
    """Sets of automaton states (the subset construction, on demand)."""

    def __init__(self, automaton: Glushkov) -> None:
        self.automaton = automaton
        self._sets = [1]
        self._numbers = {1: START}
        self._steps: dict[tuple[int, str, str | None], int] = {}
        self._ahead: dict[int, int] = {}
        self._accepts: dict[int, bool] = {}

    def advance(self, state: int, local: str, uri: str | None) -> int:
        known = self._steps.get((state, local, uri))
        if known is None:
            if len(self._steps) >= MOST_REMEMBERED:
                self._steps.clear()
            known = self._steps[state, local, uri] = self._step(state, local, uri)
        return known

    def _step(self, state: int, local: str, uri: str | None) -> int:
        automaton = self.automaton
        found = 0
        for q in states(self._next(state)):
            if q != automaton.end and _is(automaton.leaves[q - 1], local, uri):
                found |= 1 << q
        if not found:
            return NO_STATE
        number = self._numbers.setdefault(found, len(self._sets))
        if number == len(self._sets):
            self._sets.append(found)
        return number

    def _next(self, state: int) -> int:
        return union(self.automaton.follows[q] for q in states(self._sets[state]))

    def accepts(self, state: int) -> bool:
        known = self._accepts.get(state)
        if known is None:
            known = self._accepts[state] = bool(self._next(state) >> self.automaton.end)
        return known

    def being_read(self, state: int) -> int:
        return self._sets[state]

    def ahead(self, state: int) -> int:
        known = self._ahead.get(state)
        if known is None:
            end = 1 << self.automaton.end
            known = union(self.automaton.reach[q] for q in states(self._sets[state])) & ~end
            self._ahead[state] = known
        return known

    def expected(self, state: int) -> list[str]:
        leaves = (self.automaton.leaves[q - 1] for q in states(self._next(state)) if q != self.automaton.end)
        return list(dict.fromkeys(map(str, leaves)))


@dataclass(frozen=True, slots=True)
class _Particle:
    """A part of xs:all: an element (or one of a substitution group), or a wildcard, with its occurrence bounds."""

    leaves: tuple[Name | Wildcard, ...]
    first_state: int
    least: int
    most: int | None

    @property
    def enough(self) -> int:
        """The greatest number worth counting: without an upper bound, all numbers above the minimum are equivalent."""
        return max(self.least, 1) if self.most is None else self.most

    def is_open(self, count: int) -> bool:
        """Whether one more may come."""
        return self.most is None or count < self.most

    @property
    def states(self) -> int:
        return ((1 << len(self.leaves)) - 1) << self.first_state


class _AllMatcher:
    """How often each part of an xs:all has occurred, and the automaton's state of the child that came last.

    All of that is encoded in the number of the state: there are too many for a table.
    """

    def __init__(self, group: All, is_optional: bool) -> None:
        self._particles = list(_particles(group))
        self._is_optional = is_optional
        self._positions = 1 + sum(len(particle.leaves) for particle in self._particles)

    def advance(self, state: int, local: str, uri: str | None) -> int:
        position, counts = self._decoded(state)
        fitting = [
            (isinstance(leaf, Wildcard), number, particle.first_state + i)
            for number, particle in enumerate(self._particles)
            if particle.is_open(counts[number])
            for i, leaf in enumerate(particle.leaves)
            if _is(leaf, local, uri)
        ]
        if not fitting:
            return NO_STATE
        # An element declaration takes precedence over a wildcard (XML Schema 1.1, 3.8.4.1).
        _, number, position = min(fitting)
        counts[number] = min(counts[number] + 1, self._particles[number].enough)
        return self._encoded(position, counts)

    def _encoded(self, position: int, counts: list[int]) -> int:
        state = 0
        for count, particle in zip(reversed(counts), reversed(self._particles), strict=True):
            state = state * (particle.enough + 1) + count
        return state * self._positions + position

    def _decoded(self, state: int) -> tuple[int, list[int]]:
        rest, position = divmod(state, self._positions)
        counts = []
        for particle in self._particles:
            rest, count = divmod(rest, particle.enough + 1)
            counts.append(count)
        return position, counts

    def _open(self, state: int) -> list[_Particle]:
        counts = self._decoded(state)[1]
        return [one for one, count in zip(self._particles, counts, strict=True) if one.is_open(count)]

    def accepts(self, state: int) -> bool:
        counts = self._decoded(state)[1]
        if self._is_optional and not any(counts):
            return True
        return all(count >= particle.least for count, particle in zip(counts, self._particles, strict=True))

    def being_read(self, state: int) -> int:
        return 1 << state % self._positions

    def ahead(self, state: int) -> int:
        return union(particle.states for particle in self._open(state))

    def expected(self, state: int) -> list[str]:
        return [str(leaf) for particle in self._open(state) for leaf in particle.leaves]


def _particles(group: All) -> Iterator[_Particle]:
    first_state = 1
    for part in group.parts:
        choice, (least, most) = (part.part, part.bounds()) if isinstance(part, _Repeated) else (part, (1, 1))
        names = tuple(leaves(choice))
        yield _Particle(names, first_state, least, most)
        first_state += len(names)


def _is(leaf: Name | Wildcard, local: str, uri: str | None) -> bool:
    if isinstance(leaf, Wildcard):
        return leaf.admits(uri)
    return leaf.local == local and (leaf.uri is None or uri is None or leaf.uri == uri)
