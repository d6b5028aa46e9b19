"""fn:count, fn:sum and fn:avg (F&O 3.1 §14.4). Input is read once, in runs of equal types where it has them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from xylem.errors import DynamicError
from xylem.values.arithmetic import add, divide
from xylem.values.atomic import NUMERIC_CLASSES
from xylem.values.casting_numbers import parse_double
from xylem.values.description import describe_item
from xylem.values.durations import DayTimeDuration, YearMonthDuration
from xylem.values.strings import UntypedAtomic

from .registry import function

_RUN = 4096
"""Number of values processed together: enough for the loops below, too few to matter in memory."""


@function("fn:count", "item()*", "xs:integer", lazy="sequence")
def count(sequence: Iterable[Any]) -> int:
    if isinstance(sequence, (list, tuple, range)):
        return len(sequence)
    return sum(1 for _ in sequence)


@function("fn:sum", "xs:anyAtomicType*, xs:anyAtomicType?", "xs:anyAtomicType?", lazy="values")
def sum_(values: Iterable[Any], zero: Any = 0) -> Any:
    if type(values) is range:
        return len(values) * (values[0] + values[-1]) // 2 if values else zero
    total, size = _total(values, "fn:sum")
    return total if size else zero


@function("fn:avg", "xs:anyAtomicType*", "xs:anyAtomicType?", lazy="values")
def avg(values: Iterable[Any]) -> Any:
    if type(values) is range:
        total: Any = sum_(values)
        size = len(values)
    else:
        total, size = _total(values, "fn:avg")
    return divide(total, size) if size else None


def _total(values: Iterable[Any], name: str) -> tuple[Any, int]:
    """The sum of values and their number; the sum is None if there are none."""
    rest = iter(values)
    total: Any = None
    size = 0
    while run := list(islice(rest, _RUN)):
        size += len(run)
        kinds = set(map(type, run))
        if UntypedAtomic in kinds:
            run = [parse_double(value) if type(value) is UntypedAtomic else value for value in run]
            kinds.discard(UntypedAtomic)
            kinds.add(float)
        check_summable(kinds, total, run, name)
        total = add_run(total, run, kinds)
    return total, size


def add_run(total: Any, run: list[Any], kinds: set[type]) -> Any:
    """A total (None before the first value) plus the values of a run, added in order."""
    if kinds == {int} and (total is None or type(total) is int):
        return sum(run, total or 0)
    start = 0
    if total is None:
        # Adding to the first value, and not to zero, keeps its type and a negative zero.
        total = run[0]
        start = 1
    if kinds == {float} and type(total) is float:
        # In order and without compensation, so every way of evaluating has the same bits.
        for value in islice(run, start, None):
            total += value
        return total
    for value in islice(run, start, None):
        total = add(total, value)
    return total


def check_summable(kinds: set[type], total: Any, run: list[Any], name: str) -> None:
    """All numbers, or all durations of one kind."""
    if kinds <= NUMERIC_CLASSES and (total is None or type(total) in NUMERIC_CLASSES):
        return
    first = run[0] if total is None else total
    for kind in (YearMonthDuration, DayTimeDuration):
        if kinds == {kind} and type(first) is kind:
            return
    found = describe_item(first)
    for value in run:
        if not _belongs(value, first):
            found = f"{describe_item(value)} among values like {found}"
            break
    raise DynamicError("FORG0006", f"{name} takes numbers, or durations of one kind, not {found}")


def _belongs(value: Any, first: Any) -> bool:
    if type(first) in NUMERIC_CLASSES:
        return type(value) in NUMERIC_CLASSES
    return type(value) is type(first)
