"""Joins by key: both sides of an equality brought together by their keys, so that no task needs a whole side.

Each item of the gathered side is a row for each of its keys; on the other side, each *asker* (a range of the input, or
a transport's unit of work for one task) has a row for each key it will look up. When rows with the same key meet, the
asker gets the item. When all keys have met, an asker has its items in order, in a table that it reads as if it were
complete (`lookup.py`), and the query itself compares: extra items do no harm, missing ones would.

    sides      rows of items and of askers, with their figures: bytes, marks (`join_key.py`)
    matched    from the rows of one key: (asker, row of an item), and rows for the lookups of these items
    given      the rows of one asker, as the value of a part

A table that the items of another one look up (`Lookup.behind`) is read one round later, when those items have met.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from xylem.errors import InputError, XylemError
from xylem.functions.context import Context
from xylem.plan.spread import Lookup, SpreadPart, SpreadQuery

from ..packing import pack_error
from .answer_text import HAS_ERROR
from .join_key import join_key, key_bytes, must_compare
from .map_task import MapTask
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask
from .rows import Row
from .source_place import noted

Table = tuple[int, int]
"""The part that makes the lookups, and the number of its table."""
ASKS = 0
"""Part number in rows of askers; `range` is the asker. Rows of items have the number of their own part."""
_TABLE = struct.Struct(">HH")
_NO_KEY = b""


@dataclass
class SideFigures:
    """Figures about the sides once all rows are there."""

    item_bytes: int = 0
    has_error: bool = False
    marks: dict[Table, tuple[set[str], set[str]]] = field(default_factory=dict)
    """By table: the marks of its items' keys, and of the looked-up values."""

    def add(self, other: SideFigures) -> None:
        self.item_bytes += other.item_bytes
        self.has_error = self.has_error or other.has_error
        for table, (items, asks) in other.marks.items():
            own = self.of(table)
            own[0].update(items)
            own[1].update(asks)

    def of(self, table: Table) -> tuple[set[str], set[str]]:
        return self.marks.setdefault(table, (set(), set()))

    def is_decided_by_keys(self) -> bool:
        """Whether values that may be equal, or must be compared, have keys in common."""
        return not self.has_error and not any(must_compare(items, asks) for items, asks in self.marks.values())


class KeyedJoin:
    """The joins by key of one query. It holds no state of a run."""

    def __init__(self, query: SpreadQuery, tasks: Mapping[int, PartTask], compiler: PartCompiler) -> None:
        self.parts = tuple(part.number for part in query.parts if part.is_joined_by_key)
        """The parts whose items are looked up."""
        self._tasks = tasks
        self._tables: dict[Table, _JoinTable] = {
            (user.number, lookup.number): _JoinTable(user, lookup, compiler)
            for user in query.parts
            for lookup in user.lookups
            if lookup.part in self.parts
        }

    def prepare(self) -> None:
        """Compile everything that tasks need."""
        for own in self._tables.values():
            own.prepare()

    def rounds(self, stage: int) -> int:
        """Number of rounds before the tasks of a stage have their items; 0 if they look nothing up."""
        own = self.tables_of(stage)
        return max((self._depth(table) for table in own), default=0)

    def tables_of(self, stage: int) -> list[Table]:
        """The tables that the parts of a stage look up."""
        return [table for table, own in self._tables.items() if own.user.stage == stage]

    def _depth(self, table: Table) -> int:
        behind = self._tables[table].lookup.behind
        return 1 if behind is None else 1 + self._depth((table[0], behind))

    def sides(self, run: RunOptions, measured: SideFigures) -> JoinSides:
        """Both sides of all joins, range by range."""
        return JoinSides(self.parts, self._tasks, self._tables, run, measured)

    # --- where rows of one key meet

    def matched(self, rows: Sequence[Row], stage: int, run: RunOptions) -> tuple[list[tuple[int, Row]], list[Row]]:
        """From all rows of one key: the items for each asker of a stage, and the further lookups of these items."""
        key = rows[0].key
        if not key or self._tables[_table(key)].user.stage != stage:
            return [], []
        askers = sorted({row.range for row in rows if row.part == ASKS})
        items = [row for row in rows if row.part != ASKS]
        if not askers or not items:
            return [], []
        found = [(asker, row) for row in items for asker in askers]
        return found, list(self._asked_by(_table(key), items, askers, run))

    def _asked_by(self, table: Table, items: list[Row], askers: list[int], run: RunOptions) -> Iterator[Row]:
        for other, own in self._tables.items():
            if other[0] == table[0] and own.lookup.behind == table[1]:
                asked = own.query.function(run)
                found = (item for row in items for item in self._tasks[row.part].plain_items(row))
                values = [value for item in found for value in asked((item,))]
                for asker in askers:
                    yield from _asked(other, values, asker, SideFigures())

    def is_asked_later(self, row: Row) -> bool:
        """Whether a row of an item belongs to a table that items of another one look up."""
        return bool(row.key) and row.part != ASKS and self._tables[_table(row.key)].lookup.behind is not None

    # --- values bound for a task

    def given(
        self, rows: Iterable[Row], run: RunOptions, context: Context, stage: int | None = None
    ) -> dict[int, bytes]:
        """The values of the looked-up parts, from rows of items: each once, in order.

        For every such part of the stage, even without rows; without a stage, for all parts.
        """
        wanted = self.parts if stage is None else {self._tables[table].lookup.part for table in self.tables_of(stage)}
        by_part: dict[int, dict[tuple[int, int], Row]] = {number: {} for number in wanted}
        for row in rows:
            if row.part != ASKS:
                by_part[row.part][row.range, row.ordinal] = row
        return {
            number: self._tasks[number].bound([own[place] for place in sorted(own)], run, context)
            for number, own in by_part.items()
        }


class JoinSides:
    """Both sides over one range after another; their figures add up.

    Holds:  the keys that one range looks up.
    """

    def __init__(
        self,
        parts: Iterable[int],
        tasks: Mapping[int, PartTask],
        tables: Mapping[Table, _JoinTable],
        run: RunOptions,
        measured: SideFigures,
    ) -> None:
        self._run = run
        self._measured = measured
        self._asked = {table: own.query for table, own in tables.items() if own.lookup.behind is None}
        self._items = [
            _SideOfItems(
                tasks[number],
                {table: own.key.function(run) for table, own in tables.items() if own.lookup.part == number},
                {table: tables[table].query.function(run) for table in _asked_by(number, tables)},
            )
            for number in parts
        ]

    def rows(self, source: Any, range_number: int, asker: int) -> Iterator[Row]:
        """The rows of a range."""
        for table, query in self._asked.items():
            yield from _asked(table, query.items(source, self._run), asker, self._measured)
        for side in self._items:
            yield from side.rows(source, range_number, self._run, self._measured)


def _asked_by(part: int, tables: Mapping[Table, _JoinTable]) -> Iterator[Table]:
    """The tables that items of a part look up."""
    for table, own in tables.items():
        if own.lookup.behind is not None and tables[table[0], own.lookup.behind].lookup.part == part:
            yield table


def _asked(table: Table, values: Iterable[Any], asker: int, measured: SideFigures) -> Iterator[Row]:
    marks = measured.of(table)[1]
    seen: set[str | float] = set()
    for value in values:
        key, mark = join_key(value)
        marks.add(mark)
        if key is not None and key not in seen:
            seen.add(key)
            yield Row(ASKS, _TABLE.pack(*table) + key_bytes(key), asker, 0, b"")


@dataclass(frozen=True)
class _SideOfItems:
    """The items of one part, with their keys in each table."""

    task: PartTask
    keys: Mapping[Table, Callable[..., Any]]
    asking: Mapping[Table, Callable[..., Any]]
    """The lookups of its items in other tables; only their marks need be known yet."""

    def rows(self, source: Any, range_number: int, run: RunOptions, measured: SideFigures) -> Iterator[Row]:
        assert isinstance(self.task, MapTask)
        ordinal = 0
        try:
            for item, row in self.task.item_rows(source, range_number, run):
                ordinal = row.ordinal + 1
                measured.item_bytes += len(row.value)
                for table, asked in self.asking.items():
                    measured.of(table)[1].update(join_key(value)[1] for value in asked((item,)))
                yield from (row._replace(key=key) for key in self._keys(item, measured))
        except XylemError as error:
            if isinstance(error, InputError):
                raise
            measured.has_error = True
            value = bytes((HAS_ERROR,)) + pack_error(noted(error, source))
            yield Row(self.task.part.number, _NO_KEY, range_number, ordinal, value)

    def _keys(self, item: Any, measured: SideFigures) -> set[bytes]:
        """The keys of an item; a placeholder if it has values without a key."""
        found: set[bytes] = set()
        for table, function in self.keys.items():
            marks = measured.of(table)[0]
            for value in function((item,)):
                key, mark = join_key(value)
                marks.add(mark)
                found.add(_NO_KEY if key is None else _TABLE.pack(*table) + key_bytes(key))
        return found


class _JoinTable:
    """One table, as both sides see it."""

    def __init__(self, user: SpreadPart, lookup: Lookup, compiler: PartCompiler) -> None:
        assert lookup.asked is not None
        self.user = user
        self.lookup = lookup
        self._compiler = compiler

    def prepare(self) -> None:
        self.key.prepare_value()
        if self.lookup.behind is None:
            self.query.prepare_items()
        else:
            self.query.prepare_value()

    @cached_property
    def query(self) -> PartQuery:
        """The query of the lookup."""
        assert self.lookup.asked is not None
        return PartQuery(self._compiler, self.lookup.asked)

    @cached_property
    def key(self) -> PartQuery:
        """The keys of an item."""
        return PartQuery(self._compiler, self.lookup.key)


def _table(key: bytes) -> Table:
    user, lookup = _TABLE.unpack_from(key)
    return user, lookup
