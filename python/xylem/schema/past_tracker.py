"""Detects when sets of symbols are past: the `on-first past(S)` events of one element (thesis §3.3, §3.7.1).

As in the thesis an event is a bitmap, bit i for the i-th set, since one child can make several sets past at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xylem.errors import InputError

from .automaton_constraints import AutomatonConstraints
from .matcher import MOST_REMEMBERED, NO_STATE, START
from .state_sets import union
from .symbols import SymbolKind, symbol
from .wording import expectation


class PastTracker:
    """Follows the children of one element, and returns the sets that have become past.

    Holds:  a state and a bitmap; the tables are the constraints' own.
    Order:  `begin()`, then `child(…)` for each start tag, `end()` for the end tag. Between them `child_ended()` may be
            called for each end tag of a child: then a set is past as soon as its last child is complete, which is
            earlier than in the thesis (there, at the next start tag). Callers that omit it miss nothing.
    End:    every set is past by then, so each bit is given exactly once.
    """

    def __init__(self, constraints: AutomatonConstraints, sets: Sequence[Iterable[str] | None]) -> None:
        """The sets of symbols to watch; None is all symbols of the element."""
        self.constraints = constraints
        self._matcher = constraints.matcher
        every = [tuple(constraints.symbols if names is None else names) for names in sets]
        self._masks = [union(constraints.states(name) for name in names) for names in every]
        self._until_end = union(1 << i for i, names in enumerate(every) if any(map(self._only_at_end, names)))
        self._all = (1 << len(every)) - 1
        self._past: dict[tuple[int, bool], int] = {}
        self._state = START
        self._given = 0

    def _only_at_end(self, name: str) -> bool:
        kind = symbol(name).kind
        return kind is SymbolKind.END or (kind is SymbolKind.OTHER and not self.constraints.never(name))

    def begin(self) -> int:
        """The start tag has been read: returns sets whose symbols cannot occur at all."""
        self._state, self._given = START, 0
        return self._newly(self._past_in(START, False))

    def child(self, local: str, uri: str | None = None) -> int:
        """A child starts."""
        state = self._matcher.advance(self._state, local, uri)
        if state == NO_STATE:
            expected = self._matcher.expected(self._state)
            why = f"<{local}> in <{self.constraints.name}>, where {expectation(expected)}"
            raise InputError("XYIN0021", why)
        self._state = state
        return self._newly(self._past_in(state, False))

    def child_ended(self) -> int:
        """The child that started last is complete."""
        return self._newly(self._past_in(self._state, True))

    def end(self) -> int:
        """The end tag: returns the remaining sets."""
        return self._newly(self._all)

    def _newly(self, past: int) -> int:
        new = past & ~self._given
        self._given |= new
        return new

    def _past_in(self, state: int, is_complete: bool) -> int:
        known = self._past.get((state, is_complete))
        if known is None:
            left = self._matcher.ahead(state)
            if not is_complete:
                left |= self._matcher.being_read(state)
            known = union(1 << i for i, mask in enumerate(self._masks) if not mask & left) & ~self._until_end
            if len(self._past) >= MOST_REMEMBERED:
                self._past.clear()
            self._past[state, is_complete] = known
        return known
