"""The rows of one side of a best-match join, and columns of the values that its terms read.

If a leaf of a term is a path from the loop's item, and the items are nodes of a kernel tree, the kernel reads the whole
column at once. Otherwise the query's own expression gives the values, item by item.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from math import nan
from threading import get_ident
from typing import Any, NamedTuple

from xylem.errors import DynamicError
from xylem.source.kernel import is_kernel_built, number_column
from xylem.values.atomic_type import DOUBLE
from xylem.values.calendar import days_from_date
from xylem.values.casting import cast
from xylem.values.datetimes import Date, DateTime
from xylem.values.native_path import PlanFor, native_plan
from xylem.values.native_rows import NativeColumn
from xylem.values.node_test import NodeTest
from xylem.values.strings import UntypedAtomic

from .node_rows import NodeRows, Part

Row = Sequence[Any]
EXACT = 2**53
"""Integers below this are exact as xs:double."""


class PathLeaf(NamedTuple):
    """A leaf that is a path from the item of its loop; `is_lenient` if number() turns other values into NaN."""

    steps: tuple[tuple[str, NodeTest], ...]
    is_lenient: bool


class Column(NamedTuple):
    """A leaf of all rows as numbers: NaN for a row without a value."""

    kind: str
    """Type of the values in the query: untyped, double, integer, dateTime or date."""
    numbers: Any
    """`NumberColumn` of the kernel, or an array."""
    most: float = 0.0
    """For integers: the largest absolute value."""


class Irregular(NamedTuple):
    """A leaf that is not a column of numbers: `row` is the first offending row, or None if the type is the reason."""

    row: int | None


def numbers_of(column: Column) -> array[float]:
    """The numbers of a column in any representation."""
    if isinstance(column.numbers, array):
        return column.numbers
    made = array("d")
    made.frombytes(column.numbers.to_bytes())
    return made


class SideRows:
    """All rows of a side.

    Holds:  the variables of each row, and the columns requested so far.
    """

    def __init__(
        self,
        items: Iterable[Any] | NodeRows,
        rows: Callable[[Iterable[Any]], Iterator[Row]] | None,
        leaves: Sequence[Callable[[Row], Sequence[Any]]],
        paths: Sequence[PathLeaf | None],
    ) -> None:
        self._rows = rows
        self._leaves = leaves
        self._paths = paths
        self.rows: Sequence[Row] = _rows_of(items, rows)
        self.may_be_copied = False
        """Whether the query cannot distinguish its nodes from copies."""
        self.first_item = 0
        """For a side whose items arrive one by one: the number of the item of the first row."""
        self._columns: dict[int, Column | Irregular] = {}
        self._batches: Sequence[SideRows] = ()

    @classmethod
    def together(cls, batches: Sequence[SideRows]) -> SideRows:
        """The rows of several batches, with the columns that all of them have read."""
        if len(batches) == 1:
            return batches[0]
        found = [batch.rows for batch in batches]
        if all(isinstance(rows, NodeRows) for rows in found):
            made = batches[0].like(NodeRows(part for rows in found for part in rows.parts))  # type: ignore[attr-defined]
        else:
            made = batches[0].like([row for rows in found for row in rows])
        made._batches = batches
        return made

    def like(self, rows: Sequence[Row]) -> SideRows:
        """Other rows of the same side, already built."""
        made = SideRows((), None, self._leaves, self._paths)
        made._rows = self._rows
        made.may_be_copied = self.may_be_copied
        made.rows = rows
        return made

    def with_columns(self, rows: Sequence[Any], columns: dict[int, Column]) -> SideRows:
        """Other rows of the same side, given as columns only."""
        made = self.like(rows)
        made._columns.update(columns)
        return made

    def part(self, numbers: Sequence[int]) -> SideRows:
        """Some of the rows."""
        if not isinstance(self.rows, NodeRows):
            return self.like([self.rows[number] for number in numbers])
        return self.like(self.rows.part(numbers))

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def listed(self) -> Sequence[Row]:
        """The rows as objects with a stable identity, for callers that cache facts about them."""
        return list(self.rows)

    def padding(self) -> Row:
        """The row of no item: the clauses of this side evaluated for the empty sequence."""
        return (None,) if self._rows is None else next(self._rows((None,)))

    def column(self, leaf: int, timezone: int = 0) -> Column | Irregular:
        """A leaf as numbers; dates and times without a timezone get the given one."""
        if leaf not in self._columns:
            found = self._from_batches(leaf) or self._from_tree(leaf)
            self._columns[leaf] = found or _column(self.values(leaf), timezone)
        return self._columns[leaf]

    def values(self, leaf: int) -> Iterator[Sequence[Any]]:
        """The atomic values of a leaf, row by row."""
        return map(self._leaves[leaf], self.rows)

    def _from_batches(self, leaf: int) -> Column | None:
        """The column of all batches, if each batch has one from the kernel."""
        if not self._batches or self._paths[leaf] is None:
            return None
        found = [batch.column(leaf) for batch in self._batches]
        together = number_column()
        kind = ""
        for column in found:
            if not isinstance(column, Column) or isinstance(column.numbers, array):
                return None
            kind = column.kind
            together.append(column.numbers)
        return Column(kind, together)

    def _from_tree(self, leaf: int) -> Column | Irregular | None:
        path = self._paths[leaf]
        if path is None or not self.rows or not is_kernel_built():
            return None
        parts = self.rows.parts if isinstance(self.rows, NodeRows) else _parts(self.rows)
        column = None if parts is None else read_column(path, parts)
        if column is None:
            return None
        if column.irregular is not None:
            return Irregular(column.irregular)
        return Column("double" if path.is_lenient else "untyped", column)


def _rows_of(items: Iterable[Any] | NodeRows, rows: Callable[[Iterable[Any]], Iterator[Row]] | None) -> Sequence[Row]:
    if rows is not None:
        return list(rows(node for (node,) in items) if isinstance(items, NodeRows) else rows(items))
    if isinstance(items, NodeRows):
        return items
    found = items if isinstance(items, list) else list(items)
    return NodeRows.of(found) or [(item,) for item in found]


def _parts(rows: Sequence[Row]) -> Sequence[Part] | None:
    """The nodes that rows begin with, by tree; None if a row begins with anything else."""
    found = NodeRows.of([row[0] for row in rows])
    return None if found is None else found.parts


def read_column(path: PathLeaf, parts: Iterable[Part]) -> NativeColumn | None:
    """The values of a path from nodes, as numbers; None if the kernel did not build their trees."""
    plan_for = _plan_of(path.steps, get_ident())
    column = number_column()
    for tree, rows in parts:
        plan = None if tree.native is None else plan_for(tree)
        if plan is None:
            return None
        column.read(tree.native, rows, plan, path.is_lenient)  # type: ignore[arg-type]
    return column


@lru_cache(maxsize=256)
def _plan_of(steps: tuple[tuple[str, NodeTest], ...], thread: int) -> PlanFor:
    """The plan of a path, made once because rows may arrive one at a time."""
    return native_plan(steps)


def _column(values: Iterable[Sequence[Any]], timezone: int) -> Column | Irregular:
    """Values of one kind as numbers."""
    numbers = array("d")
    kind = ""
    most = 0
    for row, found in enumerate(values):
        if not found:
            numbers.append(nan)
            continue
        value = found[0]
        if len(found) > 1:
            return Irregular(row)
        cls = type(value)
        own = _KINDS.get(cls, "")
        if not own or (kind and kind != own):
            return Irregular(None)
        kind = own
        if cls is UntypedAtomic:
            try:
                value = cast(value, DOUBLE)
            except DynamicError:
                return Irregular(row)
        elif cls is int:
            most = max(most, abs(value))
            if most >= EXACT:
                return Irregular(None)
        elif cls is not float:
            value = microseconds(value, timezone)
            if value is None:
                return Irregular(None)
        numbers.append(value)
    return Column(kind or "double", numbers, most)


_KINDS: dict[type, str] = {float: "double", int: "integer", UntypedAtomic: "untyped"}
_KINDS |= {DateTime: "dateTime", Date: "date"}
_START = days_from_date(2000, 1, 1) * 1440


def microseconds(value: DateTime | Date, timezone: int) -> int | None:
    """Microseconds since 2000, if they are whole and few enough for xs:double to hold differences exactly."""
    minutes, seconds = value.compare_key(timezone)
    found = (minutes - _START) * 60_000_000 + seconds * 1_000_000
    return int(found) if found == int(found) and abs(found) < EXACT // 2 else None


