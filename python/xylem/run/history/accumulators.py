"""Aggregates that can retract values: fn:count, exists, empty, sum, avg, min and max.

A contribution holds the values of one binding, under the key of its place; `replace` exchanges them. The result equals
that of the function itself over all values in order, to the last bit:

    count, exists, empty    a number
    sum, avg                integers by difference; doubles by difference while every partial sum is exact
                            (run/aggregates/exact_sums.py); else the values are added again, in order, as the
                            function does
    min, max                a sorted list, while all values are of one class; else the function once more
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xylem.values.arithmetic import divide
from xylem.values.casting_numbers import parse_double
from xylem.values.strings import UntypedAtomic

from ..aggregates.exact_sums import MOST_UNITS, SCALE, units
from .ordered_list import OrderedList

__all__ = ["Accumulator", "Counted", "Extremes", "Refolded", "Summed", "accumulator"]

Fold = Callable[[Sequence[Any]], Any]
Values = tuple[Any, ...]


class Accumulator:
    """Contributions of bindings, and one value of them all."""

    __slots__ = ()

    def replace(self, key: Any, old: Values, new: Values) -> None:
        """Replace the values of a binding; `()` means that it is new, or gone."""
        raise NotImplementedError

    def result(self) -> list[Any]:
        """The value of the aggregate, as a sequence."""
        raise NotImplementedError


class Counted(Accumulator):
    """The number of items: contributions are counts.

    Holds:  a number.
    """

    __slots__ = ("_finish", "count")

    def __init__(self, name: str) -> None:
        self.count = 0
        self._finish: Callable[[int], Any] = _FINISHES[name]

    def replace(self, key: Any, old: Values, new: Values) -> None:
        self.count += sum(new) - sum(old)

    def result(self) -> list[Any]:
        return [self._finish(self.count)]


_FINISHES: dict[str, Callable[[int], Any]] = {
    "count": lambda count: count,
    "exists": lambda count: count > 0,
    "empty": lambda count: count == 0,
}


class Refolded(Accumulator):
    """Any function of the ordered values, recomputed from the held values.

    Holds:  the values of all bindings, in order.
    """

    __slots__ = ("_fold", "_made", "held")

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self.held: OrderedList[Values] = OrderedList()
        self._made: list[Any] | None = None

    def replace(self, key: Any, old: Values, new: Values) -> None:
        self._made = None
        if old and new:
            self.held.replace(key, new, len(new))
            return
        if old:
            self.held.remove(key)
        if new:
            self.held.add(key, new, len(new))

    def values(self) -> Iterator[Any]:
        for some in self.held:
            yield from some

    def result(self) -> list[Any]:
        if self._made is None:
            found = self._fold(list(self.values()))
            self._made = [] if found is None else [found]
        return list(self._made)


class Summed(Refolded):
    """fn:sum and fn:avg.

    Holds:  the values of all bindings, in order, and their exact sum.
    """

    __slots__ = ("_is_average", "_kinds", "_magnitude", "_rough", "_total", "_units")

    def __init__(self, name: str, fold: Fold) -> None:
        super().__init__(fold)
        self._is_average = name == "avg"
        self._kinds: Counter[type] = Counter()
        self._total: int = 0
        self._units = 0
        self._magnitude = 0
        self._rough = 0
        """Number of doubles that are not known to add up exactly."""

    def replace(self, key: Any, old: Values, new: Values) -> None:
        for value in old:
            self._count(value, -1)
        for value in new:
            self._count(value, 1)
        super().replace(key, old, new)

    def _count(self, value: Any, sign: int) -> None:
        kind = type(value)
        self._kinds[kind] += sign
        if not self._kinds[kind]:
            del self._kinds[kind]
        if kind is int:
            self._total += sign * value
            return
        if kind is UntypedAtomic:
            value = parse_double(value)
        elif kind is not float:
            # The decimal context rounds long decimals: only the function itself knows how.
            self._rough += sign
            return
        whole = units(value)
        if whole is None:
            self._rough += sign
        else:
            self._units += sign * whole
            self._magnitude += sign * abs(whole)

    def result(self) -> list[Any]:
        kinds = self._kinds.keys()
        if not kinds or self._rough:
            return super().result()
        if kinds == {int}:
            total: Any = self._total
        elif int not in kinds and self._magnitude < MOST_UNITS:
            total = self._units / SCALE
        else:
            return super().result()
        return [divide(total, self.held.weight) if self._is_average else total]


class Extremes(Refolded):
    """fn:min and fn:max.

    Holds:  the values of all bindings, in order and sorted.
    """

    __slots__ = ("_is_max", "_kinds", "_odd", "_sorted")

    def __init__(self, name: str, fold: Fold) -> None:
        super().__init__(fold)
        self._is_max = name == "max"
        self._kinds: Counter[type] = Counter()
        self._odd = 0
        self._sorted: OrderedList[Any] = OrderedList()

    def replace(self, key: Any, old: Values, new: Values) -> None:
        for index, value in enumerate(old):
            self._sort(key, index, value, False)
        for index, value in enumerate(new):
            self._sort(key, index, value, True)
        super().replace(key, old, new)

    def _sort(self, key: Any, index: int, value: Any, is_new: bool) -> None:
        kind = type(value)
        number = value
        if kind is UntypedAtomic:
            kind, number = float, parse_double(value)
        self._kinds[kind] += 1 if is_new else -1
        if not self._kinds[kind]:
            del self._kinds[kind]
        # NaN has no order; of 0 and -0 the first one counts.
        if kind not in (int, float, str) or number != number or (kind is float and not number):
            self._odd += 1 if is_new else -1
        elif is_new:
            self._sorted.add((kind is str, number, key, index), number)
        else:
            self._sorted.remove((kind is str, number, key, index))

    def result(self) -> list[Any]:
        if self._odd or len(self._kinds) != 1:
            return super().result()
        return [self._sorted.last() if self._is_max else self._sorted.first()]


def accumulator(name: str, fold: Fold) -> Accumulator:
    """The state of an aggregate of the standard library; `fold` is the function itself."""
    if name in _FINISHES:
        return Counted(name)
    if name in ("sum", "avg"):
        return Summed(name, fold)
    return Extremes(name, fold) if name in ("min", "max") else Refolded(fold)
