"""The formats of an answer that are tables: JSON lines, CSV, Parquet, a table for people. One item is one row.

Each writer takes items as they arrive and writes bytes; none keeps more than a batch. Maps with literal keys and flat
elements have their own columns (`row_shape.py`), anything else has one, `value`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import chain, islice
from typing import IO, Any

from xylem.run.stream.row_text import RowText
from xylem.values.array import XArray
from xylem.values.map import XMap
from xylem.values.node import Node

from .item_values import VALUE, row_of, text_of
from .row_shape import Record, Shape
from .text_columns import cell_texts, wanted_columns

Write = Callable[[bytes], object]
WIDEST_COLUMN = 60
ROWS_MEASURED = 500
"""The first rows determine the widths of a table for people; it does not wait for the others."""


def write_lines(items: Iterable[Any], shape: Shape, write: Write) -> None:
    """One item per line. Line breaks inside an element are written as `&#10;`, which means the same."""
    for item in items:
        text = text_of(item)
        write((text.replace("\n", "&#10;") if isinstance(item, Node) else text).encode() + b"\n")


def write_json_lines(items: Iterable[Any], shape: Shape, write: Write) -> None:
    """One JSON value per line: objects for maps and flat elements, else the value alone."""
    row = row_of(shape) if isinstance(shape, Record) else None
    for item in items:
        write(f"{_json_line(item, row)}\n".encode())


def _json_line(item: Any, row: Callable[[Any], dict[str, Any]] | None) -> str:
    if isinstance(item, (XMap, XArray)):
        # XQuery's own JSON: values of any depth, and numbers with all their digits.
        from xylem.sink.json_output import json_line

        return json_line(item)
    if row is not None:
        return json.dumps(row(item), ensure_ascii=False, default=_plain)
    if isinstance(item, (bool, int, Decimal)):
        return str(item).lower() if isinstance(item, bool) else str(item)
    if isinstance(item, float) and item - item == 0:
        return repr(item)
    return json.dumps(text_of(item), ensure_ascii=False)


def write_csv(items: Iterable[Any], shape: Shape, write: Write) -> None:
    """Comma-separated values with a header (RFC 4180, UTF-8). Lists and structures are JSON."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(_columns(shape))
    write(_taken(text))
    for rows in _rows_of_cells(items, shape):
        lines.writerows(rows)
        write(_taken(text))


def _rows_of_cells(items: Iterable[Any], shape: Shape) -> Iterator[Iterable[Sequence[str | None]]]:
    """The cells of rows as texts: those of one item, or of as many as the scan has written at once."""
    row, columns = row_of(shape), wanted_columns(shape) or ()
    for item in items:
        if isinstance(item, RowText):
            written = zip(item.columns(), columns, strict=True)
            yield zip(*(cell_texts(texts, column, cell) for texts, column in written), strict=True)
        else:
            yield ([cell(value) for value in row(item).values()],)


def _taken(text: io.StringIO) -> bytes:
    data = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return data


def write_table(items: Iterable[Any], shape: Shape, write: Write) -> None:
    """Aligned columns for people. Long values are cut, with `…`."""
    from rich.cells import cell_len, set_cell_size

    names = _columns(shape)
    rows = ([_one_line(text or "") for text in row] for several in _rows_of_cells(items, shape) for row in several)
    first = list(islice(rows, ROWS_MEASURED))
    widths = [min(WIDEST_COLUMN, max(map(cell_len, column))) for column in zip(names, *first, strict=True)]

    def line(cells: Iterable[str]) -> bytes:
        shown = (
            set_cell_size(f"{set_cell_size(cell, width - 1)}…" if cell_len(cell) > width else cell, width)
            for cell, width in zip(cells, widths, strict=True)
        )
        return ("  ".join(shown).rstrip() + "\n").encode()

    write(line(names))
    write(line("─" * width for width in widths))
    for cells in chain(first, rows):
        write(line(cells))


def write_parquet(items: Iterable[Any], shape: Shape, file: IO[bytes]) -> None:
    """A Parquet file, in row groups of some thousand rows."""
    from .arrow_columns import arrow_schema, record_batches, require_pyarrow

    require_pyarrow()
    from pyarrow.parquet import ParquetWriter

    with ParquetWriter(file, arrow_schema(shape)) as writer:
        for batch in record_batches(items, shape):
            writer.write_batch(batch)


def _columns(shape: Shape) -> list[str]:
    return [field.name for field in shape.fields] if isinstance(shape, Record) else [VALUE]


def cell(value: Any) -> str:
    """A value as text: nothing for null, JSON for lists and structures."""
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return str(_plain(value)) if not isinstance(value, bool) else str(value).lower()


def _plain(value: Any) -> Any:
    """A value without a JSON type, as its XML text."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return value


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


WRITERS: dict[str, Callable[[Iterable[Any], Shape, Write], None]] = {
    "lines": write_lines,
    "jsonl": write_json_lines,
    "csv": write_csv,
    "table": write_table,
}

