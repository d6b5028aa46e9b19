"""A distributed run in one process, in the order of the input: text that can be written at once is not held.

If a query maps and aggregates, each of its parts reads the ranges on its own, so the text of maps is written while they
are read. All other queries go through `in_process.py`, which keeps the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from xylem.plan.distribution import PartKind
from xylem.source.byte_source import ByteSource, Source
from xylem.source.message_inputs import MessageInputs

from ..program import current_time
from ..stream.run import Statistics
from .in_process import rows_in_process
from .program import DistributedProgram
from .rows import Row
from .stage_tasks import StageTasks

Opener = Callable[[int], Source | ByteSource]
"""Opens a range, by its number, for one reading."""
_DIRECT = (PartKind.MAP, PartKind.AGGREGATE)
_SEEN_BY_QUERIES = ("resources", "variables", "environment", "now")


def is_direct(program: DistributedProgram) -> bool:
    """Whether the parts of a query can be computed one by one, keeping nothing of maps."""
    return program.stages == 1 and all(part.kind in _DIRECT for part in program.distribution.parts)


class OrderedRun:
    """One run over ranges. `passes` counts the passes over them."""

    def __init__(
        self,
        program: DistributedProgram,
        open_range: Opener,
        ranges: int,
        options: Mapping[str, Any],
        *,
        is_left_out: Callable[[int, Exception], bool] = lambda number, error: False,
        messages: MessageInputs | None = None,
    ) -> None:
        """`options` are those of `DistributedProgram.task`; `is_left_out` decides whether to skip a range that cannot
        be read. With `messages` the ranges are its documents, by their numbers."""
        self._program = program
        self._open = open_range
        self._ranges = ranges
        self._options = {"now": current_time(), **options}
        self._is_left_out = is_left_out
        self._messages = messages
        self.passes = 0
        self.measured: list[Statistics] = []
        """The measurements of each reading of a range."""

    def pieces(self) -> Iterator[str]:
        """The text of the answer."""
        yield from self._program.pieces(self._all_rows(), **self._seen)

    def items(self) -> Iterator[Any]:
        """The items of the answer, for programs whose output method writes no XML."""
        yield from self._program.items(self._all_rows(), **self._seen)

    def _all_rows(self) -> Mapping[int, Iterable[Row]]:
        if is_direct(self._program):
            return {part.number: self._rows(part.number) for part in self._program.distribution.parts}
        self.passes = self._program.stages
        sources = [self._open(number) for number in range(self._ranges)]
        return rows_in_process(self._program, sources, dict(self._options))

    @property
    def _seen(self) -> dict[str, Any]:
        return {name: self._options[name] for name in _SEEN_BY_QUERIES if name in self._options}

    def _rows(self, part: int) -> Iterator[Row]:
        self.passes += 1
        is_aggregate = self._program.distribution.parts[part - 1].kind is PartKind.AGGREGATE
        merged: Row | None = None
        measured = Statistics()
        tasks = self._program.tasks(0, {}, parts=[part], statistics=measured, **self._options)
        for row in self._rows_of_all(tasks, measured):
            if not is_aggregate:
                yield row
            elif merged is None:
                merged = row
            else:
                merged = merged._replace(value=self._program.merge(part, merged.value, row.value, **self._seen))
        if merged is not None:
            yield merged

    def _rows_of_all(self, tasks: StageTasks, measured: Statistics) -> Iterator[Row]:
        messages = self._messages
        written = None if messages is None else tasks.document_rows()
        if messages is None or written is None:
            for number in range(self._ranges):
                yield from self._range_rows(number, tasks, measured)
            return
        messages.use_template(written.template)
        for first, _, read in messages.batches(writes=True):
            yield from written.rows(read, first, lambda number: self._range_rows(number, tasks, measured))
            self.measured.append(Statistics(input_bytes=read.written_bytes()))

    def _range_rows(self, number: int, tasks: StageTasks, measured: Statistics) -> Iterator[Row]:
        records, measured.input_bytes = measured.records, 0
        try:
            yield from tasks.rows(self._open(number), number)
        except Exception as error:
            if not self._is_left_out(number, error):
                raise
        finally:
            peak = measured.peak_buffered_bytes
            self.measured.append(Statistics(measured.records - records, measured.input_bytes, peak_buffered_bytes=peak))
