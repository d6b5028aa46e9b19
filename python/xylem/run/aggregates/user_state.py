"""The state of a user's aggregate in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xylem.functions.external import AggregateProtocol
from xylem.values.saved_state import saved

from .state import AggregateState


@saved("running-fold", 1, fields=("_state",))
class UserState(AggregateState):
    """Holds:  the user's own state."""

    __slots__ = ("_protocol", "_state")

    def __init__(self, protocol: AggregateProtocol) -> None:
        super().__init__()
        self._protocol = protocol
        self._state = protocol.init()

    def add(self, values: Iterable[Any]) -> None:
        for value in values:
            self._state = self._protocol.step(self._state, value)

    def value(self) -> Sequence[Any]:
        return self._protocol.finish(self._state)

    def _merge(self, following: UserState) -> None:
        self._state = self._protocol.merge(self._state, following._state)

    def clear(self) -> None:
        """Forget all values."""
        self._state = self._protocol.init()
