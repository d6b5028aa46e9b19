"""The position of a parser that does not get the whole input: documents precede it, and parts are skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operations import Where

if TYPE_CHECKING:
    from pyexpat import XMLParserType


class Places:
    """Counts bytes and lines."""

    def __init__(self, origin: tuple[int, int] = (0, 0)) -> None:
        """`origin`: the bytes and lines of the input before this document."""
        self._bytes_before, self._lines_before = origin
        """Bytes and lines before the document, and skipped in it."""
        self.fed = 0
        """Number of bytes passed to the parser."""
        self._fed_lines = 0
        self._line_start = origin[0]
        """Start of the last line."""
        self._passed: tuple[int, int] = (-1, 0)
        """The parser's line in which something was skipped, and its new start."""

    def feed(self, data: bytes) -> None:
        """Pass some bytes to the parser."""
        self._note_line(data)
        self.fed += len(data)
        self._fed_lines += data.count(b"\n")

    def pass_over(self, data: bytes) -> None:
        """Some bytes are read by another reader."""
        self._note_line(data)
        self._bytes_before += len(data)
        self._lines_before += data.count(b"\n")
        self._passed = self._fed_lines + 1, self._line_start

    def _note_line(self, data: bytes) -> None:
        last = data.rfind(b"\n")
        if last >= 0:
            self._line_start = self._bytes_before + self.fed + last + 1

    def next_document(self, byte_offset: int, line: int) -> None:
        """Another document begins, with its own parser, where this one stopped."""
        self._bytes_before += byte_offset
        self._lines_before += line - 1
        self.fed = self._fed_lines = 0
        self._passed = (-1, 0)

    @property
    def end(self) -> Where:
        """After everything fed and skipped."""
        offset = self._bytes_before + self.fed
        return offset, self._lines_before + self._fed_lines + 1, offset - self._line_start + 1

    def of(self, byte_offset: int, line: int, column: int) -> Where:
        """Offset, line and column for the parser's coordinates; its columns count from 0."""
        # The parser reports -1 for empty input.
        offset = max(byte_offset, 0) + self._bytes_before
        passed_line, start = self._passed
        return offset, line + self._lines_before, (offset - start if line == passed_line else column) + 1

    def current(self, parser: XMLParserType) -> Where:
        return self.of(parser.CurrentByteIndex, parser.CurrentLineNumber, parser.CurrentColumnNumber)
