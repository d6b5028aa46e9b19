"""A query whose answer is a table: the scan writes the rows itself if it can."""

from __future__ import annotations

from dataclasses import replace

from xylem.query.compiled_query import CompiledQuery

from .row_shape import answer_shape
from .text_columns import wanted_columns


def for_tables(query: CompiledQuery) -> CompiledQuery:
    """The query with its columns for the scan; the query itself if the scan cannot write them."""
    return query.once("for tables", _for_tables)


def _for_tables(query: CompiledQuery) -> CompiledQuery:
    columns = wanted_columns(answer_shape(query).item)
    return query if columns is None else CompiledQuery(query.text, replace(query.environment, columns=columns))
