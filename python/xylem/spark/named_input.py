"""A query without an input that names one itself: tasks read doc("big.xml") as if it were the input."""

from __future__ import annotations

from contextlib import suppress

from xylem.errors import InputError
from xylem.plan.distribution import InputOf

from .inputs import InputFile, input_files
from .shipped_query import ShippedQuery


def with_named_input(query: ShippedQuery, files: list[InputFile]) -> tuple[ShippedQuery, list[InputFile]]:
    """The query and its files; if there are none, the document that it names, if that can be read.

    An unreadable document is no error here: that is known when the query reads it. A given document may also be read by
    its name, as in one process.
    """
    if files:
        return (query if len(files) > 1 else query.allowing(files[0].path)), files
    reading = query.with_input(InputOf.NAMED)
    program = reading.program()
    uri = program.named_document
    if uri is not None and program.distribution.is_parallel:
        with suppress(InputError):
            return reading, input_files(query.options()["resources"].places.path(uri, "FODC0002"))
    return query.with_input(InputOf.NOTHING), []
