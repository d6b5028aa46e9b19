"""The state of fn:sum and fn:avg: a total and a count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xylem.errors import XylemError
from xylem.functions.aggregate_functions import add_run, check_summable
from xylem.values.arithmetic import divide
from xylem.values.casting_numbers import parse_double
from xylem.values.saved_state import saved
from xylem.values.strings import UntypedAtomic

from .state import AggregateState

_VALUE_BYTES = 8


@saved("sum", 1, fields=("_total", "_kept", "_waiting", "_is_first", "count", "held_bytes"))
class SumState(AggregateState):
    """Adds value after value, in the order and by the additions of the function itself.

    Holds:  the total, and a few values that are added together later. A state whose values follow others keeps its
            doubles: they must be added to the total before them, since another order would change the last digits.
    """

    __slots__ = ("_fold_at", "_is_average", "_is_first", "_kept", "_total", "_waiting", "_zero", "count")

    def __init__(self, function: str, *, is_first: bool = True, fold_at: int, zero: Sequence[Any] = (0,)) -> None:
        """`is_first`: whether no values precede it. `zero`: the sum of no values."""
        super().__init__()
        self._is_average = function == "avg"
        self._zero = zero
        self._fold_at = fold_at
        self._is_first = is_first
        self.clear()

    def clear(self) -> None:
        """Forget all values."""
        self._total: Any = None
        self._kept: list[Any] = []
        """The numbers after the total that cannot be added to it yet."""
        self._waiting: list[Any] = []
        """The values after those, unprocessed."""
        self.count = 0
        self.held_bytes = 0

    def add(self, values: Iterable[Any]) -> None:
        waiting = self._waiting
        before = len(waiting)
        waiting.extend(values)
        self.count += len(waiting) - before
        if len(waiting) > self._fold_at:
            self.settle()

    def add_one(self, value: Any) -> None:
        if type(value) is int and type(self._total) is int and not self._waiting and not self._kept:
            self._total += value
            self.count += 1
            return
        self.add((value,))

    def settle(self) -> None:
        run = self._waiting
        if not run:
            return
        self._waiting = []
        kinds = set(map(type, run))
        if UntypedAtomic in kinds:
            run = [parse_double(value) if type(value) is UntypedAtomic else value for value in run]
            kinds.discard(UntypedAtomic)
            kinds.add(float)
        if self._kept or not (self._is_first or not any(issubclass(kind, float) for kind in kinds)):
            self._kept += run
            self.held_bytes = _VALUE_BYTES * len(self._kept)
        else:
            self._total = self._added(self._total, run, kinds)

    def _added(self, total: Any, run: list[Any], kinds: set[type]) -> Any:
        check_summable(kinds, total, run, "fn:avg" if self._is_average else "fn:sum")
        return add_run(total, run, kinds)

    def value(self) -> Sequence[Any]:
        self.settle()
        if not self.count:
            return () if self._is_average else self._zero
        kept = self._kept
        total = self._added(self._total, kept, set(map(type, kept))) if kept else self._total
        return (divide(total, self.count) if self._is_average else total,)

    def begin(self) -> None:
        self._is_first = True
        self._waiting = self._kept + self._waiting
        self._kept = []
        self.held_bytes = 0
        try:
            self.settle()
        except XylemError as error:
            self.fail(error)

    def _merge(self, following: SumState) -> None:
        if following._total is not None:
            self._waiting.append(following._total)
        self._waiting += following._kept
        self._waiting += following._waiting
        self.count += following.count
        if len(self._waiting) > self._fold_at:
            self.settle()

    def take_scanned(self, count: int, total: Any) -> None:
        self.count += count
        if total is not None:
            self._waiting.append(total)

    def mark(self) -> tuple[Any, int]:
        """The state for `resume`, after all values are folded."""
        return self._total, self.count

    def resume(self, total: Any, count: int) -> None:
        """Continue from a mark."""
        self._total, self.count = total, count
