"""An error of a task on its way to the driver, where it is raised as if it had happened there.

A task does not fail because a query or its input has an error: Spark would run it again, three times, and print the
stacks of two languages. It returns the error as its last outcome instead, and the driver raises it when the answer has
been written up to that place.
"""

from __future__ import annotations

import pickle
import re

from xylem.errors import DynamicError, EngineBug, InputError, StaticError, SyntaxFault, XylemError
from xylem.errors.catalogue import CATALOGUE
from xylem.errors.source_text import SourceText, Span

_TOLD = re.compile(r"^\s*xylem\.errors\.error\.(\w+): ([A-Z]{4}\d{4})(?: at [^:\n]+:\d+:\d+)?: (.*)$", re.MULTILINE)
_CLASSES = {kind.__name__: kind for kind in (DynamicError, EngineBug, InputError, StaticError, SyntaxFault, XylemError)}


def carried(error: Exception, text: str) -> bytes:
    """The error as bytes; any exception that is not one of ours is a bug of ours."""
    if not isinstance(error, XylemError):
        error = EngineBug("XYBUG0001", f"{type(error).__name__}: {error}")
    span = error.span
    # Numbers describe a span in the query itself; a span in a library module needs the text, too.
    place = None if span is None else (span.source.name, "" if span.source.text == text else span.source.text)
    offsets = None if span is None else (span.start, span.end)
    return pickle.dumps((type(error).__name__, error.code, error.why, error.hint, place, offsets, error.notes))


def told_in(text: str) -> XylemError | None:
    """Our error inside the text of a Spark error, which ends with it after a stack trace."""
    for kind, code, message in reversed(_TOLD.findall(text)):
        title = CATALOGUE[code].title if code in CATALOGUE else ""
        return _CLASSES.get(kind, DynamicError)(code, message.removeprefix(title).removeprefix(": "))
    return None


def arrived(data: bytes, text: str) -> XylemError:
    """The error restored, and placed in the text of the query."""
    kind, code, why, hint, place, offsets, notes = pickle.loads(data)
    error: XylemError = _CLASSES.get(kind, DynamicError)(code, why, hint=hint)
    for note in notes:
        error.add_note(note)
    if place is not None:
        name, other_text = place
        error.span = Span(offsets[0], offsets[1], SourceText(other_text or text, name))
    return error
