"""The state of fn:distinct-values: the distinct values so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from xylem.functions.context import Context
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.values.saved_state import saved

from .held_values import value_bytes
from .state import AggregateState

_COMPARE_AT = 1024


@saved("distinct", 1, fields=("_values", "_different", "held_bytes"))
class DistinctState(AggregateState):
    """Compares several values at once with those so far, and keeps the first of each set of equal values.

    Holds:  each value once, and those not compared yet.
    """

    __slots__ = ("_different", "_distinct", "_values")

    def __init__(self, context: Context, collation: Sequence[Any] = ()) -> None:
        super().__init__()
        found = look_up(FN, "distinct-values", 1 + len(collation))
        assert found is not None
        body = found.body
        self._distinct: Callable[[Iterable[Any]], Iterator[Any]] = lambda values: body(context, values, *collation)
        self._values: list[Any] = []
        self._different = 0

    def add(self, values: Iterable[Any]) -> None:
        self._values.extend(values)
        if len(self._values) > max(_COMPARE_AT, 2 * self._different):
            self.settle()

    def settle(self) -> None:
        if len(self._values) > self._different:
            self._values = list(self._distinct(self._values))
            self._different = len(self._values)
            self.held_bytes = sum(map(value_bytes, self._values))

    def value(self) -> Sequence[Any]:
        self.settle()
        return self._values

    def _merge(self, following: DistinctState) -> None:
        self.add(following._values)
