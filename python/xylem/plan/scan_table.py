"""Aggregates by key that the scan computes itself: a table of cells, one for each combination of keys.

        for $i in 0 to 9 … max(/s/pixel[x = $i]/(band1 - band0))
    →   pixel, with the key x, one of 0 to 9, and the largest of band1 - band0 in each cell

A table is an offer, as are other results (`scan_plan.py`): a scanner that meets a record it cannot decide hands the
table over with the next batch, as it was before that record, and gives this and all later records as ITEM. What has
been computed by it therefore always comes before what the query computes: sums are added in the order of the records.
Where there is no such record, the table comes with the last batch.

Keys may also be those that the records have, as with `group by`: no value is one of them, and the value itself comes
with its cell. Values are computed by expressions of the kernel (`kernel_expression.py`): one that would raise an error,
or meets more than one value where one is needed, is not decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from xylem.values.strings import UntypedAtomic

if TYPE_CHECKING:
    from .kernel_expression import KernelExpression
    from .scan_plan import ValueTest


@dataclass(frozen=True)
class ScanKey:
    """A key. The values that make a cell are a range of integers, some numbers, some strings; or those `is_found`."""

    value: KernelExpression
    first: int = 0
    last: int = -1
    numbers: tuple[float, ...] | None = None
    strings: tuple[str, ...] | None = None
    is_found: bool = False


@dataclass(frozen=True)
class ScanPart:
    """What is kept in a cell: count, sum, min or max of the values, or count of the records."""

    function: str
    value: KernelExpression | None


@dataclass(frozen=True)
class ScanTable:
    """A table; without keys it has one cell."""

    keys: tuple[ScanKey, ...]
    parts: tuple[ScanPart, ...]
    tests: tuple[ValueTest, ...] = ()
    """What else is asked of a record that has its keys; of others it might be an error."""
    is_settled: bool = False
    """Whether the values of variables and keys have been put in. Until then a scan leaves all records to the query."""


KernelValue: TypeAlias = "str | int | float | tuple[str, str] | None"
"""An atomic value as the kernel gives it; None for no value."""
CellState: TypeAlias = "tuple[int, KernelValue]"
"""How many values went into a part, and their sum, smallest or largest; None where there was none, or for count."""
TableState: TypeAlias = "tuple[int, list[tuple[list[KernelValue], list[CellState]]]]"
"""The step; for each cell that has any record the place of each of its keys among their values, or the values that were
found, and its parts."""


def python_value(value: KernelValue) -> Any:
    """An atomic value; untyped ones and decimals come with a word in front."""
    if type(value) is tuple:
        word, text = value
        return UntypedAtomic(text) if word == "untyped" else Decimal(text)
    return value
