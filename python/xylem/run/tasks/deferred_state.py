"""Aggregates whose errors wait until their value is read: the query may never read it, or may catch the error.

for $p in //p group by $c := $p/city return if ($c = "") then count($p) else sum($p/age)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from xylem.errors import InputError, XylemError
from xylem.values.state_codec import register

from ..packing import pack_error, unpack_error
from ..stream.accumulator import Failed
from .aggregate_state import AggregateState, Counted


@dataclass(frozen=True)
class FailedState:
    """The state of a stretch that has no value."""

    error: bytes


register(FailedState, "failed-state", lambda value: (value.error,), FailedState)


class Deferred(AggregateState):
    """Wraps an aggregate and keeps its first error as its state."""

    def __init__(self, inner: AggregateState) -> None:
        self._inner = inner

    def of(self, items: Iterable[Any], is_first: bool) -> Any:
        return _tried(lambda: self._inner.of(items, is_first))

    def merged(self, a: Any, b: Any) -> Any:
        for state in (a, b):
            if isinstance(state, FailedState):
                return state
        return _tried(lambda: self._inner.merged(a, b))

    def begun(self, state: Any) -> Any:
        return state if isinstance(state, FailedState) else _tried(lambda: self._inner.begun(state))

    def value(self, state: Any) -> Sequence[Any]:
        """The items, or a value that raises the error when it is read."""
        if isinstance(state, FailedState):
            return Failed.with_error(unpack_error(state.error))
        try:
            return list(self._inner.value(state))
        except XylemError as error:
            return Failed.with_error(error)


def deferred(state: AggregateState) -> AggregateState:
    """The aggregate with deferred errors; a plain count cannot fail."""
    return state if isinstance(state, Counted) else Deferred(state)


def _tried(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except InputError:
        raise
    except XylemError as error:
        return FailedState(pack_error(error))
