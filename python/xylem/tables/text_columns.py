"""Columns of texts that the scan has written, as Arrow arrays and as CSV cells.

The scan has checked every text: it has the type of its column, in the one form that all readers here accept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from xylem.errors.optional_package import optional_package
from xylem.plan.result_template import END_OF_CELL, END_OF_MEMBER, NULL, Column
from xylem.values import atomic_type as at

from .item_values import VALUE
from .row_shape import Many, Record, Scalar, Shape

if TYPE_CHECKING:
    import pyarrow as pa

Texts = Sequence[str | None]
_READINGS: tuple[tuple[at.AtomicType, str, int], ...] = (
    (at.STRING, "text", 64),
    (at.UNTYPED_ATOMIC, "text", 64),
    (at.INTEGER, "integer", 64),
    (at.LONG, "integer", 64),
    (at.INT, "integer", 32),
    (at.SHORT, "integer", 16),
    (at.BYTE, "integer", 8),
    (at.DOUBLE, "double", 64),
    (at.NUMERIC, "double", 64),
    (at.ANY_ATOMIC, "text", 64),
    (at.DATE, "date", 64),
    (at.DATE_TIME, "dateTime", 64),
    (at.BOOLEAN, "boolean", 64),
)
_VALUES: dict[str, Callable[[str], Any]] = {
    "text": str,
    "integer": int,
    "double": float,
    "decimal": Decimal,
    "date": date.fromisoformat,
    "dateTime": datetime.fromisoformat,
    "boolean": "true".__eq__,
}
_WRITTEN_AS_THEY_ARE = frozenset({"text", "integer", "date", "boolean"})


def wanted_columns(shape: Shape) -> tuple[Column, ...] | None:
    """The columns for the scan, for rows of a shape; None if it cannot write them."""
    columns = (
        [_wanted(field.name, field.shape) for field in shape.fields]
        if isinstance(shape, Record)
        else [_wanted(VALUE, shape)]
    )
    found = tuple(column for column in columns if column is not None)
    return found if len(found) == len(columns) else None


def _wanted(name: str, shape: Shape) -> Column | None:
    of = shape.of if isinstance(shape, Many) else shape
    if not isinstance(of, Scalar):
        return None
    if of.type is at.DECIMAL and of.digits == Scalar().digits:
        return Column(name, "decimal", is_list=isinstance(shape, Many))
    for type_, reading, bits in _READINGS:
        if of.type is type_:
            return Column(name, reading, bits, isinstance(shape, Many))
    return None


def arrow_arrays(text: str, columns: Sequence[Column], wanted: Iterable[pa.DataType]) -> list[pa.Array]:
    """The columns of rows of text: cut apart and read by Arrow itself, without a Python value for any cell."""
    pa = optional_package("pyarrow", "frames")
    from pyarrow import compute

    cells = compute.split_pattern(pa.array([text], pa.string()), END_OF_CELL).values
    # Every cell ends with the mark, so that an empty text follows the last one.
    cells = cells.slice(0, len(cells) - 1)
    if NULL in text:
        cells = compute.if_else(compute.equal(cells, NULL), pa.scalar(None, pa.string()), cells)
    rows = pa.FixedSizeListArray.from_arrays(cells, len(columns))
    found = (compute.list_element(rows, number) for number in range(len(columns)))
    return [_arrow_array(texts, column, type_) for texts, column, type_ in zip(found, columns, wanted, strict=True)]


def _arrow_array(texts: pa.StringArray, column: Column, wanted: pa.DataType) -> pa.Array:
    pa = optional_package("pyarrow", "frames")
    if not column.is_list:
        return texts if wanted == texts.type else texts.cast(wanted)
    members: list[str] = []
    ends = [0]
    for text in texts.to_pylist():
        if text:
            members += text.split(END_OF_MEMBER)
            members.pop()
        ends.append(len(members))
    values = pa.array(members, pa.string())
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values.cast(wanted.value_type), type=wanted)


def cell_texts(texts: Texts, column: Column, write: Callable[[Any], str]) -> Texts:
    """The cells of a column as `write` writes its values; None for null."""
    if not column.is_list and column.reading in _WRITTEN_AS_THEY_ARE:
        return texts
    value = _VALUES[column.reading]
    if not column.is_list:
        return [None if text is None else write(value(text)) for text in texts]
    return [write(list(map(value, (text or "").split(END_OF_MEMBER)[:-1]))) for text in texts]
