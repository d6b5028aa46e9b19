"""Whether a document that is being received has ended: its root element closed, or an error that spoils the rest.

Looking for cuts checks nothing. What came after the last cut, behind the context of that cut, is short as a rule: it is
handed to a parser when there is reason to think that it might be the end.
"""

from __future__ import annotations

from enum import Enum
from xml.parsers import expat

from xylem.source.byte_ranges import CutPoint


class DocumentState(Enum):
    """How far a document is."""

    OPEN = "open"
    ENDED = "ended"
    BROKEN = "broken"


def document_state(context: CutPoint | None, tail: bytes) -> tuple[DocumentState, str]:
    """The state after a tail that follows a cut point, or that is all there is; and what is wrong, if anything."""
    data = (context.opening if context else b"") + tail
    if not data.strip():
        return DocumentState.OPEN, ""
    parser = expat.ParserCreate()
    depth = root_ends = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1

    def end(name: str) -> None:
        nonlocal depth, root_ends
        depth -= 1
        root_ends += depth == 0

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(data, False)
    except expat.ExpatError as error:
        if error.code in _NOT_ITS_BUSINESS:
            return DocumentState.OPEN, ""
        return DocumentState.BROKEN, expat.ErrorString(error.code)
    return (DocumentState.ENDED if root_ends else DocumentState.OPEN), ""


def is_whole(context: CutPoint | None, tail: bytes) -> bool:
    """Whether a tail after a cut point holds whole items, so that a connection that broke there lost none."""
    if context is None:
        return False
    parser = expat.ParserCreate()
    try:
        parser.Parse(context.opening + tail + context.closing, True)
    except expat.ExpatError:
        return False
    return True


def _codes(*names: str) -> frozenset[int]:
    return frozenset(expat.errors.codes[getattr(expat.errors, name)] for name in names)


# Encodings that expat does not know, and entities it was not told of: others decide.
_NOT_ITS_BUSINESS = _codes("XML_ERROR_UNKNOWN_ENCODING", "XML_ERROR_UNDEFINED_ENTITY", "XML_ERROR_INCORRECT_ENCODING")
