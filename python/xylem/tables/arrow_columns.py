"""Answers in Arrow columns: record batches are built as items arrive, so memory holds one batch at a time.

    reader = xylem.compile("//book ! map { 'title': string(title), 'year': xs:integer(@year) }").to_arrow("books.xml")
    for batch in reader: …              # or reader.read_all(), duckdb.from_arrow(reader), polars.from_arrow(…)

Types are those of `row_shape.py`: what the query says of a value, else text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from xylem.errors.optional_package import optional_package
from xylem.run.stream.row_text import RowText
from xylem.values import atomic_type as at

from .item_values import VALUE, row_of
from .row_shape import Many, Record, Shape
from .text_columns import arrow_arrays, wanted_columns

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 16_384
BATCH_CHARACTERS = 1 << 22
"""A batch ends before its rows, where these are long: an Arrow column of texts has 2 GB at most."""


def require_pyarrow() -> Any:
    """The module of Arrow; XYIN0011 if it is missing."""
    return optional_package("pyarrow", "frames")


def arrow_schema(shape: Shape) -> pa.Schema:
    """The columns of a table of items of this shape."""
    pa = require_pyarrow()
    if isinstance(shape, Record):
        return pa.schema([pa.field(f.name, arrow_type(f.shape), f.optional) for f in shape.fields])
    return pa.schema([pa.field(VALUE, arrow_type(shape), False)])


def arrow_type(shape: Shape) -> pa.DataType:
    """Arrow's type for a value of this shape."""
    pa = require_pyarrow()
    if isinstance(shape, Record):
        return pa.struct([pa.field(f.name, arrow_type(f.shape), f.optional) for f in shape.fields])
    if isinstance(shape, Many):
        return pa.list_(pa.field("item", arrow_type(shape.of), False))
    kind = shape.type
    types: tuple[tuple[at.AtomicType, Callable[[], Any]], ...] = (
        (at.BYTE, pa.int8),
        (at.SHORT, pa.int16),
        (at.INT, pa.int32),
        (at.INTEGER, pa.int64),
        (at.DECIMAL, lambda: pa.decimal128(*shape.digits)),
        (at.DOUBLE, pa.float64),
        (at.FLOAT, pa.float32),
        (at.BOOLEAN, pa.bool_),
        (at.DATE, pa.date32),
        (at.DATE_TIME, lambda: pa.timestamp("us", tz="UTC")),
        (at.HEX_BINARY, pa.binary),
        (at.BASE64_BINARY, pa.binary),
    )
    if kind is at.NUMERIC:
        return pa.float64()
    return next((make() for base, make in types if kind.derives_from(base)), pa.string())


def record_batches(items: Iterable[Any], shape: Shape, batch_rows: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
    """The rows of items, and those that the scan has written, some thousands at a time."""
    pending = _Pending(shape)
    for item in items:
        pending.add(item)
        while pending.rows >= batch_rows or pending.characters >= BATCH_CHARACTERS:
            yield pending.taken(batch_rows)
    if pending.rows:
        yield pending.taken(batch_rows)


class _Pending:
    """Rows that are not in a batch yet, in their order."""

    def __init__(self, shape: Shape) -> None:
        self._schema, self._row = arrow_schema(shape), row_of(shape)
        self._columns = wanted_columns(shape) or ()
        self.rows = 0
        self._made: list[pa.RecordBatch] = []
        self._values: list[dict[str, Any]] = []
        """The following rows, of items or as text."""
        self._texts: list[str] = []
        self.characters = 0
        """Of the texts."""

    def add(self, item: Any) -> None:
        if isinstance(item, RowText):
            if self._values:
                self._make()
            self._texts.append(item.text)
            self.characters += len(item.text)
            self.rows += item.rows
            return
        if self._texts:
            self._make()
        self._values.append(self._row(item))
        self.rows += 1

    def _make(self) -> None:
        pa = require_pyarrow()
        if self._texts:
            arrays = arrow_arrays("".join(self._texts), self._columns, self._schema.types)
        else:
            arrays = [pa.array([row[field.name] for row in self._values], field.type) for field in self._schema]
        self._made.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._values, self._texts, self.characters = [], [], 0

    def taken(self, most: int) -> pa.RecordBatch:
        """The first rows, in one batch."""
        pa = require_pyarrow()
        if self._values or self._texts:
            self._make()
        (whole,) = pa.Table.from_batches(self._made, self._schema).combine_chunks().to_batches()
        rest = whole.slice(most)
        self._made = [rest] if rest.num_rows else []
        self.rows = rest.num_rows
        return whole.slice(0, most)


def batch_reader(items: Iterable[Any], shape: Shape, batch_rows: int = BATCH_ROWS) -> pa.RecordBatchReader:
    """A reader of record batches, for Arrow's own tools, DuckDB and Polars."""
    pa = require_pyarrow()
    return pa.RecordBatchReader.from_batches(arrow_schema(shape), record_batches(items, shape, batch_rows))
