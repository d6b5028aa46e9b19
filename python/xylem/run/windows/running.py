"""An aggregate over windows of which at most one is open: one state of all its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xylem.values.saved_state import saved

from ..aggregates.count_state import CountState
from ..aggregates.extreme_state import ExtremeState
from ..aggregates.sum_state import SumState
from ..aggregates.user_state import UserState


@saved("running", 1, parts=("_state",))
class Running:
    """Knows only one start, and forgets all values or none."""

    def __init__(self, state: CountState | SumState | ExtremeState | UserState, *, is_sequence: bool = False) -> None:
        """`is_sequence`: whether the result is a sequence; else it is one value, or None."""
        self._state = state
        self._is_sequence = is_sequence
        self.add: Callable[[Sequence[Any]], None] = state.add
        self.add_one: Callable[[Any], None] = state.add_one

    def result(self, start: int = 0) -> Any:
        found = self._state.value()
        return found if self._is_sequence else found[0] if found else None

    def forget(self, before: int) -> None:
        pass

    def clear(self, following: int) -> None:
        self._state.clear()

    def resume(self, total: Any, count: int) -> None:
        """Continue after a number of values with a known aggregate; never used for a user's aggregate."""
        assert not isinstance(self._state, UserState)
        self._state.resume(total, count)
