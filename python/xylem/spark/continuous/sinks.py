"""The outputs of answers: each batch once, whatever happens.

A sink gets the messages of one batch for all queries at once, with the number of the batch. After a crash it may get
the same batch again, with the same messages: the outcome is as if it came once.

    dir      a file for each batch that has results; a visible file is complete and never changes
    file     one file that grows; the part beyond its committed length is rewritten after a crash
    console  standard output; not exactly once, because a terminal cannot take output back
    kafka    a transaction for each batch (`kafka_sink.py`)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from xylem.errors import InputError
from xylem.run.durable_files import replace_file
from xylem.run.sealed_file import sync_directory


@dataclass(frozen=True)
class Output:
    """The output of one query in one batch."""

    query: str
    messages: tuple[str, ...]
    ends_lines: bool
    """Whether each message is on its own lines."""
    current: str | None = None
    """The whole answer so far, for queries whose answer changes; None if output is final on arrival, or unchanged."""

    def text(self) -> str:
        """The messages as written to a file."""
        if not self.ends_lines:
            return "".join(self.messages)
        return "".join(message if message.endswith("\n") else f"{message}\n" for message in self.messages)


@dataclass(frozen=True, order=True)
class Turn:
    """The time of a write: with a batch, or after it because the stream has ended."""

    batch: int
    is_end: bool = False

    @property
    def number(self) -> int:
        """A number that orders all turns, from 0."""
        return 2 * (self.batch + 1) + self.is_end


class Sink(Protocol):
    """Writes the output of queries."""

    wants_changes: bool
    """Whether changing answers are wanted before they are final."""

    def write(self, turn: Turn, outputs: Sequence[Output], committed: dict[str, Any]) -> dict[str, Any]:
        """Write durably; return the state for the next turn. `committed` is the state returned last."""
        ...

    def close(self) -> None: ...


class DirectorySink:
    """A directory, or a subdirectory for each query: `cat part-*` is the answer so far."""

    def __init__(self, path: str, endings: dict[str, str], *, wants_changes: bool = False) -> None:
        self._path = Path(path)
        self._endings = endings
        self.wants_changes = wants_changes

    def write(self, turn: Turn, outputs: Sequence[Output], committed: dict[str, Any]) -> dict[str, Any]:
        for output in outputs:
            text = _all_text(output)
            if text:
                place = self.folder(output.query) / part_name(turn, self._endings[output.query])
                _guarded(
                    place, lambda place=place, text=text: replace_file(place, text.encode("utf-8", "surrogateescape"))
                )
        return {}

    def refuse_other_results(self) -> None:
        """XYRT0031 if there are files of another answer: some would be replaced, others would stay."""
        for query in self._endings:
            folder = self.folder(query)
            if folder.exists() and not folder.is_dir():
                raise InputError("XYIN0002", f"{folder}: it is not a directory")
            found = next(folder.glob("part-*"), None)
            if found is not None:
                raise InputError("XYRT0031", str(found))

    def files(self) -> list[Path]:
        """An output file of each query, to check that results are not read as input."""
        return [self.folder(query) / part_name(Turn(0), ending) for query, ending in self._endings.items()]

    def folder(self, query: str) -> Path:
        """The directory of a query's files."""
        return self._path / query if len(self._endings) > 1 else self._path

    def close(self) -> None:
        pass


def part_name(turn: Turn, ending: str) -> str:
    """The file name for a batch: names sort in the order of the answer."""
    return f"part-{turn.batch + 1:012}-{int(turn.is_end)}{ending}"


class FileSink:
    """One file that grows by each batch."""

    def __init__(self, path: str, *, wants_changes: bool = False) -> None:
        self._path = Path(path)
        self.wants_changes = wants_changes

    def write(self, turn: Turn, outputs: Sequence[Output], committed: dict[str, Any]) -> dict[str, Any]:
        data = "".join(_all_text(output) for output in outputs).encode("utf-8", "surrogateescape")
        length = int(committed.get("length", 0))
        _guarded(self._path, lambda: self._append(length, data))
        return {"length": length + len(data)}

    def refuse_other_results(self) -> None:
        """XYRT0031 if the file has content, which would be replaced."""
        if self._path.exists() and not self._path.is_file():
            raise InputError(
                "XYIN0002", f"{self._path}: it is not a regular file", hint="--output console, or dir:PATH"
            )
        if self._path.exists() and self._path.stat().st_size:
            raise InputError("XYRT0031", str(self._path))

    def files(self) -> list[Path]:
        """The file, to check that it is not read as input."""
        return [self._path]

    def _append(self, length: int, data: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        is_new = not self._path.exists()
        with self._path.open("ab") as file:
            if file.tell() < length:
                raise OSError(0, f"it is shorter than the {length:,} bytes that were written to it")
            file.truncate(length)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if is_new:
            sync_directory(self._path.parent)

    def close(self) -> None:
        pass


class ConsoleSink:
    """Standard output. On a terminal, changing answers are edited in place; elsewhere each change is a line."""

    def __init__(self, terminal: TextIO | None = None, *, is_named: bool = False, wants_changes: bool = True) -> None:
        self.wants_changes = wants_changes
        self._out = terminal or sys.stdout
        self._is_terminal = self._out.isatty()
        self._is_named = is_named
        self._currents: dict[str, str] = {}
        """The text at the bottom of the terminal, which is redrawn below any added text."""
        self._drawn_lines = 0

    def write(self, turn: Turn, outputs: Sequence[Output], committed: dict[str, Any]) -> dict[str, Any]:
        self._erase()
        for output in outputs:
            if output.current is not None and self._is_terminal:
                self._currents[output.query] = output.current
            else:
                self._print(output.query, output.text() if output.current is None else output.current)
        for query, current in self._currents.items():
            self._drawn_lines += self._print(query, current)
        if turn.is_end:
            self._currents, self._drawn_lines = {}, 0
        self._out.flush()
        return {}

    def _erase(self) -> None:
        if self._drawn_lines:
            self._out.write(f"\x1b[{self._drawn_lines}A\x1b[J")
            self._drawn_lines = 0

    def _print(self, query: str, text: str) -> int:
        lines = text.splitlines()
        for line in lines:
            self._out.write(f"{query}: {line}\n" if self._is_named else f"{line}\n")
        return len(lines)

    def close(self) -> None:
        self._out.flush()


def _all_text(output: Output) -> str:
    if output.current is None:
        return output.text()
    return output.current if output.current.endswith("\n") else f"{output.current}\n"


def _guarded(place: Path, write: Any) -> None:
    try:
        write()
    except OSError as reason:
        raise InputError("XYIN0002", f"{place}: {reason.strerror or reason}") from reason
