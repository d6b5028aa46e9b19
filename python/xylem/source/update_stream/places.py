"""The position of a parser that does not get the whole input: documents precede it, and parts are skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operations import Where

if TYPE_CHECKING:
    from pyexpat import XMLParserType


_CONTINUED = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 within a character."""


def characters_at_end(data: bytes, before: int = 0) -> int:
    """The number of characters in the last line of some bytes, which begin behind so many in their first line."""
    last = data.rfind(b"\n")
    characters = len(data[last + 1 :].translate(None, _CONTINUED))
    return characters if last >= 0 else before + characters


class Places:
    """Counts bytes and lines."""

    def __init__(self, origin: tuple[int, int] = (0, 0)) -> None:
        """`origin`: the bytes and lines of the input before this document."""
        self._bytes_before, self._lines_before = origin
        """Bytes and lines before the document, and skipped in it."""
        self.fed = 0
        """Number of bytes passed to the parser."""
        self._fed_lines = 0
        self._characters = 0
        """Number of characters in the last line."""
        self._fed_characters = 0
        """Number of those that the parser knows."""
        self._passed: tuple[int, int] = (-1, 0)
        """The parser's line in which something was skipped, and by how many characters its columns are too small."""

    def feed(self, data: bytes) -> None:
        """Pass some bytes to the parser."""
        self._characters = characters_at_end(data, self._characters)
        self._fed_characters = characters_at_end(data, self._fed_characters)
        self.fed += len(data)
        self._fed_lines += data.count(b"\n")

    def pass_over(self, data: bytes) -> None:
        """Some bytes are read by another reader."""
        self._characters = characters_at_end(data, self._characters)
        self._bytes_before += len(data)
        self._lines_before += data.count(b"\n")
        self._passed = self._fed_lines + 1, self._characters - self._fed_characters

    def next_document(self, byte_offset: int, line: int, column: int) -> None:
        """Another document begins, with its own parser, where this one stopped."""
        _, _, start = self.of(byte_offset, line, column)
        self._bytes_before += byte_offset
        self._lines_before += line - 1
        self._characters = start - 1
        self.fed = self._fed_lines = self._fed_characters = 0
        self._passed = (1, self._characters)

    @property
    def end(self) -> Where:
        """After everything fed and skipped."""
        return self._bytes_before + self.fed, self._lines_before + self._fed_lines + 1, self._characters + 1

    def of(self, byte_offset: int, line: int, column: int) -> Where:
        """Offset, line and column for the parser's coordinates; its columns count from 0."""
        # The parser reports -1 for empty input.
        offset = max(byte_offset, 0) + self._bytes_before
        passed_line, missing = self._passed
        return offset, line + self._lines_before, column + (missing if line == passed_line else 0) + 1

    def current(self, parser: XMLParserType) -> Where:
        return self.of(parser.CurrentByteIndex, parser.CurrentLineNumber, parser.CurrentColumnNumber)
