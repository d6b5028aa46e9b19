"""The children at which on-first handlers fire, because their symbols become past (thesis Def. 3.3.2, §3.5, §3.7.1).

        on-first past(author) …       book (title, author+, publisher)      →     at <publisher>
        on-first past(title) …                                              →     at </title>

Gain:   the run writes results and frees buffers at the first event that allows it, not at the next child that some
        handler waits for or at the end tag.
Needs:  a schema. The scan reports only the tags that can make a set past. If the name alone does not decide (`a, b,
        a, b`; xs:all; wildcards), it reports every child, and `PastTracker` follows the automaton.
Safe:   a handler fires only after all handlers before it have received everything they wait for, as in the program.
        If a child comes too late, the input does not follow its schema, and `run.py` reports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xylem.plan.flux import Handler, On, OnFirst, ProcessStream
from xylem.plan.symbols import ANY, Symbols
from xylem.rewrite.flux_rewrite import handler_symbols
from xylem.schema.automaton_constraints import AutomatonConstraints
from xylem.schema.constraints import ElementConstraints
from xylem.schema.content_model import Name, Wildcard
from xylem.schema.state_sets import states
from xylem.schema.symbols import SymbolKind, element_symbol, symbol

ChildName = tuple[str | None, str]
"""(uri, local)."""


@dataclass(frozen=True)
class EarlyFiring:
    """When the handlers of one element fire.

    `starts` and `ends` give, for the start or end tag of a child, the last handler that has fired by then. With `sets`,
    all children are followed instead: for each handler the symbols that must be past, None for the end tag.
    """

    starts: dict[ChildName, int]
    ends: dict[ChildName, int]
    sets: tuple[Symbols | None, ...] | None = None


def early_firing(stream: ProcessStream, of: ElementConstraints | None, first: int = 0) -> EarlyFiring | None:
    """The events that fire a stream's handlers from `first` on before its end; None if there are none."""
    if not isinstance(of, AutomatonConstraints):
        return None
    sets = list(_all_before(stream.handlers, of))
    waiting = [
        index
        for index, handler in enumerate(stream.handlers)
        if index >= first and isinstance(handler, OnFirst) and sets[index]
    ]
    waiting = [index for index in waiting if not of.past_all(0, sets[index] or ())]
    if not waiting:
        return None
    if of.is_unordered:
        return EarlyFiring({}, {}, tuple(sets)) if any(_is_past_early(of, sets[k]) for k in waiting) else None
    return _Finder(of, sets).found(waiting)


def past_at_start(stream: ProcessStream, of: ElementConstraints | None) -> int:
    """The number of leading handlers that wait for nothing: for no child, or for none that can occur."""
    found = 0
    for handler, names in zip(stream.handlers, _all_before(stream.handlers, of), strict=True):
        is_attribute = isinstance(handler, On) and handler.step.axis == "attribute"
        if not (is_attribute or isinstance(handler, OnFirst)) or names is None:
            break
        if names and not (isinstance(of, AutomatonConstraints) and of.past_all(0, names)):
            break
        found += 1
    return found


def _is_past_early(of: AutomatonConstraints, names: Symbols | None) -> bool:
    """In any order: whether all of a set can be past before the end tag, because the number of each is limited."""
    if names is None or any(symbol(name).kind is SymbolKind.OTHER for name in names):
        return False
    return all(of.occurrences(name).most is not None for name in names)


def _all_before(handlers: tuple[Handler, ...], of: ElementConstraints | None) -> Iterator[Symbols | None]:
    """For each handler, the children that must be past before it and all before it can fire; None for all children."""
    found: Symbols | None = frozenset()
    for handler in handlers:
        own = handler_symbols(handler, of)
        found = None if found is None or ANY in own else found | own
        yield found


class _Finder:
    """Reads the transitions of an automaton."""

    def __init__(self, of: AutomatonConstraints, sets: list[Symbols | None]) -> None:
        self.of = of
        self.sets = sets
        automaton = of.automaton
        self.leaves = automaton.leaves
        inner = range(automaton.end)
        self.is_past = [[names is not None and of.past_all(q, names) for q in inner] for names in sets]
        self.is_ended = [[names is not None and self._is_past_behind(q, names) for q in inner] for names in sets]

    def found(self, waiting: list[int]) -> EarlyFiring | None:
        starts: dict[ChildName, int] = {}
        ends: dict[ChildName, int] = {}
        for k in waiting:
            for q in range(1, self.of.automaton.end):
                name = self._name(q)
                if self.is_ended[k][q] and not self.is_past[k][q] and name is not None and self._once(name):
                    last = self._last(name, self.is_ended)
                    if last >= k:
                        ends[name] = last
        for k in waiting:
            for q, p in self.of.first_past(self.sets[k] or ()):
                if p == self.of.automaton.end or (q and ends.get(self._name(q) or (None, ""), -1) >= k):
                    continue
                name = self._name(p)
                last = -1 if name is None else self._last(name, self.is_past)
                if name is None or last < k:
                    # The name is not enough: the children before it must be known.
                    return EarlyFiring({}, {}, tuple(self.sets))
                starts[name] = last
        return EarlyFiring(starts, ends) if starts or ends else None

    def _is_past_behind(self, q: int, names: Symbols) -> bool:
        """Whether all of a set are past once the child that led into q is complete."""
        if any(symbol(name).kind is SymbolKind.OTHER and not self.of.never(name) for name in names):
            return False
        return not any(self.of.automaton.reach[q] & self.of.states(name) for name in names)

    def _name(self, state: int) -> ChildName | None:
        leaf: Name | Wildcard = self.leaves[state - 1]
        return (leaf.uri, leaf.local) if isinstance(leaf, Name) else None

    def _once(self, name: ChildName) -> bool:
        return self.of.at_most_once(element_symbol(name[1], name[0]))

    def _last(self, name: ChildName, table: list[list[bool]]) -> int:
        """The last handler that has fired, judged by the name alone."""
        found = list(states(self.of.states(element_symbol(name[1], name[0]))))
        last = -1
        for index, row in enumerate(table):
            if not all(row[q] for q in found):
                break
            last = index
        return last
