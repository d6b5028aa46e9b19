"""The outputs of answers: each batch once, whatever happens.

A sink is given the messages of one batch for all queries at once, under the number of the batch. It may be given the
same batch again after a crash, with the same messages: the outcome is as if it had been given once.

    dir      a file for each batch that has results; a name once seen is complete and never changes
    file     one file that grows; what lies beyond its committed length is written again after a crash
    console  standard output; not exactly once, as nobody can take back what a terminal has shown
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
    """What one query has to say in one batch."""

    query: str
    messages: tuple[str, ...]
    ends_lines: bool
    """Whether each message stands on lines of its own."""
    current: str | None = None
    """The whole answer so far, for queries whose answer changes; None where it is final as it comes, or unchanged."""

    def text(self) -> str:
        """The messages as a file has them."""
        if not self.ends_lines:
            return "".join(self.messages)
        return "".join(message if message.endswith("\n") else f"{message}\n" for message in self.messages)


@dataclass(frozen=True, order=True)
class Turn:
    """When something is written: with a batch, or after it because the stream has ended."""

    batch: int
    is_end: bool = False

    @property
    def number(self) -> int:
        """All turns in one order, from 0."""
        return 2 * (self.batch + 1) + self.is_end


class Sink(Protocol):
    """Writes what queries say."""

    wants_changes: bool
    """Whether answers that change are of interest before they are final."""

    def write(self, turn: Turn, outputs: Sequence[Output], committed: dict[str, Any]) -> dict[str, Any]:
        """Write, so that it lasts; what must be known for the next turn. `committed` is what the last one gave."""
        ...

    def close(self) -> None: ...


class DirectorySink:
    """A directory, or one below it for each query: `cat part-*` is the answer so far."""

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
        """XYRT0031 where files of another answer lie: some would be replaced, the others stay among the new ones."""
        for query in self._endings:
            folder = self.folder(query)
            if folder.exists() and not folder.is_dir():
                raise InputError("XYIN0002", f"{folder}: it is not a directory")
            found = next(folder.glob("part-*"), None)
            if found is not None:
                raise InputError("XYRT0031", str(found))

    def files(self) -> list[Path]:
        """A file of each query, for whoever must not take results for input."""
        return [self.folder(query) / part_name(Turn(0), ending) for query, ending in self._endings.items()]

    def folder(self, query: str) -> Path:
        """Where the files of a query lie."""
        return self._path / query if len(self._endings) > 1 else self._path

    def close(self) -> None:
        pass


def part_name(turn: Turn, ending: str) -> str:
    """The name of the file of a batch: they sort in the order of the answer."""
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
        """XYRT0031 where the file has content: it would be replaced."""
        if self._path.exists() and not self._path.is_file():
            raise InputError(
                "XYIN0002", f"{self._path}: it is not a regular file", hint="--output console, or dir:PATH"
            )
        if self._path.exists() and self._path.stat().st_size:
            raise InputError("XYRT0031", str(self._path))

    def files(self) -> list[Path]:
        """The file, for whoever must not take it for input."""
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
    """Standard output. On a terminal, answers that change are edited in place; elsewhere each change is a line."""

    def __init__(self, terminal: TextIO | None = None, *, is_named: bool = False, wants_changes: bool = True) -> None:
        self.wants_changes = wants_changes
        self._out = terminal or sys.stdout
        self._is_terminal = self._out.isatty()
        self._is_named = is_named
        self._currents: dict[str, str] = {}
        """What stands at the bottom of the terminal, and is drawn again below whatever is added."""
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
