"""Rows of data frames as items: each row of a table of Arrow, pandas, Polars or DuckDB is a map.

    frame                           declare variable $frame external;  $frame[?n gt 1]?id
       id  n                        map { "id": "x", "n": 1 }, map { "id": "y", "n": 2 }
        x  1
        y  2

Rows are read by record batches, through the Arrow interface of all these libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xylem.errors.optional_package import optional_package

_STREAM, _ARRAY = "__arrow_c_stream__", "__arrow_c_array__"


def is_frame(value: Any) -> bool:
    """Whether a Python value is a table with named columns: a single column has no names."""
    has_columns = hasattr(value, "columns") or hasattr(value, "schema")
    return has_columns and (hasattr(value, _STREAM) or hasattr(value, _ARRAY))


def rows_of(frame: Any) -> Iterator[dict[str, Any]]:
    """The rows of a table one after the other, as Python values."""
    arrow = optional_package("pyarrow", "frames")
    if not hasattr(frame, _STREAM):
        batches = iter([arrow.record_batch(frame)])
    else:
        batches = iter(arrow.RecordBatchReader.from_stream(frame))
    for batch in batches:
        yield from batch.to_pylist()
