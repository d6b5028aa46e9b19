"""Streams of several documents, one after another: messages on a socket, a log of events, files put together.

    for document in split_documents(chunks):
        …                                    # document.data is read alone; document.offset says where it was

**Borders.** A document ends with its root element, and is passed on with its last byte. Between two documents there may
be white space and the mark `]]>]]>` of NETCONF (RFC 4742 §3.1). Comments and processing instructions there go with the
second document, or with none if that begins with an XML declaration. With `Framing.MARK` only the mark separates
documents, whatever they contain, as in that protocol: a broken document ends with its message.

**Broken documents.** Documents are separated by their tags, not checked. A document without an end is reported as
incomplete when the next XML declaration shows that another one has begun, or when the stream ends; so is a single end
tag. Reading it raises the error, and the documents after it are not affected.

**Encodings** may differ from one document to the next; those that do not contain ASCII (UTF-16) cannot be told apart
in a stream: XYIN0007.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from xylem.errors import InputError, InputPlace

from .limits import DEFAULT_LIMITS, Limits


class Framing(StrEnum):
    """The separator of two documents."""

    ELEMENTS = "elements"
    """The end of the root element."""
    MARK = "mark"
    """`]]>]]>`, wherever it occurs."""


@dataclass(frozen=True)
class StreamedDocument:
    """One document of a stream."""

    offset: int
    """Its offset in the stream, in bytes."""
    line: int
    """Its first line, from 1."""
    data: bytes
    is_complete: bool
    """Whether its root element ends, as far as tags show; with `Framing.MARK`, whether its mark has arrived."""

    def located(self, place: InputPlace) -> InputPlace:
        """A place of the document as a place in the stream."""
        if place.line is None:
            return InputPlace(self.offset + place.byte_offset, path=place.path)
        column = place.column if place.line > 1 else None
        return InputPlace(self.offset + place.byte_offset, self.line + place.line - 1, column, place.path)


class DocumentSplitter:
    """The documents of a stream whose bytes come in pieces of any size.

    Holds: the current document, up to `limits.item_bytes`; XYIN0004 for a longer one. Order: that of the stream, each
    document when its last byte has arrived.
    """

    def __init__(
        self, framing: Framing = Framing.ELEMENTS, *, limits: Limits = DEFAULT_LIMITS, scanner: str = "auto"
    ) -> None:
        from .cut_points import uses_kernel

        self._limits = limits
        by_mark = framing is Framing.MARK
        if uses_kernel(scanner):
            from .kernel import DocumentSplitter as splitter_class
        else:
            from .document_stream_in_python import (  # type: ignore[assignment]  # the same methods
                DocumentSplitter as splitter_class,
            )
        self._splitter = splitter_class(by_mark)
        self._fed = 0

    def feed(self, data: bytes) -> list[StreamedDocument]:
        """Examine more of the stream; return the documents it completes."""
        self._fed += len(data)
        found = self._splitter.feed(data)
        held = self._splitter.held
        place = InputPlace(self._fed - held)
        if found is None:
            why = "documents one after another in an encoding that does not contain ASCII"
            raise InputError("XYIN0007", why, place=place)
        if held > self._limits.item_bytes:
            why = f"item bytes: a document of more than {held} where {self._limits.item_bytes} are allowed"
            raise InputError("XYIN0004", why, place=place)
        return [StreamedDocument(*document) for document in found]

    def finish(self) -> StreamedDocument | None:
        """The end of the stream; return the incomplete document, if any."""
        rest = self._splitter.finish()
        return None if rest is None else StreamedDocument(*rest)


def split_documents(
    chunks: Iterable[bytes],
    framing: Framing = Framing.ELEMENTS,
    *,
    limits: Limits = DEFAULT_LIMITS,
    scanner: str = "auto",
) -> Iterator[StreamedDocument]:
    """The documents of a stream, each as soon as it is complete."""
    splitter = DocumentSplitter(framing, limits=limits, scanner=scanner)
    for chunk in chunks:
        yield from splitter.feed(chunk)
    rest = splitter.finish()
    if rest is not None:
        yield rest
