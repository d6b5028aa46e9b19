"""Aggregates from any start up to now, for overlapping windows.

A result is that of the function itself, to the last bit: sums come from running totals only if every partial sum is
exact, whatever the order of additions; else from the values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from xylem.values.arithmetic import divide
from xylem.values.casting_numbers import parse_double
from xylem.values.saved_state import saved
from xylem.values.strings import UntypedAtomic

from ..aggregates.exact_sums import MOST_UNITS, SCALE, units
from ..aggregates.one_by_one import OneByOne
from .value_column import ValueColumn


@saved("range-count", 1, parts=("_counts",))
class RangeCount(OneByOne):
    def __init__(self) -> None:
        self._counts = ValueColumn()

    def add(self, values: Sequence[Any]) -> None:
        counts = self._counts
        counts.add(())
        counts.total += len(values)

    def result(self, start: int) -> int:
        return self._counts.count(start)

    def forget(self, before: int) -> None:
        self._counts.forget(before)

    def clear(self, following: int) -> None:
        self._counts.clear(following)


@saved("range-sum", 1, fields=("_kind", "_totals", "_sizes", "_gone", "_unsure"), parts=("_column",))
class RangeSum:
    """fn:sum or fn:avg."""

    def __init__(self, name: str, function: Callable[[Sequence[Any]], Any]) -> None:
        self.is_sum = name == "sum"
        self._function = function
        self._column = ValueColumn()
        self._reset()

    def _reset(self) -> None:
        self._kind: type | None = None
        self._totals: list[int] = [0]
        """The sum before each value, in units of 2⁻²⁰ for doubles."""
        self._sizes: list[int] | None = None
        """The same for absolute values, once there are doubles."""
        self._gone = 0
        self._unsure = -1
        """The number of the last value that running totals do not cover."""

    def add(self, values: Sequence[Any]) -> None:
        column = self._column
        number = column.total
        column.add(values)
        for value in values:
            self._count(value, number)
            number += 1

    def add_one(self, value: Any) -> None:
        if type(value) is int and self._kind is int and self._sizes is None:
            self._column.add_one(value)
            totals = self._totals
            totals.append(totals[-1] + value)
            return
        self.add((value,))

    def _count(self, value: Any, number: int) -> None:
        totals = self._totals
        units = self._units(value)
        if units is None:
            self._unsure = number
            units = 0
        if self._sizes is None and self._kind is float:
            self._sizes = [0] * len(totals)
        totals.append(totals[-1] + units)
        if self._sizes is not None:
            self._sizes.append(self._sizes[-1] + abs(units))

    def _units(self, value: Any) -> int | None:
        """An exact number of units; None if there is none, or if it would lose the type of the sum."""
        cls = type(value)
        if cls is UntypedAtomic:
            value, cls = parse_double(value), float
        if self._kind is None:
            self._kind = cls
        if cls is not self._kind:
            self._kind = cls
            return None
        if cls is int:
            return int(value)
        return units(value) if cls is float else None

    def result(self, start: int) -> Any:
        begin = self._column.begin(start)
        count = self._column.total - begin
        if begin > self._unsure and count:
            place = begin - self._gone
            total = self._totals[-1] - self._totals[place]
            if self._kind is int:
                return total if self.is_sum else divide(total, count)
            if self._sizes is not None and self._sizes[-1] - self._sizes[place] < MOST_UNITS:
                return total / SCALE if self.is_sum else divide(total / SCALE, count)
        return self._function(self._column.values(start))

    def forget(self, before: int) -> None:
        gone = self._column.forget(before)
        if gone > self._gone:
            del self._totals[: gone - self._gone]
            if self._sizes is not None:
                del self._sizes[: gone - self._gone]
            self._gone = gone

    def clear(self, following: int) -> None:
        self._column.clear(following)
        self._reset()


@saved("range-extreme", 1, fields=("_kind", "_numbers", "_values", "_unsure"), parts=("_column",))
class RangeExtreme:
    """fn:min or fn:max, by a queue of the values that no later one beats."""

    def __init__(self, is_max: bool, function: Callable[[Sequence[Any]], Any]) -> None:
        self._is_max = is_max
        self._function = function
        self._column = ValueColumn()
        self._reset()

    def _reset(self) -> None:
        self._kind: type | None = None
        self._numbers: list[int] = []
        self._values: list[Any] = []
        self._unsure = -1

    def add(self, values: Sequence[Any]) -> None:
        number = self._column.total
        self._column.add(values)
        for value in values:
            self._add(value, number)
            number += 1

    def add_one(self, value: Any) -> None:
        self._column.add_one(value)
        self._add(value, self._column.total - 1)

    def _add(self, value: Any, number: int) -> None:
        cls = type(value)
        if cls is UntypedAtomic:
            value, cls = parse_double(value), float
        if cls is not self._kind:
            if self._kind is not None:
                self._unsure = number
            self._kind = cls
        if cls not in (int, float) or value != value:
            self._unsure = number
            return
        numbers, kept = self._numbers, self._values
        if self._unsure == number:
            numbers.clear()
            kept.clear()
        # Of equal values the first stays in front: the function returns that one.
        while kept and (kept[-1] < value if self._is_max else kept[-1] > value):
            kept.pop()
            numbers.pop()
        kept.append(value)
        numbers.append(number)

    def result(self, start: int) -> Any:
        begin = self._column.begin(start)
        if begin > self._unsure and begin < self._column.total:
            return self._values[bisect_left(self._numbers, begin)]
        return self._function(self._column.values(start))

    def forget(self, before: int) -> None:
        gone = self._column.forget(before)
        place = bisect_left(self._numbers, gone)
        if place > 512 and place * 2 >= len(self._numbers):
            del self._numbers[:place], self._values[:place]

    def clear(self, following: int) -> None:
        self._column.clear(following)
        self._reset()
