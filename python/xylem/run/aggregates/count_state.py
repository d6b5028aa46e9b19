"""The state of fn:count, fn:exists and fn:empty: a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xylem.errors import XylemError
from xylem.values.saved_state import saved

from .state import AggregateState

_ANSWERS: dict[str, Callable[[int], Any]] = {
    "count": lambda n: n,
    "exists": lambda n: n > 0,
    "empty": lambda n: n == 0,
}


@saved("counter", 1, fields=("count",))
class CountState(AggregateState):
    __slots__ = ("_answer", "_is_decided_by_one", "count")

    def __init__(self, function: str) -> None:
        super().__init__()
        self.count = 0
        self._is_decided_by_one = function != "count"
        self._answer = _ANSWERS[function]

    @property
    def is_decided(self) -> bool:
        return self.error is not None or (self._is_decided_by_one and self.count > 0)

    def add(self, values: Iterable[Any]) -> None:
        self.count += len(values) if isinstance(values, (list, tuple, range)) else sum(1 for _ in values)

    def fail(self, error: XylemError) -> None:
        # If one item decides the result, later items are ignored.
        if not self.is_decided:
            self.error = error

    def value(self) -> Sequence[Any]:
        return (self._answer(self.count),)

    def _merge(self, following: CountState) -> None:
        self.count += following.count

    def take_scanned(self, count: int, total: Any) -> None:
        self.count += count

    def clear(self) -> None:
        """Forget all values."""
        self.count = 0

    def mark(self) -> tuple[Any, int]:
        """The state for `resume`."""
        return None, self.count

    def resume(self, total: Any, count: int) -> None:
        """Continue from a mark."""
        self.count = count
