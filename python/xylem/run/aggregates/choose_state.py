"""Chooses the state for an aggregate function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.functions.context import Context

from .count_state import CountState
from .distinct_state import DistinctState
from .extreme_state import ExtremeState
from .join_state import JoinState
from .state import AggregateState
from .sum_state import SumState

FOLD_AT = 1024
"""Number of values folded together: enough for Python's own loops, too few to matter in memory."""
FOLD_FEW = 16
"""The same for one of many states."""


def aggregate_state(
    function: str,
    context: Context,
    arguments: Sequence[Sequence[Any]] = (),
    *,
    is_first: bool = True,
    fold_at: int = FOLD_AT,
) -> AggregateState:
    """A new state of a function; `arguments` are the values of its arguments after the first.

    `is_first`: whether no values come before those of this state.
    """
    first = arguments[0] if arguments else ()
    match function:
        case "count" | "exists" | "empty":
            return CountState(function)
        case "sum" | "avg":
            return SumState(function, is_first=is_first, fold_at=fold_at, zero=first if arguments else (0,))
        case "min" | "max":
            return ExtremeState(function, context, first[0] if first else None, fold_at=fold_at)
        case "string-join":
            return JoinState(str(first[0]) if first else "")
        case "distinct-values":
            return DistinctState(context, first)
    raise AssertionError(f"{function} is no aggregate")


def running_state(function: str, context: Context) -> CountState | SumState | ExtremeState:
    """A state of fn:count, fn:sum, fn:avg, fn:min or fn:max that is read after each value: it folds values at once."""
    made = aggregate_state(function, context, fold_at=0)
    assert isinstance(made, (CountState, SumState, ExtremeState))
    return made
