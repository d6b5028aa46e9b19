"""Windows that the kernel forms itself, over rows of values that the scan writes for their items.

        for tumbling window $w in $items start $s when true() end $e when $e/t - $s/t > 60 return <w n="{ count($w) }"/>
    →   rows of one column, t; an end condition over the values of the rows at both ends; a template for each window

A column has the values of a path from an item: any number of them, all untyped, so computing it is never an error.
Conditions, values of aggregates and results are expressions over columns, positions and aggregates, which have the
first slots (`plan/kernel_expression.py`); if the kernel leaves one undecided, or has none, it calls the query.
"""

from __future__ import annotations

from dataclasses import dataclass

from .kernel_expression import KernelExpression
from .result_template import Cell, Template, Values


@dataclass(frozen=True)
class ColumnInput:
    """A column of the row at an end of a window, or next to it."""

    side: str
    """start or end."""
    role: str
    """current, previous or next."""
    column: int


@dataclass(frozen=True)
class PositionInput:
    """The position of the first or the last row of a window."""

    side: str


@dataclass(frozen=True)
class AggregateInput:
    """An aggregate of the window, by its index."""

    aggregate: int


WindowInput = ColumnInput | PositionInput | AggregateInput


@dataclass(frozen=True)
class WindowCode:
    """An expression with its inputs; None if only the query can compute it."""

    inputs: tuple[WindowInput, ...]
    expression: KernelExpression | None


@dataclass(frozen=True)
class EndsEach:
    """Each open window is tested for its end."""


@dataclass(frozen=True)
class EndsAfter:
    """A window ends a fixed number of rows after its first."""

    distance: int


@dataclass(frozen=True)
class EndsInOrder:
    """While the keys of starts ascend, no window ends before an older one: `end - start gt N`."""

    key: WindowCode
    is_number: bool
    """Whether the key is an operand of arithmetic, so untyped values are doubles."""


@dataclass(frozen=True)
class EndsByKey:
    """A row only ends windows whose key at the start equals its own: `$s/@id eq $e/@id and …`."""

    start_key: WindowCode
    end_key: WindowCode


@dataclass(frozen=True)
class GridWindows:
    """Windows by a value that does not decrease: one begins at each step after the first value, rows or not."""

    size: float
    step: float
    reference: WindowCode


@dataclass(frozen=True)
class KernelWindows:
    """A window clause with the treatment of each window.

    Holds:  the values read of the row at the start of each open window, and the state of aggregates.
    Order:  by first row, or by last row where `by_start` is off.
    End:    as `at_end` says.
    """

    columns: tuple[Values, ...]
    kind: str | GridWindows
    """tumbling, sliding or landmark."""
    has_one_start: bool
    newstart: bool
    at_end: str
    """Which open windows are returned: all, none, or the first, if there are rows since the last returned one."""
    by_start: bool
    start: WindowCode | None
    end: WindowCode | None
    shared: WindowCode | None
    """The part of the end condition that is the same for all open windows."""
    ending: EndsEach | EndsAfter | EndsInOrder | EndsByKey
    aggregates: tuple[tuple[str, WindowCode], ...]
    """The function of each aggregate, and the values that a row adds to it."""
    inputs: tuple[WindowInput, ...]
    """The inputs of the result."""
    template: Template | None
    """The result as text,"""
    values: KernelExpression | None
    """or as atomic values; with neither, the query computes it."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that the scan writes for an item."""
        return tuple(Cell(values, is_list=True) for values in self.columns)
