"""A place in an input."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InputPlace:
    """A place in an input, for messages and for programs."""

    byte_offset: int
    line: int | None = None
    """From 1."""
    column: int | None = None
    """In characters, from 1."""
    path: str = ""
    """The open elements there: `/site/people/person`."""

    def __str__(self) -> str:
        """The end of a sentence."""
        byte = f"byte {self.byte_offset}"
        column = "" if self.column is None else f", column {self.column}"
        place = byte if self.line is None else f"line {self.line}{column} ({byte})"
        return f", at {place}{f', in {self.path}' if self.path else ''}"
