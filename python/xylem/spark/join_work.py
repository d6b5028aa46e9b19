"""The work of Python workers for joins by key: make both sides, bring rows of a key together, evaluate with the
matches.

Everything is sent as pairs of a partition and an outcome, like other shuffled rows (`task.py`): the first partitions
are those of the tasks, each with the description of its task and finally the items it looked up; after them come the
buckets where keys meet.
"""

from __future__ import annotations

import marshal
import pickle
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from zlib import crc32

from xylem.run.limited_run import limited
from xylem.run.tasks.keyed_join import SideFigures
from xylem.run.tasks.rows import Row

from .carried_error import carried
from .inputs import TaskInput
from .row_spool import CHUNK_BYTES, packed, unpacked
from .shipped_query import ShippedQuery
from .small_file import small_file
from .task import ERROR, FIGURES, ROWS, Outcome, StageWork, peak_rss_bytes

TASK, MEASURED = 3, 4
"""Outcomes besides those of other tasks: the description of a task, and the figures of its sides."""
Placed = tuple[int, Outcome]


@dataclass(frozen=True)
class JoinWork:
    """The joins by key of one run, in the form sent to its tasks."""

    query: ShippedQuery
    tasks: int
    buckets: int

    def sides(self, tasks: Iterable[TaskInput]) -> Iterator[Placed]:
        """Both sides, over the ranges of tasks."""
        for task in tasks:
            yield task.number, (TASK, 0, pickle.dumps(task))
            started = time.process_time()
            measured = SideFigures()
            try:
                yield from limited(self.placed(self._side_rows(task, measured)), self.query.run_limits)
            except Exception as reason:
                yield task.number, (ERROR, 0, carried(reason, self.query.text))
            yield task.number, (MEASURED, 0, pickle.dumps(measured))
            used = time.process_time() - started
            figures = (len(task.pieces), 0, task.size, 0, used, peak_rss_bytes())
            yield task.number, (FIGURES, 0, marshal.dumps(figures))

    def _side_rows(self, task: TaskInput, measured: SideFigures) -> Iterator[Row]:
        program, options = self.query.program(), self.query.options()
        sides = program.sides(measured, scanner=self.query.scanner, **options)
        ratio = self.query.limits.decompression_ratio
        for number, piece in enumerate(task.pieces, task.first_range):
            source = small_file(piece, ratio) if isinstance(piece, str) else piece
            yield from sides.rows(source, number, task.number)

    def placed(self, rows: Iterable[Row]) -> Iterator[Placed]:
        """Rows in chunks, by the bucket of their key."""
        waiting: dict[int, list[Row]] = {}
        size = 0
        for row in rows:
            waiting.setdefault(crc32(row.key) % self.buckets, []).append(row)
            size += len(row.key) + len(row.value) + 32
            if size >= CHUNK_BYTES * 4:
                yield from self._chunks(waiting)
                waiting, size = {}, 0
        yield from self._chunks(waiting)

    def _chunks(self, waiting: dict[int, list[Row]]) -> Iterator[Placed]:
        for bucket, rows in waiting.items():
            yield from ((self.tasks + bucket, (ROWS, 0, chunk)) for chunk in packed(rows))

    # --- after the sides

    def told(self, partition: int, placed: Iterable[Placed]) -> Iterator[Outcome]:
        """The tasks' figures of their sides."""
        yield from (outcome for _, outcome in placed if outcome[0] in (MEASURED, ERROR, FIGURES))

    def rows(self, partition: int, placed: Iterable[Placed]) -> Iterator[Outcome]:
        """The rows of items, of each key."""
        yield from (outcome for _, outcome in placed if outcome[0] == ROWS)


@dataclass(frozen=True)
class Meeting:
    """One round: rows of a key meet, for the tasks of one stage."""

    work: JoinWork
    stage: int
    is_last: bool

    def __call__(self, partition: int, placed: Iterable[Placed]) -> Iterator[Placed]:
        return limited(self._met(partition, placed), self.work.query.run_limits)

    def _met(self, partition: int, placed: Iterable[Placed]) -> Iterator[Placed]:
        if partition < self.work.tasks:
            yield from (pair for pair in placed if pair[1][0] in (TASK, ROWS))
            return
        rows = [row for _, outcome in placed for row in unpacked(outcome[2])]
        rows.sort(key=lambda row: row.key)
        program, options = self.work.query.program(), self.work.query.seen()
        found: dict[int, list[Row]] = {}
        asked: list[Row] = []
        for _, together in groupby(rows, lambda row: row.key):
            matches, more = program.matched(list(together), self.stage, **options)
            asked += more
            for asker, row in matches:
                found.setdefault(asker, []).append(row)
        for asker, own in found.items():
            yield from ((asker, (ROWS, 0, chunk)) for chunk in packed(own))
        if not self.is_last:
            # The next lookups meet the items that wait for them.
            yield from self.work.placed([*asked, *(row for row in rows if program.is_asked_later(row))])


@dataclass(frozen=True)
class JoinedStage:
    """Tasks of a stage with their looked-up items."""

    work: StageWork
    tasks: int

    def outcomes(self, partition: int, placed: Iterable[Placed]) -> Iterator[Outcome]:
        for work, task in self._own(partition, placed):
            yield from work.outcomes([task])

    def bucketed(self, partition: int, placed: Iterable[Placed]) -> Iterator[Placed]:
        for work, task in self._own(partition, placed):
            yield from work.bucketed([task])

    def given(self, partition: int, placed: Iterable[Placed]) -> Iterator[tuple[int, bytearray]]:
        """The number of the task, and its looked-up items."""
        for work, task in self._own(partition, placed):
            yield task.number, bytearray(marshal.dumps(dict(work.bound)))

    def _own(self, partition: int, placed: Iterable[Placed]) -> Iterator[tuple[StageWork, TaskInput]]:
        if partition >= self.tasks:
            return
        query = self.work.query
        task: TaskInput | None = None
        rows: list[Row] = []
        for _, (kind, _, data) in placed:
            if kind == TASK:
                task = pickle.loads(data)
            else:
                rows += unpacked(data)
        assert task is not None
        given = query.program().given(rows, self.work.stage, **query.seen())
        yield replace(self.work, bound={**self.work.bound, **given}), task
