"""Parts of one document that are documents themselves: the input of a task on Spark, or of a continued run. A document
is split before an element that a *scope* selects, never inside one; if such elements are far apart, also between them.
A cut point carries its exact context: the prolog (encoding, entities) and the start tags of the open elements, with
attributes and namespaces. The bytes from one cut point to the next, between the context of the first and the end tags
of the second, are well formed:

    opening of the first + bytes + closing of the second

so that a range is scanned by the ordinary scanner and has every item of the scope once, with its true ancestors.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path

from xylem.errors import InputError, InputPlace

from .encodings import declared_encoding, known_codec

FIRST_CHUNK_BYTES = 1 << 16
"""Small, so that first results come early."""
CHUNK_BYTES = 1 << 20
_LONGEST_LINE = 1 << 20
_LINE_END = re.compile(r"\r\n?|\n")
_STARTS = (
    *((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"), (b"<\0\0\0", "utf-32-le")),
    *((b"\0\0\0<", "utf-32-be"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    *((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"), (codecs.BOM_UTF8, "utf-8")),
)
"""How documents begin that need not name their encoding."""

PathStep = tuple[str, str | None, str | None]
"""Axis (child or descendant), namespace URI, local name; None fits any."""
Scope = tuple[PathStep, ...]
"""The path from the document node to the elements before which a document may be cut."""

NOWHERE: Scope = (("descendant", "urn:xylem:nowhere", "nothing"),)
"""A path that selects nothing: a document that is cut everywhere is then cut between any two tags."""


@dataclass(frozen=True)
class CutPoint:
    """A place in a document where it may be cut."""

    offset: int
    """In bytes of the input, after decompression."""
    line: int
    """The line of this place, from 1."""
    opening: bytes
    """The text that turns the part after it into a document: declaration and DOCTYPE as needed, start tags of the open
    elements.
    """
    closing: bytes
    """The text that turns the part before it into a document: the end tags of the open elements."""
    is_before_item: bool = True
    """Whether it is before an item, or between distant items."""


@dataclass(frozen=True)
class ByteRange:
    """The bytes of a file from one cut point to another; None is the beginning or the end of the file."""

    path: str
    start: CutPoint | None = None
    end: CutPoint | None = None

    @property
    def opening(self) -> bytes:
        """The text read before the bytes of the file."""
        return b"" if self.start is None else self.start.opening

    @property
    def closing(self) -> bytes:
        """The text read after them."""
        return b"" if self.end is None else self.end.closing

    @property
    def around(self) -> ByteRange | None:
        """The elements open at its beginning, without content; None at the beginning of the file."""
        return None if self.start is None else ByteRange(self.path, self.start, self.start)

    @property
    def size(self) -> int:
        """Number of bytes to read, including opening and closing. XYIN0002: the file is missing."""
        return len(self.opening) + self._end_offset() - self._start_offset() + len(self.closing)

    def chunks(self) -> Iterator[bytes]:
        """The part as a separate document; XYIN0002 if the file cannot be read, or has become shorter."""
        if self.start is not None:
            yield self.opening
        left = None if self.end is None else self.end.offset - self._start_offset()
        try:
            with Path(self.path).open("rb", buffering=0) as file:
                file.seek(self._start_offset())
                wanted = FIRST_CHUNK_BYTES
                while chunk := file.read(wanted if left is None else min(wanted, left)):
                    yield chunk
                    left = None if left is None else left - len(chunk)
                    wanted = CHUNK_BYTES
        except OSError as error:
            raise InputError("XYIN0002", error.strerror or str(error), source=self.path) from error
        if left:
            raise InputError("XYIN0002", "the file became shorter after it was divided", source=self.path)
        if self.end is not None:
            yield self.closing

    def located(self, place: InputPlace) -> InputPlace:
        """A place of the part as a place in the file."""
        if self.start is None:
            return place
        before = len(self.opening)
        offset = self.start.offset + max(place.byte_offset - before, 0)
        if place.line is None:
            return replace(place, byte_offset=offset)
        line = self.start.line + max(place.line - 1 - _line_ends(self.opening), 0)
        column = place.column if line > self.start.line else self._column(offset)
        return replace(place, byte_offset=offset, line=line, column=column)

    def _start_offset(self) -> int:
        return 0 if self.start is None else self.start.offset

    def _end_offset(self) -> int:
        if self.end is not None:
            return self.end.offset
        try:
            return Path(self.path).stat().st_size
        except OSError as error:
            raise InputError("XYIN0002", error.strerror or str(error), source=self.path) from error

    def _column(self, offset: int) -> int | None:
        """The column of an offset in its line; None if the line is too long, or not text."""
        first = max(offset - _LONGEST_LINE, 0)
        try:
            with Path(self.path).open("rb", buffering=0) as file:
                file.seek(first)
                text = _text(file.read(offset - first), self.opening)
            line = re.split(r"[\r\n]", text)[-1]
            is_whole = len(line) < len(text) or first == 0
            return len(line.removeprefix("\ufeff")) + 1 if is_whole else None
        except (OSError, UnicodeDecodeError, LookupError):
            return None


def ranges(path: str | PathLike[str], cuts: Sequence[CutPoint]) -> list[ByteRange]:
    """The parts of a file between its cut points, in order; the whole file if there are none."""
    borders = [None, *cuts, None]
    return [ByteRange(fspath(path), start, end) for start, end in pairwise(borders)]


def _line_ends(opening: bytes) -> int:
    return len(_LINE_END.findall(_text(opening, opening, "replace")))


def _text(data: bytes, opening: bytes, errors: str = "strict") -> str:
    """Bytes of a document as text, in the encoding that its opening tells."""
    shown = (codec for start, codec in _STARTS if opening.startswith(start))
    return data.decode(next(shown, None) or known_codec(declared_encoding(opening) or "utf-8"), errors)
