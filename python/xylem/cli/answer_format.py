"""`--format`: the answer as lines, JSON lines, CSV, a table, Parquet, or XML."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common_options import OUTPUT

if TYPE_CHECKING:
    from xylem.query.compiled_query import CompiledQuery

    from .result_output import ResultOutput


class AnswerFormat(StrEnum):
    """The formats of an answer."""

    LINES = "lines"
    JSONL = "jsonl"
    CSV = "csv"
    TABLE = "table"
    PARQUET = "parquet"
    XML = "xml"


TABLES = frozenset({AnswerFormat.CSV, AnswerFormat.TABLE, AnswerFormat.PARQUET})
"""The formats with rows, which the scan may write."""
Format = Annotated[
    AnswerFormat | None,
    typer.Option(
        "--format",
        help="Write the result as one item per line, JSON lines, CSV, a table, a Parquet file, or as XML. Maps and "
        "flat elements have a column for each of their values. The default is XML; on a terminal each item has its "
        "own line.",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
]


def checked_format(chosen: AnswerFormat | None, parameters: Iterable[str], output: Path | None) -> AnswerFormat | None:
    """The format, None for that of the query; BadParameter if it contradicts other options."""
    if chosen is None or chosen is AnswerFormat.XML:
        return None
    if list(parameters):
        why = f"serialization parameters are for the XML of a result, not for {chosen.value}"
        raise typer.BadParameter(why, param_hint="--output-param")
    if chosen is AnswerFormat.PARQUET and output is None and sys.stdout.isatty():
        raise typer.BadParameter("a Parquet file is binary: name it with -o FILE", param_hint="--format")
    return chosen


def with_method(chosen: AnswerFormat | None, parameters: Sequence[str]) -> Sequence[str]:
    """`--format xml` names the method, so that a map is an error and not written in another form."""
    return ["method=xml", *parameters] if chosen is AnswerFormat.XML else parameters


def write_items(items: Iterable[Any], query: CompiledQuery, chosen: AnswerFormat, output: ResultOutput) -> None:
    """Write items in a format, each as soon as it is computed."""
    from xylem.tables.formats import WRITERS, write_parquet
    from xylem.tables.row_shape import answer_shape

    shape = answer_shape(query).item
    rows = iter(items)
    first = list(islice(rows, 1))
    output.has_items = bool(first)
    if chosen is AnswerFormat.PARQUET:
        write_parquet(chain(first, rows), shape, output.file)
    else:
        WRITERS[chosen.value](chain(first, rows), shape, output.write)


def separate_lines(parameters: dict[str, Any], declared: Mapping[str, str], output: Path | None) -> dict[str, Any]:
    """Serialization parameters that put each item on its own line, where people read the result on a terminal."""
    if output is not None or not sys.stdout.isatty() or "item-separator" in {*parameters, *declared}:
        return parameters
    return {**parameters, "item-separator": "\n"}
