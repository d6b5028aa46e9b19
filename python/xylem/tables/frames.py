"""Answers as data frames: Arrow's reader, pandas, Polars. Only the rows themselves are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from xylem.errors.optional_package import optional_package

from .arrow_columns import BATCH_ROWS, batch_reader
from .row_shape import answer_shape

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from xylem.query.compiled_query import CompiledQuery


def arrow_reader(query: CompiledQuery, items: Iterable[Any], batch_rows: int = BATCH_ROWS) -> pyarrow.RecordBatchReader:
    """A reader of record batches, which are made as it is read."""
    return batch_reader(items, answer_shape(query).item, batch_rows)


def pandas_frame(reader: pyarrow.RecordBatchReader) -> pandas.DataFrame:
    """All rows in a DataFrame of pandas."""
    optional_package("pandas", "frames")
    return reader.read_pandas()


def polars_frame(reader: pyarrow.RecordBatchReader) -> Any:
    """All rows in a DataFrame of Polars."""
    return optional_package("polars", "polars").from_arrow(reader.read_all())
