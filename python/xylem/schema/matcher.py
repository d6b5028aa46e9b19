"""Following the children of an element through its content model, one name at a time.

States are small integers, made when they are first met: sets of states of the Glushkov automaton, so that ambiguous
models are followed in all their readings, or numbers of occurrences where the parts may come in any order (xs:all).
Whatever is known of a state is computed once, and a step is one lookup.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from .content_model import All, Content, Name, Optional, Wildcard, _Repeated, leaves
from .glushkov import Glushkov
from .state_sets import states, union

START = 0
"""The state before the first child."""
NO_STATE = -1
"""There is no such child here."""

Counts: TypeAlias = tuple[int, ...]


class Matcher(Protocol):
    """A deterministic automaton for one content model."""

    def advance(self, state: int, local: str, uri: str | None) -> int:
        """The state behind a child, or NO_STATE. A namespace of None is not known and matches any."""

    def accepts(self, state: int) -> bool:
        """Whether the end tag may come."""

    def being_read(self, state: int) -> int:
        """The automaton's states of the child that started last."""

    def ahead(self, state: int) -> int:
        """The automaton's states of all that may still come."""

    def expected(self, state: int) -> list[str]:
        """The names that may come next, as the schema writes them."""


def matcher(model: Content, automaton: Glushkov) -> Matcher:
    """What follows a model over child elements."""
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

    def advance(self, state: int, local: str, uri: str | None) -> int:
        known = self._steps.get((state, local, uri))
        if known is None:
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
        return bool(self._next(state) >> self.automaton.end)

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
    """A part of xs:all: an element (or one of a substitution group), or a wildcard, and how often it may occur."""

    leaves: tuple[Name | Wildcard, ...]
    first_state: int
    least: int
    most: int | None

    @property
    def states(self) -> int:
        return ((1 << len(self.leaves)) - 1) << self.first_state


class _AllMatcher:
    """How often each part of an xs:all has occurred, and the automaton's state of the child that came last."""

    def __init__(self, group: All, is_optional: bool) -> None:
        self._particles = list(_particles(group))
        self._is_optional = is_optional
        self._states: list[tuple[int, Counts]] = [(0, (0,) * len(self._particles))]
        self._numbers = {self._states[0]: START}
        self._steps: dict[tuple[int, str, str | None], int] = {}

    def advance(self, state: int, local: str, uri: str | None) -> int:
        known = self._steps.get((state, local, uri))
        if known is None:
            known = self._steps[state, local, uri] = self._step(state, local, uri)
        return known

    def _step(self, state: int, local: str, uri: str | None) -> int:
        fitting = [
            (isinstance(leaf, Wildcard), number, particle.first_state + i)
            for number, particle in self._open(state)
            for i, leaf in enumerate(particle.leaves)
            if _is(leaf, local, uri)
        ]
        if not fitting:
            return NO_STATE
        # An element declaration goes before a wildcard (XML Schema 1.1, 3.8.4.1).
        _, number, position = min(fitting)
        particle = self._particles[number]
        counts = list(self._states[state][1])
        # Without an upper bound, more than needed is all the same.
        most = max(particle.least, 1) if particle.most is None else particle.most
        counts[number] = min(counts[number] + 1, most)
        key = (position, tuple(counts))
        known = self._numbers.setdefault(key, len(self._states))
        if known == len(self._states):
            self._states.append(key)
        return known

    def _open(self, state: int) -> Iterator[tuple[int, _Particle]]:
        counts = self._states[state][1]
        for number, particle in enumerate(self._particles):
            if particle.most is None or counts[number] < particle.most:
                yield number, particle

    def accepts(self, state: int) -> bool:
        counts = self._states[state][1]
        if self._is_optional and not any(counts):
            return True
        return all(count >= particle.least for count, particle in zip(counts, self._particles, strict=True))

    def being_read(self, state: int) -> int:
        return 1 << self._states[state][0]

    def ahead(self, state: int) -> int:
        return union(particle.states for _, particle in self._open(state))

    def expected(self, state: int) -> list[str]:
        return [str(leaf) for _, particle in self._open(state) for leaf in particle.leaves]


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
