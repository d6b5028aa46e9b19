"""A query whose answer is wanted as a table: the scan is asked for the rows themselves, where it can write them."""

from __future__ import annotations

from dataclasses import replace

from xylem.query.compiled_query import CompiledQuery

from .row_shape import answer_shape
from .text_columns import wanted_columns


def for_tables(query: CompiledQuery) -> CompiledQuery:
    """The query with the columns it is asked for; itself where the scan could not give them."""
    return query.once("for tables", _for_tables)


def _for_tables(query: CompiledQuery) -> CompiledQuery:
    columns = wanted_columns(answer_shape(query).item)
    return query if columns is None else CompiledQuery(query.text, replace(query.environment, columns=columns))
