"""Glushkov automata of content models (thesis §3.3): one state for each symbol of the expression, the start, and the
end marker.

State 0 is q0, states 1 … n are the symbols of the marked expression from left to right, state n+1 is `⊙`, the end tag.
Sets of states are integers, one bit each. An expression that is not one-unambiguous (some in XML Schema, and those of
bad DTDs) gives an automaton with several transitions for one name; everything here also holds for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .content_model import All, Choice, Content, Name, Repeat, Sequence, Wildcard, _Repeated, leaves, repeated
from .reachability import reachability
from .state_sets import states, union
from .symbols import END, Symbol

MOST_STATES = 4_000
"""Bounded repetition is written out, copy by copy, up to this many states; beyond it `{2,100000}` is read as `+`."""


@dataclass(frozen=True, slots=True)
class Glushkov:
    """An automaton: `follows[q]` are the states that one symbol reaches from q."""

    leaves: tuple[Name | Wildcard, ...]
    """The symbols of states 1 … n."""
    follows: tuple[int, ...]
    reach: tuple[int, ...]
    """For each state, the states that one symbol or more reach from it."""
    is_exact: bool = True
    """False if bounds were too large to write out, or parts may come in any order: it then accepts too many words."""

    @property
    def end(self) -> int:
        """The state of the end marker."""
        return len(self.leaves) + 1

    def label(self, state: int) -> str:
        """q#: the symbol that leads into a state; empty for q0."""
        if state == 0:
            return ""
        return END if state == self.end else str(self.leaves[state - 1])

    def states_that_may_be(self, symbol: Symbol) -> int:
        """The states a symbol can lead into."""
        return sum(1 << i for i, leaf in enumerate(self.leaves, 1) if symbol.may_be(leaf))

    def is_ambiguous(self) -> bool:
        """Whether some state has two transitions for one name: then it is not one-unambiguous [BKW98]."""
        for follow in self.follows:
            leaves = [self.leaves[q - 1] for q in states(follow) if q != self.end]
            for i, leaf in enumerate(leaves):
                if any(_overlap(leaf, other) for other in leaves[:i]):
                    return True
        return False


def glushkov(model: Content) -> Glushkov:
    """The automaton of `model, ⊙`; the model is one over child elements (see `word_model`)."""
    is_exact = not _has_all(model)
    if _size(model) > MOST_STATES:
        model, is_exact = _without_bounds(model), False
    builder = _Builder()
    whole = builder.fragment(model)
    end = 1 << len(builder.follows)
    builder.follows.append(0)
    builder.connect(1, whole.first | (end if whole.nullable else 0))
    builder.connect(whole.last, end)
    follows = tuple(builder.follows)
    return Glushkov(tuple(builder.leaves), follows, reachability(follows), is_exact)


# --- construction


@dataclass(frozen=True, slots=True)
class _Fragment:
    first: int
    last: int
    nullable: bool


class _Builder:
    def __init__(self) -> None:
        self.leaves: list[Name | Wildcard] = []
        self.follows: list[int] = [0]

    def connect(self, sources: int, targets: int) -> None:
        for q in states(sources):
            self.follows[q] |= targets

    def fragment(self, model: Content) -> _Fragment:
        match model:
            case Name() | Wildcard():
                self.leaves.append(model)
                self.follows.append(0)
                bit = 1 << len(self.leaves)
                return _Fragment(bit, bit, False)
            case Sequence(parts):
                return self._sequence(parts)
            case Choice(parts):
                each = [self.fragment(part) for part in parts]
                return _Fragment(
                    union(f.first for f in each), union(f.last for f in each), any(f.nullable for f in each)
                )
            case All(parts):
                return self._all(parts)
            case _Repeated(part):
                least, most = model.bounds()
                return self._repeat(part, least, most)
        raise TypeError(f"{type(model).__name__} is no expression over child elements")

    def _sequence(self, parts: tuple[Content, ...]) -> _Fragment:
        first, last, nullable = 0, 0, True
        for part in parts:
            fragment = self.fragment(part)
            self.connect(last, fragment.first)
            if nullable:
                first |= fragment.first
            last = fragment.last | (last if fragment.nullable else 0)
            nullable = nullable and fragment.nullable
        return _Fragment(first, last, nullable)

    def _repeat(self, part: Content, least: int, most: int | None) -> _Fragment:
        # r{2,4} as r, r, (r, (r)?)?: each copy is followed by the next one only, so the automaton grows linearly.
        copies = max(least, 1) if most is None else most
        first, last, before, nullable = 0, 0, 0, least == 0
        for number in range(1, copies + 1):
            fragment = self.fragment(part)
            self.connect(before, fragment.first)
            before = fragment.last
            if number == 1:
                first = fragment.first
                nullable = nullable or fragment.nullable
            if number >= least or nullable:
                last |= fragment.last
        if most is None and copies:
            self.connect(before, fragment.first)
        return _Fragment(first, last, nullable or copies == 0)

    def _all(self, parts: tuple[Content, ...]) -> _Fragment:
        # The parts in any order and number: `matcher.py` counts how often each part has occurred.
        every, nullable = 0, True
        for part in parts:
            leaf, (least, most) = (part.part, part.bounds()) if isinstance(part, _Repeated) else (part, (1, 1))
            fragment = self.fragment(leaf)
            nullable = nullable and (least == 0 or fragment.nullable)
            if most != 1:
                self.connect(fragment.last, fragment.first)
            self.connect(every, fragment.first)
            self.connect(fragment.last, every)
            every |= fragment.first
        return _Fragment(every, every, nullable)


# --- models too large to write out


def _size(model: Content) -> int:
    if isinstance(model, Name | Wildcard):
        return 1
    if isinstance(model, All):
        return sum(1 for _ in leaves(model))
    size = sum(map(_size, model.parts_below()))
    if isinstance(model, Repeat):
        size *= max(model.least, 1) if model.most is None else model.most
    return size


def _without_bounds(model: Content) -> Content:
    match model:
        case Repeat(part, least, _):
            return repeated(_without_bounds(part), min(least, 1), None)
        case _Repeated():
            return replace(model, part=_without_bounds(model.part))
        case Sequence(parts) | Choice(parts):
            return replace(model, parts=tuple(map(_without_bounds, parts)))
    return model


def _has_all(model: Content) -> bool:
    return isinstance(model, All) or any(map(_has_all, model.parts_below()))


def _overlap(one: Name | Wildcard, other: Name | Wildcard) -> bool:
    if isinstance(one, Wildcard):
        return isinstance(other, Wildcard) or one.admits(other.uri)
    if isinstance(other, Wildcard):
        return other.admits(one.uri)
    return one.local == other.local and (None in (one.uri, other.uri) or one.uri == other.uri)
