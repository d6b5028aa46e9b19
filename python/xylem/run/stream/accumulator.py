"""The targets of records of a stream: the state of an aggregate, a table of states, or the first tuples of a loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from xylem.errors import XylemError
from xylem.functions.context import Context

from ..aggregates.choose_state import FOLD_AT, FOLD_FEW, aggregate_state
from ..aggregates.state import AggregateState
from .kept_items import Items, Last


class Accumulator(Protocol):
    """Takes items while the stream passes, and has a result afterwards."""

    error: XylemError | None
    """The first error, if any."""

    @property
    def is_decided(self) -> bool:
        """Whether no further item can change the result."""

    @property
    def held_bytes(self) -> int:
        """Memory used by its values, beyond a few numbers."""

    def add(self, items: Iterable[Any]) -> None: ...

    def fail(self, error: XylemError) -> None:
        """An item could not be computed."""

    def result(self) -> Sequence[Any]:
        """The value, or an object that raises its error when it is read."""


OF_VALUES = "-of-values"
"""Suffix for the name of a sum that will be merged with earlier sums."""


def accumulator(function: str, context: Context, parameter: str = "", *, few: bool = False) -> AggregateState:
    """A new state; `few` if it is one of many, which fold a few values at a time."""
    if function == "last":
        return Last(int(parameter or 1))
    if function == "items":
        return Items()
    arguments = [[parameter]] if function == "string-join" else []
    is_first = not function.endswith(OF_VALUES)
    function = function.removesuffix(OF_VALUES).removesuffix("-of-sum")
    fold_at = FOLD_FEW if few else FOLD_AT
    return aggregate_state(function, context, arguments, is_first=is_first, fold_at=fold_at)
