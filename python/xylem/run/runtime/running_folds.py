"""Aggregates of the first or last rows, for loop turns that each ask for a different number of rows.

    for $o at $i in //order return sum(//order[position() <= $i]/price)
    for $o in //order return max($o/preceding-sibling::order/price)
    for $o in //order return sum(($o/preceding-sibling::order | $o)/price)
    for $o in //order return sum(//order[t <= $o/t]/price)

Rows are added to a running value in their order, and the value after each row is kept: a turn finds it by number. If
rows are sorted by a key, and the function takes them in another order, only exact values are folded this way, since
their order does not matter. In all other cases the function itself is evaluated.

Holds:  for each row the value of the rows up to it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import Any

from xylem.errors import DynamicError
from xylem.functions.context import Context
from xylem.values.arithmetic import add, divide
from xylem.values.casting_numbers import parse_double
from xylem.values.document_order import stands_apart
from xylem.values.strings import UntypedAtomic

from ..aggregates.choose_state import running_state
from ..aggregates.exact_sums import MOST_UNITS, SCALE, units
from .joins import JoinIndex, Run
from .shared_values import SharedValue

Rows = Iterator[Sequence[Any]]
Whole = Callable[[], Any]
"""The value of the whole call, as written."""
Behind = Callable[[], Sequence[Any]]
"""The values of one more item after the others."""


class Fold:
    """One aggregate of a query, over the values of each row."""

    __slots__ = ("_context", "_is_path", "_name", "_rows")

    def __init__(self, name: str, is_path: bool, context: Context, rows: Callable[[Sequence[Any]], Rows]) -> None:
        """`is_path` means that the values are those of a path from all items, which takes nodes in document order."""
        self._name = name
        self._is_path = is_path
        self._context = context
        self._rows = rows

    def in_order(self, items: Sequence[Any], order: Sequence[int]) -> _InOrder:
        return _InOrder(partial(running_state, self._name, self._context), self._rows_of(items), order)

    def in_any_order(self, items: Sequence[Any], order: Sequence[int]) -> _InAnyOrder:
        try:
            values = list(self._rows_of(items))
        except (DynamicError, _NotInOrder):
            return _InAnyOrder(None, ())
        return _InAnyOrder(_exact(self._name), [values[row] for row in order])

    def _rows_of(self, items: Sequence[Any]) -> Rows:
        """The values of each row; fails if a path from these items would return them in another order."""
        previous = None
        for item, values in zip(items, self._rows(items), strict=True):
            if self._is_path and previous is not None and not stands_apart(item, previous):
                raise _NotInOrder
            previous = item
            yield values


class _NotInOrder(Exception):
    """Items are nested: a path from all of them does not take their descendants one item after the other."""


class _InOrder:
    """The value of the first rows, if no later row comes before an earlier one in the order."""

    __slots__ = ("_is_stuck", "_make", "_marks", "_order", "_read", "_results", "_rows", "_state")

    def __init__(self, make: Callable[[], Any], rows: Rows, order: Sequence[int]) -> None:
        self._make = make
        self._state = state = make()
        self._rows = rows
        self._read = 0
        self._order = order
        self._results = [_one(state.value())]
        self._marks = [state.mark()]
        self._is_stuck = False

    def first(self, number: int, whole: Whole, behind: Behind | None = None) -> Any:
        results = self._results
        if number >= len(results):
            self._go_on(number)
        if number >= len(results):
            return whole()
        return results[number] if behind is None else self._with_one_more(number, whole, behind)

    def _with_one_more(self, number: int, whole: Whole, behind: Behind) -> Any:
        try:
            state = self._make()
            state.resume(*self._marks[number])
            state.add(behind())
            return _one(state.value())
        except DynamicError:
            return whole()

    def _go_on(self, number: int) -> None:
        results, state = self._results, self._state
        while len(results) <= number and not self._is_stuck:
            try:
                state.add(self._values_of(self._order[len(results) - 1]))
                results.append(_one(state.value()))
                self._marks.append(state.mark())
            except (DynamicError, _NotInOrder):
                # The function itself reports the error, if it matters.
                self._is_stuck = True

    def _values_of(self, row: int) -> Sequence[Any]:
        values: Sequence[Any] = ()
        while self._read <= row:
            values = next(self._rows)
            self._read += 1
        return values


def _one(found: Sequence[Any]) -> Any:
    return found[0] if found else None


class _InAnyOrder:
    """The value of the first rows, or of the last, if the order of rows does not matter."""

    __slots__ = ("_backwards", "_forwards", "_make", "_values")

    def __init__(self, make: Callable[[], _Exact] | None, values: Sequence[Sequence[Any]]) -> None:
        self._make = make
        self._values = values
        self._forwards: list[Any] | None = None
        self._backwards: list[Any] | None = None

    def first(self, number: int, whole: Whole) -> Any:
        if self._forwards is None:
            self._forwards = self._folded(self._values)
        return self._forwards[number] if number < len(self._forwards) else whole()

    def last(self, number: int, whole: Whole) -> Any:
        if self._backwards is None:
            self._backwards = self._folded(reversed(self._values))
        return self._backwards[number] if number < len(self._backwards) else whole()

    def _folded(self, rows: Iterable[Sequence[Any]]) -> list[Any]:
        """The values of the first rows, as long as they are exact."""
        if self._make is None:
            return []
        state = self._make()
        results = [state.result()]
        for values in rows:
            if not all(map(state.add, values)):
                break
            results.append(state.result())
        return results


class _Exact(ABC):
    """A running value that does not depend on the order; `add` returns whether this still holds."""

    __slots__ = ("kind",)

    def __init__(self) -> None:
        self.kind: type | None = None

    def number(self, value: Any) -> Any:
        """A value in the form that the function takes; None if it differs in kind from those before it."""
        if type(value) is UntypedAtomic:
            try:
                value = parse_double(value)
            except DynamicError:
                return None
        if self.kind is None:
            self.kind = type(value)
        return value if type(value) is self.kind else None

    @abstractmethod
    def add(self, value: Any) -> bool: ...

    @abstractmethod
    def result(self) -> Any: ...


class _ExactCount(_Exact):
    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def add(self, value: Any) -> bool:
        self._count += 1
        return True

    def result(self) -> int:
        return self._count


class _ExactSum(_Exact):
    __slots__ = ("_count", "_is_average", "_magnitude", "_total")

    def __init__(self, is_average: bool) -> None:
        super().__init__()
        self._is_average = is_average
        self._count = 0
        self._total: Any = 0
        self._magnitude = 0

    def add(self, value: Any) -> bool:
        number = self.number(value)
        if number is None:
            return False
        self._count += 1
        if self.kind is float:
            whole = units(number)
            if whole is None:
                return False
            self._total += whole
            self._magnitude += abs(whole)
            return self._magnitude < MOST_UNITS
        if self.kind is int:
            self._total += number
            return True
        # The digits of a quotient of decimals depend on how many digits the operands were written with.
        if self.kind is not Decimal or self._is_average:
            return False
        self._total = number if self._count == 1 else add(self._total, number)
        return True

    def result(self) -> Any:
        if not self._count:
            return None if self._is_average else 0
        total = self._total / SCALE if self.kind is float else self._total
        return divide(total, self._count) if self._is_average else total


class _ExactExtreme(_Exact):
    __slots__ = ("_best", "_choose")

    def __init__(self, choose: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self._choose = choose
        self._best: Any = None

    def add(self, value: Any) -> bool:
        number = self.number(value)
        # NaN has no order; of 0 and -0 the first one counts.
        if number is None or self.kind not in (int, float, Decimal) or (self.kind is float and not abs(number) > 0):
            return False
        self._best = number if self._best is None else self._choose(self._best, number)
        return True

    def result(self) -> Any:
        return self._best


def _exact(name: str) -> Callable[[], _Exact]:
    if name == "count":
        return _ExactCount
    if name in ("sum", "avg"):
        return lambda: _ExactSum(name == "avg")
    return lambda: _ExactExtreme(max if name == "max" else min)


# --- called by generated code


def folded_matches(
    index: JoinIndex, asked: Sequence[Any], implicit_timezone: int, fold: Callable[[], Fold], whole: Whole,
    behind: Behind | None = None,
) -> Any:  # fmt: skip
    """The value of the rows of an index that an order comparison finds."""
    run = index.one_run(asked, implicit_timezone)
    if run is None:
        return whole()
    key = id(run.places)  # The index holds these lists.
    known = index.folds.get(key)
    if known is None:
        known = index.folds[key] = _folded_run(index, run, fold())
    if run.start == 0 and isinstance(known, _InOrder):
        return known.first(run.end, whole, behind)
    if behind is not None:
        return whole()
    if run.start == 0:
        return known.first(run.end, whole)
    if run.end == len(run.places) and isinstance(known, _InAnyOrder):
        return known.last(run.end - run.start, whole)
    return whole()


def _folded_run(index: JoinIndex, run: Run, fold: Fold) -> _InOrder | _InAnyOrder:
    is_ascending = all(a < b for a, b in pairwise(run.places))
    if is_ascending and index.op in ("<", "<="):
        return fold.in_order(index.items, run.places)
    return fold.in_any_order(index.items, run.places)


def folded_first(
    kept: SharedValue, items: Sequence[Any], op: str, asked: Sequence[Any], by_parent: bool,
    fold: Callable[[], Fold], whole: Whole,
) -> Any:  # fmt: skip
    """The value of the first of the cached items."""
    number = _number_of_first(op, asked, len(items))
    if number is None or (by_parent and not kept.is_one_family(items)):
        return whole()
    known = kept.fold
    if known is None:
        known = kept.fold = fold().in_order(items, range(len(items)))
    return known.first(number, whole)


def _number_of_first(op: str, asked: Sequence[Any], most: int) -> int | None:
    """The number of positions that compare this way with one number; None if it is not one number."""
    if len(asked) != 1 or type(asked[0]) not in (int, float, Decimal) or not math.isfinite(asked[0]):
        return None
    bound: int = math.floor(asked[0]) if op == "<=" else math.ceil(asked[0]) - 1
    return min(max(bound, 0), most)
