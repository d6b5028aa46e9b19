"""A run of one part over a large file, by several threads in one process.

The kernel scans without the interpreter's lock. So if it also writes the results, or counts, the parts of a file are
scanned side by side; their rows come in the order of the file. The places to divide the file are guessed
(`source/guessed_ranges.py`): the rows of a part are used once the previous part has proved its start. A part without
proof, or one that cannot be read, is scanned again from the last proved place on, by a single thread.

Holds:  the rows of as many parts as there are threads, and one more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any

from xylem.errors import XylemError
from xylem.source.guessed_ranges import GuessedRange, rest_of

from ..stream.run import Statistics
from .aggregate_task import AggregateTask
from .in_order import OrderedRun
from .map_task import MapTask
from .program import DistributedProgram
from .rows import Row
from .stage_tasks import StageTasks


def gains_by_threads(program: DistributedProgram) -> bool:
    """Whether the scan itself answers a query, apart from concatenating its results."""
    if program.stages != 1 or len(program.distribution.parts) != 1 or not program.scopes:
        return False
    (task,) = (program.task_of(number) for number in program.parts_of(0))
    part = task.part
    if part.limit is not None or part.must_be_flat or part.is_first_only or part.is_guarded:
        return False
    if isinstance(task, AggregateTask):
        # A single thread stops as soon as one item decides.
        return part.function == "count" and task.query.is_answered_by_scan
    return type(task) is MapTask and task.is_text and task.query.is_answered_by_scan


class ThreadedRun(OrderedRun):
    """One run over the parts of a file."""

    def __init__(
        self, program: DistributedProgram, parts: list[GuessedRange], threads: int, options: Mapping[str, Any]
    ) -> None:
        """`options` are those of `DistributedProgram.task`."""
        super().__init__(program, parts.__getitem__, len(parts), options)
        self._parts = parts
        self._threads = threads
        self.read = 0
        """Number of parts read."""

    def _rows_of_all(self, tasks: StageTasks, measured: Statistics) -> Iterator[Row]:
        pool = ThreadPoolExecutor(self._threads, "xylem-part")
        numbers = iter(range(len(self._parts)))
        ahead: deque[Future[list[Row] | None]] = deque()
        try:
            while True:
                for number in islice(numbers, self._threads + 1 - len(ahead)):
                    ahead.append(pool.submit(self._rows_of, number))
                if not ahead:
                    return
                rows = ahead.popleft().result()
                if rows is None:
                    break
                yield from rows
                self.read += 1
        finally:
            pool.shutdown(cancel_futures=True)
        yield from tasks.rows(rest_of(self._parts[self.read]), self.read)

    def _rows_of(self, number: int) -> list[Row] | None:
        """The rows of a part; None if it cannot be read, or does not prove where the next one begins."""
        part = self._parts[number]
        tasks = self._program.tasks(0, {}, **self._options)
        try:
            rows = list(tasks.rows(part, number))
        except XylemError:
            # Raised again in its place, unless a wrong guess caused it.
            return None
        return rows if part.is_proved else None
