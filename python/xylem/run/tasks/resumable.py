"""A run that resumes where it was interrupted: the answer of a map, range by range, with a checkpoint after each.

The document is cut before items (`source/cut_points.py`). When all text of a range has been written, the output is
flushed to the disk, and then the checkpoint records it. A run that finds a checkpoint truncates the output to the
recorded length, and continues with the next range. Wherever it is killed, the answer is that of an undisturbed run.

This requires an answer that concatenates the results of items, with fixed text before and after: the output for one
range must not depend on the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO, Any

from xylem.errors import StaticError
from xylem.plan.distribution import PartKind
from xylem.source.byte_ranges import ByteRange, CutPoint

from .answer_text import ENDS_WITH_ATOMIC
from .checkpoint import Checkpoint
from .program import DistributedProgram
from .rows import Row

_SEEN_BY_QUERIES = ("resources", "variables", "environment", "now")


def refuse_others(program: DistributedProgram) -> int:
    """The number of the one part of the query; XYST0006, with the reason, for queries that cannot be resumed."""
    parts = program.distribution.parts
    if len(parts) > 1:
        raise StaticError("XYST0006", "its answer is put together from several parts: " + _kinds(program))
    (part,) = parts
    if part.kind is not PartKind.MAP or not part.scopes:
        why = f"order by {part.order}" if part.order else part.why
        raise StaticError("XYST0006", f"{part.kind.value}{f': {why}' if why else ''}")
    if program.limit_of(part.number) is not None:
        raise StaticError("XYST0006", "only the first items of the input count")
    if not program.is_text(part.number):
        raise StaticError("XYST0006", "its answer is not written as XML, item by item")
    return part.number


def _kinds(program: DistributedProgram) -> str:
    return ", ".join(part.kind.value for part in program.distribution.parts)


@dataclass
class _State:
    """The flags of the text so far."""

    flags: int = 0
    has_text: bool = False


class ResumableRun:
    """One run over the ranges of a file."""

    def __init__(
        self,
        program: DistributedProgram,
        ranges: list[ByteRange],
        options: Mapping[str, Any],
        save: Callable[[Checkpoint], object],
        begun: Checkpoint,
    ) -> None:
        """`begun` is the position to resume at: the first range begins there. `save` is called after each range."""
        self._program = program
        self._part = refuse_others(program)
        self._ranges = ranges
        self._options = options
        self._save = save
        self._begun = begun
        self.range_number = 0
        """Number of completed ranges."""

    def write(self, file: IO[bytes], encode: Callable[[str], bytes]) -> None:
        """Append the rest of the answer to a file."""
        is_resumed = self._begun.output_bytes > 0
        if is_resumed:
            # The output has a byte order mark already.
            encode("")
        state = _State(self._begun.output_flags, self._begun.has_text)
        is_started = not is_resumed

        def rows() -> Iterator[Row]:
            nonlocal is_started
            if is_resumed:
                yield _row(self._part, state)
                # The next request means that the row was taken: everything from here on is new.
                is_started = True
            yield from self._rows(state, file)

        seen = {name: self._options[name] for name in _SEEN_BY_QUERIES if name in self._options}
        for piece in self._program.pieces({self._part: rows()}, **seen):
            if is_started:
                file.write(encode(piece))
        file.write(encode(""))
        _synced(file)

    def _rows(self, state: _State, file: IO[bytes]) -> Iterator[Row]:
        for number, part in enumerate(self._ranges):
            for row in self._program.task(0, part, number, {}, **self._options):
                state.flags = row.value[0]
                state.has_text = state.has_text or len(row.value) > 1
                yield row
            self.range_number = number + 1
            if part.end is not None:
                # All text of the rows so far has been written, because the next row is requested.
                _synced(file)
                self._save(self._checkpoint(part.end, file.tell(), state))

    def _checkpoint(self, cut: CutPoint, output_bytes: int, state: _State) -> Checkpoint:
        return replace(
            self._begun, cut=cut, output_bytes=output_bytes, output_flags=state.flags, has_text=state.has_text
        )


def _row(part: int, state: _State) -> Row:
    """A row that represents all rows written before: it leaves the text in the same state."""
    return Row(part, b"", -1, 0, bytes((state.flags & ENDS_WITH_ATOMIC,)) + (b"." if state.has_text else b""))


def _synced(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
