"""The output of a result: standard output or a file, with an error if it cannot be written."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from xylem.errors import InputError
from xylem.sink.routed_text import RoutedText

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
        self.has_items = True
        """False for a table without rows, although it has a header."""

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
        """Flush: a reader may be waiting."""
        self.file.flush()


class RoutedOutput(ResultOutput):
    """Takes the bytes of one result in UTF-8, and routes elements of some names to outputs of their own."""

    def __init__(self, rest: ResultOutput, outputs: Mapping[str, ResultOutput]) -> None:
        super().__init__(rest.file, rest._name)
        self._write_rest = rest.write
        self._outputs = outputs
        self._text = RoutedText(outputs)
        self._decode = getincrementaldecoder("utf-8")("surrogateescape").decode

    def write(self, data: bytes) -> None:
        for name, text in self._text.split(self._decode(data)):
            piece = text.encode("utf-8", "surrogateescape")
            if name is None:
                self._write_rest(piece)
                self.last = piece[-1:]
            else:
                self._outputs[name].write(piece + b"\n")
            self.beginning += piece[: BEGINNING_BYTES - len(self.beginning)]
            self.written_bytes += len(piece)

    def flush(self) -> None:
        super().flush()
        for output in self._outputs.values():
            output.flush()


@contextmanager
def result_output(
    place: Path | None, progress: ProgressLine | None = None, routes: Mapping[str, str] | None = None
) -> Iterator[ResultOutput]:
    """The output named on the command line, with those that `routes` name for some elements."""
    if not routes:
        with _result_output(place, progress) as output:
            yield output
        return
    with ExitStack() as opened:
        rest = opened.enter_context(_result_output(place, progress))
        yield RoutedOutput(
            rest, {name: opened.enter_context(_result_output(Path(file))) for name, file in routes.items()}
        )


@contextmanager
def _result_output(place: Path | None, progress: ProgressLine | None = None) -> Iterator[ResultOutput]:
    """One output. A failed write is XYIN0002; the caller handles a closed pipe."""
    name = "standard output" if place is None else str(place)
    try:
        if place is not None:
            with place.open("wb") as file:
                yield ResultOutput(file, name, progress)
            return
        output = ResultOutput(sys.stdout.buffer, name, progress)
        yield output
        # A terminal or a pipe gets a final line end; a file gets exactly the result.
        if output.last not in (b"", b"\n"):
            output.write(b"\n")
        output.flush()
    except BrokenPipeError:
        if place is None:
            raise
        raise InputError("XYIN0002", f"{name}: its reader has closed it") from None
    except OSError as reason:
        if place is None:
            abandon_standard_output()
        raise InputError("XYIN0002", f"{name}: {reason.strerror or reason}") from reason
