"""The window of a join in numbers: how far apart two values may be, and which rows of a side the sweep has passed."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from decimal import Decimal
from math import inf, isfinite, isinf, nan
from typing import Any, NamedTuple

from xylem.errors import DynamicError
from xylem.plan.best_match_window import Bound, MovingWindow
from xylem.values.atomic_type import DOUBLE
from xylem.values.casting import cast
from xylem.values.durations import DayTimeDuration
from xylem.values.strings import UntypedAtomic

from .criteria import HINTS
from .join_spec import JoinSpec
from .side_rows import Column, Irregular, SideRows, numbers_of


class SweptValue(NamedTuple):
    """The swept value of one side: a leaf, and its direction (1 if it grows, -1 if it falls)."""

    leaf: int
    direction: int = 1

    def keys(self, rows: SideRows, timezone: int) -> Sequence[float]:
        """The keys of some rows; NaN for a row without one."""
        column = rows.column(self.leaf, timezone)
        if isinstance(column, Irregular):
            raise _refused(rows, self.leaf, column.row)
        numbers = numbers_of(column)
        if self.direction == 1 and all(map(isfinite, numbers)):
            return numbers
        # An infinite value is beyond the bounds of everything but the same infinity (`infinities`).
        return array("d", (number * self.direction if isfinite(number) else nan for number in numbers))

    def infinities(self, rows: SideRows, timezone: int) -> set[float]:
        """The infinite values among the rows."""
        column = rows.column(self.leaf, timezone)
        return set() if isinstance(column, Irregular) else {each for each in numbers_of(column) if isinf(each)}


def is_time(rows: SideRows, value: SweptValue) -> bool:
    """Whether the swept values are dates or times."""
    column = rows.column(value.leaf)
    return isinstance(column, Column) and column.kind in ("dateTime", "date")


def _refused(rows: SideRows, leaf: int, row: int | None) -> DynamicError:
    """The error for a value that windows cannot move along."""
    for number, values in enumerate(rows.values(leaf)):
        if row is None or number == row:
            if len(values) > 1:
                return DynamicError(
                    "XPTY0004", f"an order compares one value, found {len(values)}", hint=HINTS["XPTY0004"]
                )
            if values and not isinstance(values[0], (int, float, Decimal)):
                return DynamicError("FORG0001", f"windows move along numbers, found {str(values[0])[:40]!r}")
    return DynamicError("FORG0001", "windows move along numbers that are xs:double or small integers")


class Sweep(NamedTuple):
    """Two values whose difference lies between two bounds for every candidate pair."""

    first: SweptValue
    second: SweptValue
    least: float
    most: float
    size: float | None = None
    """The size of the constants in other sums that the query rounds instead of this difference."""
    admits_infinities: bool = False
    """Whether two values that are both INF, or both -INF, are within the bounds."""

    def is_below(self, one: float, other: float) -> bool:
        """Whether no pair of these values takes part, nor any pair further apart in this direction."""
        return one - other < self.least - self.slack(one, other)

    def is_above(self, one: float, other: float) -> bool:
        return one - other > self.most + self.slack(one, other)

    def check_infinities(self, first: set[float], second: set[float]) -> None:
        """FORG0001 for a pair that the query admits but no window can hold."""
        if self.admits_infinities and first & second:
            value = "INF" if max(first & second) > 0 else "-INF"
            raise DynamicError(
                "FORG0001",
                f"windows move along finite numbers, and both sides have {value}: leave such items out by a condition,"
                " or bound the difference of the two values",
            )

    def slack(self, one: float, other: float) -> float:
        """The largest rounding error of sums of such values."""
        return 0.0 if self.size is None else _ROUNDED * (abs(one) + abs(other) + self.size)


_ROUNDED = 2.0**-48
"""More than a dozen roundings of xs:double add up to."""


def sweep_of(
    spec: JoinSpec, limits: Sequence[Any], constants: Sequence[Sequence[Any]], direction: int = 1
) -> Sweep | None:
    """The values that the windows of a join move along, seen from its first loop; None if they cannot move."""
    window = spec.window
    if window is None:
        return None
    least, most, size = _interval(window, limits, constants)
    if least == -inf or most == inf:
        return None
    if direction < 0:
        least, most = -most, -least
    left, right = SweptValue(window.left, direction), SweptValue(window.right, direction)
    rounded = None if all(bound.is_plain for bound in window.bounds) else size
    if spec.left_is_first:
        return Sweep(left, right, least, most, rounded, window.admits_infinities)
    return Sweep(right, left, -most, -least, rounded, window.admits_infinities)


def _interval(
    window: MovingWindow, limits: Sequence[Any], constants: Sequence[Sequence[Any]]
) -> tuple[float, float, float]:
    least, most, size = -inf, inf, 0.0
    for bound in window.bounds:
        found = _value(bound, limits, constants)
        if found is not None and found[0] == found[0]:
            value, size = found[0], max(size, found[1])
            least, most = (least, min(most, value)) if bound.is_upper else (max(least, value), most)
    return least, most, size


def _value(
    bound: Bound, limits: Sequence[Any], constants: Sequence[Sequence[Any]]
) -> tuple[float, float] | None:
    """The value of a bound in column units, and the size of its operands; None if it is not a number."""

    def sizes(parts: Sequence[tuple[int, int]], factor: Any = None) -> list[float | None]:
        return [None if (size := _size(_only(constants[p]), factor)) is None else sign * size for sign, p in parts]

    op, factor = ("", None) if bound.factor is None else (bound.factor[0], _only(constants[bound.factor[1]]))
    scale = factor if type(factor) is DayTimeDuration else None
    compared = sizes(bound.compared, scale)
    if bound.limit is not None:
        compared.append(_size(limits[bound.limit], scale))
    moved = sizes(bound.moved)
    known = [size for size in (*compared, *moved) if size is not None]
    if len(known) < len(compared) + len(moved):
        return None
    value = sum(known[: len(compared)]) * (-1 if bound.is_negated else 1)
    if scale is not None and (op != "div" or scale.seconds <= 0):
        return None
    if op and scale is None:
        number = _number(factor)
        if number is None or not number > 0:
            return None
        value = value * number if op == "div" else value / number
    return value - sum(known[len(compared) :]), sum(map(abs, known)) + abs(value)


def _size(value: Any, times: Any = None) -> float | None:
    """A bound in column units: microseconds for times and durations."""
    if times is not None:
        return None if _number(value) is None else _outward(Decimal(value) * times.seconds * 1_000_000)
    if type(value) is DayTimeDuration:
        return _outward(value.seconds * 1_000_000)
    return _number(value)


def _outward(size: Any) -> float:
    """Round away from zero to a whole number of microseconds: times are whole, and a wider window is allowed."""
    whole = int(size)
    return float(whole + (1 if size > whole else -1 if size < whole else 0))


def _number(value: Any) -> float | None:
    if type(value) is UntypedAtomic:
        try:
            value = cast(value, DOUBLE)
        except DynamicError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    return float(value)


def _only(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else None
