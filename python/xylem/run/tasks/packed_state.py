"""States of aggregates in the form sent between tasks, and their reconstruction.

Merging is associative. The state of a stretch that begins the input stays small: merge in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xylem.errors import XylemError
from xylem.values.saved_state import give_state, state_of
from xylem.values.state_codec import register

from ..aggregates.state import AggregateState, Plain
from ..packing import pack_error, unpack_error


@dataclass(frozen=True)
class FailedState:
    """The state of a stretch whose aggregate is an error."""

    error: bytes


register(FailedState, "failed-state", lambda value: (value.error,), FailedState)


class StateKind:
    """The states of one aggregate of a query."""

    def __init__(self, make: Callable[[bool], AggregateState]) -> None:
        """`make` returns a new state; its argument says whether no values precede it."""
        self.new = make

    def opened(self, plain: Plain) -> AggregateState:
        """The state for some plain data."""
        state = self.new(False)
        if isinstance(plain, FailedState):
            state.fail(unpack_error(plain.error))
        else:
            give_state(state, plain)
        return state

    def merged(self, a: Plain, b: Plain) -> Plain:
        """The state of two neighbouring stretches."""
        state = self.opened(a)
        state.merge(self.opened(b))
        return plain_state(state)


def plain_state(state: AggregateState) -> Plain:
    """A state as plain data."""
    if state.error is None:
        try:
            state.settle()
            return state_of(state)
        except XylemError as error:
            state.fail(error)
    assert state.error is not None
    return FailedState(pack_error(state.error))


__all__ = ["FailedState", "StateKind", "plain_state"]
