"""The state of fn:min and fn:max: the least or greatest value so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xylem.functions.context import Context
from xylem.functions.extreme_values import Extreme
from xylem.values.saved_state import saved

from .state import AggregateState


@saved("extreme-state", 1, fields=("_waiting",), parts=("_extreme",))
class ExtremeState(AggregateState):
    """Holds:  that value, and a few values that are compared with it later."""

    __slots__ = ("_collation", "_context", "_extreme", "_fold_at", "_function", "_waiting")

    def __init__(self, function: str, context: Context, collation: str | None = None, *, fold_at: int) -> None:
        super().__init__()
        self._function = function
        self._context = context
        self._collation = collation
        self._fold_at = fold_at
        self.clear()

    def clear(self) -> None:
        """Forget all values."""
        choose = max if self._function == "max" else min
        self._extreme = Extreme(self._context, self._collation, choose, f"fn:{self._function}")
        self._waiting: list[Any] = []

    def add(self, values: Iterable[Any]) -> None:
        self._waiting.extend(values)
        if len(self._waiting) > self._fold_at:
            self.settle()

    def settle(self) -> None:
        run = self._waiting
        if run:
            self._waiting = []
            self._extreme.take(run)

    def value(self) -> Sequence[Any]:
        self.settle()
        found = self._extreme.result()
        return () if found is None else (found,)

    def _merge(self, following: ExtremeState) -> None:
        self.add(following.value())

    def take_scanned(self, count: int, total: Any) -> None:
        if total is not None:
            self._waiting.append(total)

    def mark(self) -> tuple[Any, int]:
        """The state for `resume`, after all values are folded."""
        return self._extreme.result(), 0

    def resume(self, total: Any, count: int) -> None:
        """Continue from a mark; `total` is None if there was no value."""
        if total is not None:
            self.add((total,))
