"""A query without an input that names one itself: doc("big.xml") is read by tasks as the input would be."""

from __future__ import annotations

from contextlib import suppress

from xylem.errors import InputError
from xylem.plan.distribution import InputOf

from .inputs import InputFile, input_files
from .shipped_query import ShippedQuery


def with_named_input(query: ShippedQuery, files: list[InputFile]) -> tuple[ShippedQuery, list[InputFile]]:
    """The query and its files; where there are none, the document that it names, if that can be read.

    If it cannot, nothing is said here: whether it is an error at all is known when the query asks for it. A document
    that is given may be asked for by its name as well, as in one process.
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
