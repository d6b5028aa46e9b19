"""Name the part of the input that a task was reading when a query failed: the first question if there are many files.

An error in the input already names its place. An error in the query names the place in the query, and a note adds the
place in the input.
"""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from xylem.errors import InputError, XylemError
from xylem.source.byte_ranges import ByteRange
from xylem.source.byte_source import ByteSource
from xylem.source.message_inputs import MessageSource


def noted(error: XylemError, source: Any) -> XylemError:
    """The error with a note that names its input, if it has no such note and the input has a name."""
    place = source_place(source)
    if place is not None and not isinstance(error, InputError) and not getattr(error, "__notes__", None):
        error.add_note(f"while reading {place}")
    return error


def source_place(source: Any) -> str | None:
    """A file with its byte range; None for an unnamed source."""
    if isinstance(source, ByteRange):
        if source.start is None and source.end is None:
            return source.path
        first = 0 if source.start is None else source.start.offset
        return f"{source.path}, bytes {first} to {'the end' if source.end is None else source.end.offset}"
    if isinstance(source, MessageSource):
        return source.name
    if isinstance(source, ByteSource):
        return source.name or None
    return fspath(source) if isinstance(source, (str, PathLike)) else None
