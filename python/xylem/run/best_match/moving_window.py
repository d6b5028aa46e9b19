"""The window of a join with its numbers: how far apart two values may be, and what of a side is swept."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from decimal import Decimal
from math import inf, isfinite, nan
from typing import Any, NamedTuple

from xylem.errors import DynamicError
from xylem.plan.best_match_window import MovingWindow, Swept
from xylem.values.durations import DayTimeDuration

from .join_spec import JoinSpec
from .side_rows import Column, Irregular, SideRows, numbers_of


class SweptValue(NamedTuple):
    """What is swept of one side: a leaf, a constant, and the direction in which it grows (1, or -1 where it falls)."""

    leaf: int
    op: str = ""
    constant: float = 0.0
    direction: int = 1

    def of(self, value: float) -> float:
        """What a value of the leaf is along the sweep."""
        if self.op == "+":
            value = value + self.constant
        elif self.op == "-":
            value = value - self.constant
        return value * self.direction

    def keys(self, rows: SideRows, timezone: int) -> Sequence[float]:
        """The values of some rows; NaN for one that has none."""
        column = rows.column(self.leaf, timezone)
        if isinstance(column, Irregular):
            raise _refused(rows, self.leaf, column.row)
        numbers = numbers_of(column)
        if not self.op and self.direction == 1 and all(map(isfinite, numbers)):
            return numbers
        # What is infinite is beyond the bounds of whatever it is compared with.
        return array("d", (self.of(number) if isfinite(number) else nan for number in numbers))


def is_time(rows: SideRows, value: SweptValue) -> bool:
    """Whether what is swept are dates or times."""
    column = rows.column(value.leaf)
    return isinstance(column, Column) and column.kind in ("dateTime", "date")


def _refused(rows: SideRows, leaf: int, row: int | None) -> DynamicError:
    """What is wrong with a value that windows cannot move along."""
    for number, values in enumerate(rows.values(leaf)):
        if row is None or number == row:
            if len(values) > 1:
                return DynamicError("XPTY0004", f"an order compares one value, found {len(values)}")
            if values and not isinstance(values[0], (int, float, Decimal)):
                return DynamicError("FORG0001", f"windows move along numbers, found {str(values[0])[:40]!r}")
    return DynamicError("FORG0001", "windows move along numbers that are xs:double or small integers")


class Sweep(NamedTuple):
    """Two values, of which the first less the second one lies between two bounds for each pair that takes part."""

    first: SweptValue
    second: SweptValue
    least: float
    most: float


def sweep_of(
    spec: JoinSpec, limits: Sequence[Any], constants: Sequence[Sequence[Any]], direction: int = 1
) -> Sweep | None:
    """Along what the windows of a join move, seen from its first loop; None where they cannot."""
    window = spec.window
    if window is None:
        return None
    least, most = _interval(window, limits, constants)
    left, right = (_value(swept, constants, direction) for swept in (window.left, window.right))
    if left is None or right is None or least == -inf or most == inf:
        return None
    if direction < 0:
        least, most = -most, -least
    if spec.left_is_first:
        return Sweep(left, right, least, most)
    return Sweep(right, left, -most, -least)


def _interval(
    window: MovingWindow, limits: Sequence[Any], constants: Sequence[Sequence[Any]]
) -> tuple[float, float]:
    least, most = -inf, inf
    for bound in window.bounds:
        divisor = None if bound.divisor is None else _only(constants[bound.divisor])
        given = _only(constants[bound.constant]) if bound.limit is None else limits[bound.limit]
        value = _size(given, divisor, has_divisor=bound.divisor is not None)
        if value is None:
            continue
        value = -value if bound.is_negated else value
        least, most = (least, min(most, value)) if bound.is_upper else (max(least, value), most)
    return least, most


def _size(value: Any, divisor: Any, *, has_divisor: bool) -> float | None:
    """A bound as columns have it: times are counted in microseconds."""
    if has_divisor:
        if type(divisor) is not DayTimeDuration or divisor.seconds <= 0 or _number(value) is None:
            return None
        return _outward(Decimal(value) * divisor.seconds * 1_000_000)
    if type(value) is DayTimeDuration:
        return _outward(value.seconds * 1_000_000)
    return _number(value)


def _outward(size: Any) -> float:
    """A whole number of microseconds that is not nearer to zero: times are whole, and a window may be wider."""
    whole = int(size)
    return float(whole + (1 if size > whole else -1 if size < whole else 0))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    return float(value)


def _only(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else None


def _value(swept: Swept, constants: Sequence[Sequence[Any]], direction: int) -> SweptValue | None:
    if not swept.op:
        return SweptValue(swept.leaf, direction=direction)
    constant = _number(_only(constants[swept.constant]))
    return None if constant is None else SweptValue(swept.leaf, swept.op, constant, direction)
