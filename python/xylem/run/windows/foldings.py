"""Choose how to maintain an aggregate over windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from xylem.functions.aggregate_functions import avg, sum_
from xylem.functions.context import Context
from xylem.functions.extreme_values import max_, min_

from ..aggregates.choose_state import running_state
from ..aggregates.user_state import UserState
from .aggregates import Folding
from .range_aggregates import RangeCount, RangeExtreme, RangeSum
from .running import Running
from .user_aggregates import FoldedRange, InvertedRange, MergedRange


def folding(name: str, is_running: bool, context: Context) -> Folding:
    """fn:count, fn:sum, fn:avg, fn:min or fn:max. `is_running`: at most one window is open."""
    if is_running:
        return Running(running_state(name, context))
    if name == "count":
        return RangeCount()
    if name in ("sum", "avg"):
        return RangeSum(name, whole(name, context))
    return RangeExtreme(name == "max", whole(name, context))


def whole(name: str, context: Context) -> Callable[[Sequence[Any]], Any]:
    """The function itself over all values."""
    if name in ("sum", "avg"):
        return sum_ if name == "sum" else avg
    return partial(max_ if name == "max" else min_, context)


def user_folding(protocol: Any, is_running: bool) -> Folding:
    """A user's aggregate: retracted if possible, else merged, else recomputed."""
    if is_running:
        return Running(UserState(protocol), is_sequence=True)
    if protocol.can_invert:
        return InvertedRange(protocol)
    return MergedRange(protocol) if protocol.can_merge else FoldedRange(protocol)
