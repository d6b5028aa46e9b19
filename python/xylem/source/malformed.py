"""The treatment of malformed input: it stops the run, or the bad record is skipped, counted, and stored elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from xylem.errors import InputError

EXCERPT_BYTES = 1 << 20
"""The kept excerpt of a bad record, which may itself be too large to keep."""


class OnMalformed(StrEnum):
    """The policies."""

    STOP = "stop"
    """The first error ends the run, after everything complete before it."""
    SKIP = "skip"
    """The bad record is skipped and counted."""
    DEAD_LETTER = "dead-letter"
    """The bad record is also written elsewhere, with the place and the reason."""


@dataclass(frozen=True)
class MalformedRecord:
    """A skipped part of an input."""

    error: InputError
    """The reason; its place is in the whole input."""
    byte_offset: int
    """Its offset."""
    line: int | None
    size: int
    """Its number of bytes."""
    data: bytes
    """Its first bytes, see EXCERPT_BYTES."""
    kind: str = "record"
    """record; unclosed record (the next one begins at the first fitting place); between records; end; file."""


@dataclass
class MalformedTally:
    """Counts the skipped parts of a run, and passes them on."""

    keep: Callable[[MalformedRecord], object] | None = None
    """Receives records under DEAD_LETTER."""
    close: Callable[[], object] | None = None
    """Called when the input has been read."""
    records: int = 0
    documents: int = 0
    """Inputs whose rest was skipped: unreadable, or broken outside records."""
    size: int = 0
    """Bytes of the records."""
    codes: dict[str, int] = field(default_factory=dict)
    """Counts by error code."""

    def tell(self, record: MalformedRecord) -> None:
        """Count one more."""
        if record.kind == "file":
            self.documents += 1
        else:
            self.records += 1
        self.size += record.size
        self.codes[record.error.code] = self.codes.get(record.error.code, 0) + 1
        if self.keep is not None:
            self.keep(record)
