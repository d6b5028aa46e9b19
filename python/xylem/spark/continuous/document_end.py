"""Detects the end of a document being received: its root element is closed, or an error spoils the rest.

The search for cuts checks nothing. The text after the last cut is usually short: with the context of that cut, it is
parsed when it may be the end.
"""

from __future__ import annotations

import codecs
from enum import Enum
from xml.parsers import expat

from xylem.errors import InputError, InputPlace
from xylem.source.byte_ranges import ByteRange, CutPoint
from xylem.source.encodings import xml_encoding
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.xml_reader import read_document


class DocumentState(Enum):
    """The state of a document."""

    OPEN = "open"
    ENDED = "ended"
    BROKEN = "broken"


_TAGS_BEFORE = 8
"""Number of tags before an error that are examined for the end of a whole item."""


def document_state(context: CutPoint | None, tail: bytes) -> DocumentState:
    """The state after a tail that follows a cut point, or that is the whole input."""
    data = (context.opening if context else b"") + tail
    if not data.strip():
        return DocumentState.OPEN
    depth = root_ends = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1

    def end(name: str) -> None:
        nonlocal depth, root_ends
        depth -= 1
        root_ends += depth == 0

    try:
        parser, data = _parser(data)
        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.Parse(data, False)
    except expat.ExpatError as error:
        return DocumentState.OPEN if error.code in _NOT_ITS_BUSINESS else DocumentState.BROKEN
    except (InputError, UnicodeError):
        return DocumentState.BROKEN
    return DocumentState.ENDED if root_ends else DocumentState.OPEN


def fault_of(context: CutPoint | None, tail: bytes, source: str, limits: Limits = DEFAULT_LIMITS) -> InputError:
    """The error of a broken tail, in the words of the reader, with its place in the whole document."""
    opening = context.opening if context else b""
    try:
        read_document(opening + tail, limits=limits)
    except InputError as error:
        place = error.place
        if place is not None and context is not None:
            place = ByteRange("", context, None).located(place)
        return error.located(source, place)
    return InputError("XYIN0001", "what follows is not part of it", source=source, place=_place_after(context, tail))


def whole_before(context: CutPoint | None, tail: bytes, error: InputError) -> int:
    """How much of a broken tail holds whole items: up to the markup with the error, or the element it is in."""
    if context is None or error.place is None:
        return 0
    size = max(0, error.place.byte_offset - context.offset) + 1
    for _ in range(_TAGS_BEFORE):
        size = tail.rfind(b"<", 0, size)
        if size <= 0:
            return 0
        if is_whole(context, tail[:size]):
            return size
    return 0


def is_whole(context: CutPoint | None, tail: bytes) -> bool:
    """Whether a tail after a cut point holds whole items, so a connection that broke there lost none."""
    if context is None:
        return False
    try:
        parser, data = _parser(context.opening + tail + context.closing)
        parser.Parse(data, True)
    except (expat.ExpatError, InputError, UnicodeError):
        return False
    return True


def _parser(data: bytes) -> tuple[expat.XMLParserType, bytes]:
    """A parser for the beginning of a document, in a known encoding; XYIN0007 for an unknown one."""
    codec = xml_encoding(data)
    if codec is None:
        return expat.ParserCreate(), data
    text = codecs.getincrementaldecoder(codec)().decode(data)
    return expat.ParserCreate("utf-8"), text.encode()


def _place_after(context: CutPoint | None, tail: bytes) -> InputPlace:
    return InputPlace((context.offset if context else 0) + len(tail))


def _codes(*names: str) -> frozenset[int]:
    return frozenset(expat.errors.codes[getattr(expat.errors, name)] for name in names)


# For encodings and entities that expat does not know, others decide.
_NOT_ITS_BUSINESS = _codes("XML_ERROR_UNKNOWN_ENCODING", "XML_ERROR_UNDEFINED_ENTITY", "XML_ERROR_INCORRECT_ENCODING")
