"""Answers as tables: the work of a worker so that tasks return rows of columns, in Arrow batches.

A row is an item of the answer. Items that are records have their columns (`row_shape.py`); all others have one,
`value`: typed if the query determines the type, else the text of the item.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xylem.errors import XylemError
from xylem.run.tasks.flat_items import NOT_FLAT
from xylem.run.tasks.rows import Row
from xylem.tables.item_values import VALUE, row_of
from xylem.tables.row_shape import TEXT, Shape, answer_shape

from .inputs import InputFile, TaskInput
from .item_columns import shape_of_schema, spark_schema
from .run_here import RunHere
from .shipped_query import ShippedQuery
from .short_errors import short_errors_of
from .small_file import small_file

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

BATCH_ROWS = 4096
BATCH_BYTES = 4 << 20
ORDER = ("__key", "__range", "__ordinal")
"""Columns that order a table, and are then removed."""
FAMILIES = "__families"
"""In addition, in a row before all others: what the keys of a task can be compared with."""
_BEFORE_ALL = (b"", -1, -1)
NESTS = "nests"
RAW_SCHEMA = "part long, key binary, range long, ordinal long, value binary"
Keep = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True)
class Table:
    """A query whose items are rows, in the form sent to tasks."""

    query: ShippedQuery
    chosen: str | None = None
    """The columns chosen by a user, in JSON; otherwise they follow from the query."""

    def shape(self) -> Shape:
        if self.chosen is not None:
            from pyspark.sql.types import StructType

            return shape_of_schema(StructType.fromJson(_json(self.chosen)))
        return answer_shape(self.query.compiled).item

    def schema(self) -> StructType:
        """The columns."""
        if self.chosen is not None:
            from pyspark.sql.types import StructType

            return StructType.fromJson(_json(self.chosen))
        return spark_schema(self.shape())

    def is_plain_text(self) -> bool:
        """Whether the only column is the text of items."""
        return self.chosen is None and self.shape() == TEXT


def _json(text: str) -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads(text)
    return found


@dataclass(frozen=True)
class TableWork:
    """The work of tasks for a table."""

    table: Table
    part: int
    """The part whose items are the rows."""
    stage: int
    bound: dict[int, bytes] = field(default_factory=dict)
    tasks: tuple[TaskInput, ...] = ()
    with_order: bool = False

    def batches(self, numbers: Iterable[Any]) -> Iterator[Any]:
        """Batches of rows of the tasks with the given numbers (`mapInArrow`)."""
        for own, task in self._numbered(numbers):
            yield from short_errors_of(own.of_task(task))

    def of_task(self, task: TaskInput, keep: Keep | None = None) -> Iterator[Any]:
        """Batches of rows of one task."""
        rows = self._ordered_records(self.rows(task)) if self.with_order else self._records(self.rows(task))
        return arrow_batches(rows if keep is None else filter(keep, rows), self._schema())

    def _records(self, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
        convert = self.converter()
        return (record for row in rows for record in convert(row))

    def _ordered_records(self, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
        """The records of rows, then a record for each kind of order keys among them."""
        program = self.table.query.program()
        convert = self.converter()
        seen: set[bytes] = set()
        for row in rows:
            seen.add(program.order_families(row))
            yield from convert(row)
        for families in sorted(seen - {b""}):
            yield {**dict(zip(ORDER, _BEFORE_ALL, strict=True)), FAMILIES: families}

    def checked(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Sorted batches without the ordering columns. XPTY0004 if keys cannot be compared, as the first rows show."""
        import pyarrow.compute as pc

        program = self.table.query.program()
        names = self.table.schema().fieldNames()
        families: set[bytes] = set()
        for batch in batches:
            told = batch.column(FAMILIES)
            if told.null_count < len(told):
                families.update(value for value in told.to_pylist() if value is not None)
                program.check_families(self.part, sorted(families))
                batch = batch.filter(pc.is_null(told))
            yield batch.select(names)

    def raw_batches(self, numbers: Iterable[Any]) -> Iterator[Any]:
        """Unprocessed rows, to be shuffled."""
        for own, task in self._numbered(numbers):
            yield from short_errors_of(arrow_batches((row._asdict() for row in own.rows(task)), raw_schema()))

    def nesting(self, numbers: Iterable[Any]) -> Iterator[Any]:
        """For each task, whether the items that it sends are nested. Other errors are left to the rows."""
        import pyarrow as pa

        for own, task in self._numbered(numbers):
            try:
                for _ in own.rows(task):
                    pass
                nests = False
            except XylemError as error:
                nests = error.code == NOT_FLAT
            yield pa.RecordBatch.from_pydict({NESTS: [nests]})

    def _numbered(self, batches: Iterable[Any]) -> Iterator[tuple[TableWork, TaskInput]]:
        """The tasks for batches of numbers, each with its results of joins."""
        for batch in batches:
            for number, *given in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                own = replace(self, bound={**self.bound, **marshal.loads(given[0])}) if given else self
                yield own, self.tasks[number]

    def reduced(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Batches of rows of groups, from raw rows that are sorted by key, range and ordinal."""
        return short_errors_of(arrow_batches(self._records_of_groups(batches), self._schema()))

    def rows(self, task: TaskInput) -> Iterator[Row]:
        query = self.table.query
        tasks = query.program().tasks(
            self.stage, self.bound, scanner=query.scanner, parts=[self.part], each_item=True, **query.options()
        )
        ratio_limit = query.limits.decompression_ratio
        for number, piece in enumerate(task.pieces, task.first_range):
            yield from tasks.rows(small_file(piece, ratio_limit) if isinstance(piece, str) else piece, number)

    def converter(self) -> Callable[[Row], Iterator[dict[str, Any]]]:
        """From a row to the records of its items."""
        program = self.table.query.program()
        record = row_of(self.table.shape())
        if program.is_text(self.part):
            return lambda row: iter(({VALUE: program.text_of(row)},))
        if not self.with_order:
            return lambda row: (record(item) for item in program.items_of(row))

        def ordered(row: Row) -> Iterator[dict[str, Any]]:
            order = dict(zip(ORDER, (row.key, row.range, row.ordinal), strict=True))
            return ({**record(item), **order} for item in program.items_of(row))

        return ordered

    def _records_of_groups(self, batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
        from itertools import groupby

        query = self.table.query
        program = query.program()
        options = query.seen()
        rows = (Row(**record) for batch in batches for record in batch.to_pylist())
        reduce = program.reducer(self.part, bound=self.bound, **options)
        reduced = (row for _, together in groupby(rows, lambda row: row.key) for row in reduce(together))
        return self._ordered_records(reduced)

    def _schema(self) -> Any:
        return arrow_schema(self.table.schema(), with_order=self.with_order)


@dataclass(frozen=True)
class WholeTable:
    """All of an answer in one task."""

    table: Table
    """The table of a query `with_items`."""
    files: tuple[InputFile, ...]

    @staticmethod
    def of(table: Table, files: Iterable[InputFile]) -> WholeTable:
        return WholeTable(replace(table, query=table.query.with_items()), tuple(files))

    def batches(self, numbers: Iterable[Any], keep: Keep | None = None) -> Iterator[Any]:
        for _ in numbers:
            convert = row_of(self.table.shape())
            rows = (convert(item) for item in RunHere(self.table.query, self.files).items())
            columns = arrow_schema(self.table.schema(), with_order=False)
            yield from short_errors_of(arrow_batches(rows if keep is None else filter(keep, rows), columns))


def arrow_schema(schema: StructType, *, with_order: bool) -> Any:
    """Arrow's schema for the columns."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(ordered_schema(schema) if with_order else schema, timezone="UTC")


def ordered_schema(schema: StructType) -> StructType:
    """The columns with the ordering columns; all may be null, as in rows that describe families."""
    from pyspark.sql.types import BinaryType, LongType, StructField, StructType

    kinds = (BinaryType(), LongType(), LongType(), BinaryType())
    added = (StructField(name, kind) for name, kind in zip((*ORDER, FAMILIES), kinds, strict=True))
    return StructType([*(StructField(field.name, field.dataType) for field in schema.fields), *added])


def raw_schema() -> Any:
    import pyarrow as pa

    kinds = (pa.int64(), pa.binary(), pa.int64(), pa.int64(), pa.binary())
    return pa.schema(list(zip(Row._fields, kinds, strict=True)))


def arrow_batches(records: Iterable[dict[str, Any]], schema: Any) -> Iterator[Any]:
    """Records in batches that are neither tiny nor large."""
    import pyarrow as pa

    together: list[dict[str, Any]] = []
    size = 0
    for record in records:
        together.append(record)
        size += sum(len(value) for value in record.values() if isinstance(value, (str, bytes)))
        if len(together) >= BATCH_ROWS or size >= BATCH_BYTES:
            yield pa.RecordBatch.from_pylist(together, schema)
            together, size = [], 0
    if together:
        yield pa.RecordBatch.from_pylist(together, schema)
