"""What becomes of malformed input: it stops the run, or the bad record is left out, counted, and kept elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from xylem.errors import InputError

EXCERPT_BYTES = 1 << 20
"""What is kept of one bad record: it may itself be too large to keep."""


class OnMalformed(StrEnum):
    """The policies."""

    STOP = "stop"
    """The first error ends the run, after everything that was complete before it."""
    SKIP = "skip"
    """The bad record is left out and counted."""
    DEAD_LETTER = "dead-letter"
    """It is written somewhere else too, with the place and the reason."""


@dataclass(frozen=True)
class MalformedRecord:
    """A part of an input that was left out."""

    error: InputError
    """Why; its place is in the whole input."""
    byte_offset: int
    """Where the part begins."""
    line: int | None
    size: int
    """How many bytes it has."""
    data: bytes
    """The first of them, see EXCERPT_BYTES."""
    kind: str = "record"
    """record; unclosed record (the next one is taken to begin where it fits); between records; end; file"""


@dataclass
class MalformedTally:
    """Counts what one run leaves out, and hands it on."""

    keep: Callable[[MalformedRecord], object] | None = None
    """Where records go under DEAD_LETTER."""
    close: Callable[[], object] | None = None
    """Called when the input has been read."""
    records: int = 0
    documents: int = 0
    """Inputs of which the rest was left out: unreadable, or broken outside of records."""
    size: int = 0
    """Bytes of the records."""
    codes: dict[str, int] = field(default_factory=dict)
    """How many of each error code."""

    def tell(self, record: MalformedRecord) -> None:
        """One more."""
        if record.kind == "file":
            self.documents += 1
        else:
            self.records += 1
        self.size += record.size
        self.codes[record.error.code] = self.codes.get(record.error.code, 0) + 1
        if self.keep is not None:
            self.keep(record)
