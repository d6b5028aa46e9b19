"""Check whether the children of an element alternate: between any two of one name there is one of another."""

from __future__ import annotations

from xylem.schema.automaton_constraints import AutomatonConstraints
from xylem.schema.constraints import ElementConstraints
from xylem.schema.symbols import symbol


def closes_before_reopening(parent: ElementConstraints, first: str, last: str) -> bool:
    """Whether in every word of the content model, a `last` lies between any two `first`.

    From each state that reads a `first`, walk through the automaton without states that read a `last`: another `first`
    must not be reached. If `first` and `last` are the same name, every child is a window by itself.
    """
    if not isinstance(parent, AutomatonConstraints) or parent.is_unordered:
        return False
    if first == last:
        return True
    automaton = parent.automaton
    opening = automaton.states_that_may_be(symbol(first))
    closing = _surely(parent, last)
    reached = seen = opening
    while reached:
        state = (reached & -reached).bit_length() - 1
        reached &= reached - 1
        following = automaton.follows[state] & ~closing
        if following & opening:
            return False
        reached |= following & ~seen
        seen |= following
    return True


def _surely(parent: AutomatonConstraints, name: str) -> int:
    """The states that read only this name."""
    what = symbol(name)
    return sum(1 << state for state, leaf in enumerate(parent.automaton.leaves, 1) if what.must_be(leaf))
