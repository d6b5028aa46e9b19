"""Answers to messages that the scan writes while it reads them: a column of Arrow is made of their text.

    xs:decimal(/order/total), //item/string()      rows of one cell for each item (`tables/text_columns.py`)
    serialize(for $o in /order return <r>…</r>)    the text itself

Gain:   a message needs no tree, no code and no Python value.
Needs:  the whole query is a template of the document (`lowering/stream/document_template.py`); its values have a type
        that a column of text can be read as.
Safe:   the program answers messages that the template cannot decide, or that cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from xylem.functions.registry import FN
from xylem.plan.result_template import Column, Template
from xylem.query.compiled_query import CompiledQuery
from xylem.source.message_reader import Written
from xylem.syntax import ast, parse, print_query
from xylem.tables.row_shape import Many, Scalar, Shape
from xylem.tables.table_query import for_tables
from xylem.tables.text_columns import arrow_arrays, wanted_columns

_READINGS = ("text", "integer", "double", "decimal", "boolean")


@dataclass(frozen=True)
class WrittenAnswers:
    """The template of a query, and the conversion of its text."""

    template: Template
    columns: tuple[Column, ...] = ()
    """The column of a row; none if the text is the answer."""
    are_many: bool = False

    def fits(self, written: Written) -> bool:
        """Whether an answer fits the column: several values where one is expected are an error of the query."""
        return not self.columns or self.are_many or written[1] <= 1

    def array(self, answers: Sequence[Written], wanted: Any) -> Any:
        """The answers as an array of Arrow."""
        import pyarrow as pa

        if not self.columns:
            return pa.array([text for text, _ in answers], wanted)
        value_type = wanted.value_type if self.are_many else wanted
        texts = "".join([text for text, _ in answers])
        (values,) = arrow_arrays(texts, self.columns, [value_type]) if texts else [pa.array([], value_type)]
        if self.are_many:
            ends = [0]
            for _, items in answers:
                ends.append(ends[-1] + items)
            return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values, type=wanted)
        if len(values) == len(answers):
            return values
        numbers = iter(range(len(values)))
        return values.take(pa.array([next(numbers) if items else None for _, items in answers], pa.int32()))


def written_answers(query: CompiledQuery, shape: Shape) -> WrittenAnswers | None:
    """How the scan writes the answers to a query with a given shape; None if it cannot."""
    if query.program.output:
        return None
    text = _serialized(query)
    if text is not None:
        return text
    are_many = isinstance(shape, Many)
    item = shape.of if isinstance(shape, Many) else shape
    columns = wanted_columns(item) if isinstance(item, Scalar) else None
    if columns is None or columns[0].reading not in _READINGS:
        return None
    found = for_tables(query).document_rows()
    return None if found is None else WrittenAnswers(found, columns, are_many)


def _serialized(query: CompiledQuery) -> WrittenAnswers | None:
    """serialize(E): the text that the scan writes for E."""
    match query.resolved:
        case ast.MainModule(body=ast.FunctionCall(name=name, arguments=(_,))) if name.expanded == (FN, "serialize"):
            module = parse(query.text)
            assert isinstance(module, ast.MainModule)
            assert isinstance(module.body, ast.FunctionCall)
            inner = print_query(replace(module, body=module.body.arguments[0]))
            found = CompiledQuery(inner, query.environment).document_template()
            return None if found is None else WrittenAnswers(found)
    return None
