"""Where a result is written: standard output, or a file; and how it ends when there is no place left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from xylem.errors import InputError

from .failures import abandon_standard_output

if TYPE_CHECKING:
    from .progress_line import ProgressLine


BEGINNING_BYTES = 200


class ResultOutput:
    """Takes the bytes of one result."""

    def __init__(self, file: IO[bytes], name: str, progress: ProgressLine | None = None) -> None:
        self.file = file
        self._name = name
        self._shares_terminal = progress if progress is not None and file.isatty() else None
        self.last = b""
        """The last byte written."""
        self.beginning = b""
        """The first bytes written."""
        self.written_bytes = 0

    def write(self, data: bytes) -> None:
        if not data:
            return
        if self._shares_terminal is not None:
            self._shares_terminal.make_room(data[-1:] == b"\n")
        self.file.write(data)
        self.last = data[-1:]
        if self.written_bytes < BEGINNING_BYTES:
            self.beginning += data[: BEGINNING_BYTES - self.written_bytes]
        self.written_bytes += len(data)

    def flush(self) -> None:
        """Hand over what was written: somebody may be waiting for it."""
        self.file.flush()


@contextmanager
def result_output(place: Path | None, progress: ProgressLine | None = None) -> Iterator[ResultOutput]:
    """The output named on the command line. What cannot be written is XYIN0002; a closed pipe is left to the caller."""
    name = "standard output" if place is None else str(place)
    try:
        if place is not None:
            with place.open("wb") as file:
                yield ResultOutput(file, name, progress)
            return
        output = ResultOutput(sys.stdout.buffer, name, progress)
        yield output
        # Lines end, for terminals and for pipes of text tools; a file gets exactly the result.
        if output.last not in (b"", b"\n"):
            output.write(b"\n")
        output.flush()
    except BrokenPipeError:
        if place is None:
            raise
        raise InputError("XYIN0002", f"{name}: its reader is gone") from None
    except OSError as reason:
        if place is None:
            abandon_standard_output()
        raise InputError("XYIN0002", f"{name}: {reason.strerror or reason}") from reason
