"""Aggregates by key that the scan computes itself: a table of cells, one for each combination of keys.

        for $i in 0 to 9 … max(/s/pixel[x = $i]/(band1 - band0))
    →   pixel, with the key x, one of 0 to 9, and the largest of band1 - band0 in each cell

A table is an offer, as are other results (`scan_plan.py`): a scanner that meets a record it cannot decide hands the
table over with the next batch, as it was before that record, and gives this and all later records as ITEM. What has
been computed by it therefore always comes before what the query computes: sums are added in the order of the records.
Where there is no such record, the table comes with the last batch.

Values are computed by small programs for a machine with a stack. A value that is missing makes the result missing; a
program that would raise an error, or meets more than one value where one is needed, is not decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .result_template import Path

if TYPE_CHECKING:
    from .scan_plan import ValueTest


@dataclass(frozen=True)
class Load:
    """The values at the end of a path from the record, or one attribute of each element it leads to."""

    path: Path
    attribute: tuple[str, str] | None
    kind: str
    """double, integer: as a cast from xs:untypedAtomic; number: as fn:number; string"""
    is_single: bool = False
    """More than one value is an error. Operands of operators are always single."""


@dataclass(frozen=True)
class Constant:
    """A number: an int is an xs:integer, a float an xs:double."""

    value: int | float


@dataclass(frozen=True)
class Variable:
    """A number that is known when the run begins; it is replaced by a constant before the scan."""

    name: str


@dataclass(frozen=True)
class Apply:
    """An operator on the topmost values: + - * div idiv mod, or neg."""

    op: str


Program: TypeAlias = tuple[Load | Constant | Variable | Apply, ...]


@dataclass(frozen=True)
class ScanKey:
    """A key. The values that make a cell are a range of integers, some numbers, or some strings."""

    value: Program
    first: int = 0
    last: int = -1
    numbers: tuple[float, ...] | None = None
    strings: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ScanPart:
    """What is kept in a cell: count (of the records, or of what the program gives), sum, min or max."""

    function: str
    value: Program
    is_integer: bool = False


@dataclass(frozen=True)
class ScanTable:
    """A table; without keys it has one cell."""

    keys: tuple[ScanKey, ...]
    parts: tuple[ScanPart, ...]
    tests: tuple[ValueTest, ...] = ()
    """What else is asked of a record that has its keys; of others it might be an error."""
    is_settled: bool = False
    """Whether the values of variables and keys have been put in. Until then a scan leaves all records to the query."""


CellState: TypeAlias = tuple[int, int | float | None]
"""How many values went into a part, and their sum, smallest or largest; None where there was none, or for count."""
TableState: TypeAlias = tuple[int, list[tuple[list[int], list[CellState]]]]
"""The step; for each cell that has any record the place of each of its keys among their values, and its parts."""
