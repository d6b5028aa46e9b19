"""The text of a query, and spans in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


class SourceText:
    """One query text with its name; turns offsets into lines and columns (both 1-based)."""

    __slots__ = ("_starts", "name", "text")

    def __init__(self, text: str, name: str = "query") -> None:
        self.text = text
        self.name = name
        self._starts: list[int] | None = None

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        if self._starts is None:
            self._starts = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, without its line end."""
        lines = self.text.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of offsets in a source text."""

    start: int
    end: int
    source: SourceText = field(repr=False)

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of the other."""
        return Span(self.start, max(self.end, other.end), self.source)

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]


NOWHERE = Span(0, 0, SourceText("", "built in"))
