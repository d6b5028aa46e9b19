"""Panes: the aggregates of adjacent stretches that make up windows (Li et al., "No pane, no gain").

A pane is as long as the greatest length that divides the sizes and steps of all windows. Each item goes into one pane,
however many windows it is in. Counts, sums of exact numbers, minima and maxima are kept as one value each. Doubles are
kept one by one where they are summed: sums of sums would round differently from the sum of the items.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import gcd, isfinite, isnan, lcm, ulp
from typing import Any

from xylem.functions.aggregate_functions import avg, sum_
from xylem.values.casting_numbers import parse_double
from xylem.values.string_of import string_of

from .pane_form import PaneAggregate, PaneValue

_ITEM = re.compile(rb"<i ([^>]*?)/>")
_ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
_MOST_DIGITS = 28
_EXACT_BELOW = float(1 << 32)
_FINEST = float(1 << 20)


class Apart(Exception):
    """Something arrived that panes cannot represent: each query is then answered separately."""


def common_pane(lengths: Iterable[Fraction]) -> Fraction:
    """The greatest length that divides all of them."""
    found = list(lengths)
    denominator = lcm(*(one.denominator for one in found))
    return Fraction(gcd(*(int(one * denominator) for one in found)), denominator)


@dataclass
class Pane:
    """The aggregates of the items in one stretch."""

    size: int = 0
    values: dict[str, list[Any]] = field(default_factory=dict)
    """Doubles in order of arrival; for exact numbers the sum, the minimum, the maximum, and the count."""


class Panes:
    """The panes of one stream of items, from the first that a window still needs.

    Holds:  the panes of the longest window, and the open one.
    """

    def __init__(self, length: Fraction, values: frozenset[PaneValue]) -> None:
        self.length = length
        self._step = float(length)
        self.values = values
        self._kinds = {one.name: one.kind for one in values}
        self.first: float | None = None
        self._last = float("-inf")
        self._is_exact = True
        self.number = 0
        """Number of the open pane."""
        self.open = Pane()
        self._kept: deque[Pane] = deque()
        self._kept_from = 0
        self._rest = b""

    def take(self, data: bytes, closed: Callable[[int], None]) -> None:
        """Take items as text and pass each complete pane to `closed`; raises Apart for an unexpected item."""
        data = self._rest + data
        end = 0
        for found in _ITEM.finditer(data):
            if found.start() != end:
                raise Apart
            end = found.end()
            self._add(dict(_ATTRIBUTE.findall(found[1])), closed)
        self._rest = data[end:]

    def _add(self, attributes: dict[bytes, bytes], closed: Callable[[int], None]) -> None:
        written = attributes.pop(b"r", b"")
        if not written:
            raise Apart
        value = parse_double(written.decode())
        self._reach(value, closed)
        self.open.size += 1
        for name, text in attributes.items():
            if text:
                local = name.decode()
                _keep(self.open.values.setdefault(local, []), self._kinds[local], text.decode().split())

    def _reach(self, value: float, closed: Callable[[int], None]) -> None:
        if not isfinite(value) or value < self._last or not value < value + self._step:
            raise Apart
        self._last = value
        if self.first is None:
            self.first = value
            self._is_exact = (value * _FINEST).is_integer()
        border = self._border(self.number + 1)
        while value >= border:
            self._check(value, border)
            self._kept.append(self.open)
            closed(self.number)
            self.open = Pane()
            self.number += 1
            border = self._border(self.number + 1)
        self._check(value, border)

    def _border(self, number: int) -> float:
        assert self.first is not None
        return self.first + number * self._step

    def _check(self, value: float, border: float) -> None:
        """Raise Apart if windows that add their lengths in another order may see a value across a border."""
        if self._is_exact and abs(value) < _EXACT_BELOW and (value * _FINEST).is_integer():
            return
        if abs(value - border) <= 8 * ulp(max(abs(border), abs(value), self._step)):
            raise Apart

    def between(self, start: int, end: int) -> list[Pane]:
        """Panes by number; the open one may be the last."""
        found = [self._kept[number - self._kept_from] for number in range(start, min(end, self.number))]
        return [*found, self.open] if end > self.number else found

    def recall(self, other: Panes) -> None:
        """Take over earlier panes of another group, for windows that reach back further."""
        earlier = list(other._kept)[: max(0, self._kept_from - other._kept_from)]
        self._kept.extendleft(reversed(earlier))
        self._kept_from -= len(earlier)

    def forget(self, before: int) -> None:
        """No window needs these any more."""
        while self._kept_from < before and self._kept:
            self._kept.popleft()
            self._kept_from += 1


def _keep(kept: list[Any], kind: str, texts: list[str]) -> None:
    if kind == "double":
        kept += map(parse_double, texts)
        return
    for text in texts:
        value: Any = int(text) if kind in ("integer", "count") else Decimal(text)
        if not kept:
            kept += (value, value, value, 1)
        else:
            kept[:] = (sum_((kept[0], value)), min(kept[1], value), max(kept[2], value), kept[3] + 1)


class WindowsOfPanes:
    """Windows of one size and step, composed of panes, as records for the queries over them.

    Order:  as data windows: by their start; the last may be smaller, and none follows the one with the last item.
    """

    def __init__(self, size: int, step: int) -> None:
        """Sizes are in panes."""
        self.size, self.step = size, step
        self.number = 0
        """Number of the next window."""

    @property
    def needs_from(self) -> int:
        return self.number * self.step

    def closed(self, panes: Panes, number: int, aggregates: Sequence[PaneAggregate]) -> Iterator[bytes]:
        """The windows completed by a pane, each only once."""
        while self.needs_from + self.size <= number + 1:
            yield self._record(panes.between(self.needs_from, self.needs_from + self.size), aggregates)
            self.number += 1

    def last(self, panes: Panes, aggregates: Sequence[PaneAggregate]) -> bytes:
        """The panes that the end of the stream would complete; changes nothing."""
        if panes.first is None:
            return b""
        found = WindowsOfPanes(self.size, self.step)
        found.number = self.number
        records = list(found.closed(panes, panes.number, aggregates))
        if found.needs_from <= panes.number and not (records and found._reached() > panes.number):
            records.append(self._record(panes.between(found.needs_from, panes.number + 1), aggregates))
        return b"".join(records)

    def _reached(self) -> int:
        """The number of the pane after the previous window."""
        return (self.number - 1) * self.step + self.size

    @staticmethod
    def _record(panes: list[Pane], aggregates: Sequence[PaneAggregate]) -> bytes:
        told = "".join(f' {one.name}="{text}"' for one in aggregates if (text := _value(panes, one)))
        return f"<w{told}/>".encode()


def _value(panes: list[Pane], aggregate: PaneAggregate) -> str:
    """An aggregate over some panes as text; empty if it has no value."""
    if aggregate.value is None:
        return str(sum(pane.size for pane in panes))
    name, kind, function = aggregate.value.name, aggregate.value.kind, aggregate.function
    each = [pane.values[name] for pane in panes if name in pane.values]
    if kind == "double":
        values = [value for one in each for value in one]
        return _of_doubles(function, values) if values else ""
    if function == "count":
        return str(sum(one[0] for one in each))
    if not each:
        return ""
    if function == "size":
        return str(sum(one[3] for one in each))
    column = {"sum": 0, "min": 1, "max": 2}[function]
    parts = [one[column] for one in each]
    found = sum_(parts) if function == "sum" else min(parts) if function == "min" else max(parts)
    if isinstance(found, Decimal) and len(found.as_tuple().digits) > _MOST_DIGITS:
        raise Apart
    return string_of(found)


def _of_doubles(function: str, values: list[float]) -> str:
    if function in ("sum", "avg"):
        return string_of(sum_(values) if function == "sum" else avg(values))
    if any(map(isnan, values)):
        return "NaN"
    return string_of(min(values) if function == "min" else max(values))
