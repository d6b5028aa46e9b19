"""Aggregates by key that the scan computes itself: a table of cells, one for each combination of keys.

        for $i in 0 to 9 … max(/s/pixel[x = $i]/(band1 - band0))
    →   pixel, with the key x, one of 0 to 9, and the largest of band1 - band0 in each cell

A table is an offer, like other results (`scan_plan.py`): a scanner that meets a record it cannot decide returns the
table as it was before that record with the next batch, and returns this and all later records as ITEM. So its
computations always precede those of the query: sums are added in the order of the records. Without such a record, the
table comes with the last batch.

Keys may also be found in the records, as with `group by`: a missing value counts as one, and the value itself comes
with its cell. Kernel expressions (`kernel_expression.py`) compute values: one that would raise an error, or finds
several values instead of one, is undecided.
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
    """The content of a cell: count, sum, min or max of the values, or the number of records."""

    function: str
    value: KernelExpression | None


@dataclass(frozen=True)
class ScanTable:
    """A table; without keys it has one cell."""

    keys: tuple[ScanKey, ...]
    parts: tuple[ScanPart, ...]
    tests: tuple[ValueTest, ...] = ()
    """Further tests of a record that has its keys; for other records they might be errors."""
    is_settled: bool = False
    """Whether the values of variables and keys are filled in. Until then a scan leaves all records to the query."""


KernelValue: TypeAlias = "str | int | float | tuple[str, str] | None"
"""An atomic value in the kernel's form; None for no value."""
CellState: TypeAlias = "tuple[int, KernelValue]"
"""The number of values in a part, and their sum, smallest or largest; None if there was none, or for count."""
TableState: TypeAlias = "tuple[int, list[tuple[list[KernelValue], list[CellState]]]]"
"""The step; for each cell with a record the index of each of its keys among their values, or the found values, and its
parts."""


def python_value(value: KernelValue) -> Any:
    """An atomic value; untyped ones and decimals come as tuples with a word in front."""
    if type(value) is tuple:
        word, text = value
        return UntypedAtomic(text) if word == "untyped" else Decimal(text)
    return value
