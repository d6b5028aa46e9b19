"""Answers in Arrow's columns: record batches made as items come, so that memory holds one batch at a time.

    reader = xylem.compile("//book ! map { 'title': string(title), 'year': xs:integer(@year) }").to_arrow("books.xml")
    for batch in reader: …              # or reader.read_all(), duckdb.from_arrow(reader), polars.from_arrow(…)

Types are those of `row_shape.py`: what the query says of a value, else text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from xylem.errors.optional_package import optional_package
from xylem.values import atomic_type as at

from .item_values import VALUE, row_of
from .row_shape import Many, Record, Shape

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 16_384


def require_pyarrow() -> Any:
    """Arrow's module; XYIN0011 where it is missing."""
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
    """The rows of items, some thousands at a time."""
    pa = require_pyarrow()
    schema, row = arrow_schema(shape), row_of(shape)
    rest = iter(items)
    while rows := [row(item) for item in islice(rest, batch_rows)]:
        columns = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def batch_reader(items: Iterable[Any], shape: Shape, batch_rows: int = BATCH_ROWS) -> pa.RecordBatchReader:
    """A reader of record batches, which Arrow's own tools, DuckDB and Polars take."""
    pa = require_pyarrow()
    return pa.RecordBatchReader.from_batches(arrow_schema(shape), record_batches(items, shape, batch_rows))
