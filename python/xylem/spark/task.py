"""The work of a Python worker: evaluate the ranges of a task, or reduce a bucket of rows, and return the outcomes.

An outcome is (kind, part, bytes): a chunk of rows of one part, finally the figures of the task, or possibly an error
instead. Rows leave a worker in the form in which they are used: those of a map unchanged, aggregates merged into one,
rows to be sorted as a sorted run, rows to be shuffled in buckets by their key.
"""

from __future__ import annotations

import marshal
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32

from xylem.plan.distribution import PartKind
from xylem.run.limited_run import limited
from xylem.run.stream.run import Statistics
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row

from .carried_error import carried
from .inputs import TaskInput
from .row_spool import CHUNK_BYTES, by_key, in_order, packed, unpacked
from .shipped_query import ShippedQuery
from .small_file import small_file

ROWS, ERROR, FIGURES = range(3)
Outcome = tuple[int, int, bytes]
SORTED_CHUNK_BYTES = 1 << 16
"""Smaller: when runs are merged, one chunk of each is in memory."""
MERGED_AT_ONCE = 256
"""Number of states of ranges that wait to be merged."""
SHUFFLED = (PartKind.GROUP,)


class Figures(NamedTuple):
    """The measurements of a task."""

    ranges: int
    records: int
    input_bytes: int
    buffered_bytes: int
    cpu_seconds: float
    rss_bytes: int


@dataclass(frozen=True)
class StageWork:
    """One stage of a run, in the form sent to its tasks."""

    query: ShippedQuery
    stage: int
    bound: Mapping[int, bytes] = field(default_factory=dict)
    merges: bool = True
    """Whether states of aggregates are merged; off if later stages may need the state of each range."""
    tasks: int = 0
    buckets: int = 0
    """Number of shuffle buckets after those of the tasks; 0 if nothing is shuffled."""
    parts: tuple[int, ...] | None = None
    """Only these parts of the stage."""

    def outcomes(self, tasks: Iterable[TaskInput]) -> Iterator[Outcome]:
        """The outcomes of tasks."""
        for task in tasks:
            yield from _TaskRun(self, task).outcomes()

    def bucketed(self, tasks: Iterable[TaskInput]) -> Iterator[tuple[int, Outcome]]:
        """The outcomes of tasks by bucket; unshuffled ones are in a bucket of their task, before the others."""
        for task in tasks:
            run = _TaskRun(self, task)
            for outcome in run.outcomes():
                yield task.number, outcome
            for bucket, outcome in run.shuffled():
                yield self.tasks + bucket, outcome

    def reduced(self, bucket: int, outcomes: Iterable[tuple[int, Outcome]]) -> Iterator[Outcome]:
        """The outcomes of a bucket: reduced by key, or passed on."""
        if bucket < self.tasks:
            yield from (outcome for _, outcome in outcomes)
            return
        yield from _reduced(self, [outcome for _, outcome in outcomes])


class _TaskRun:
    """One task while it runs."""

    def __init__(self, work: StageWork, task: TaskInput) -> None:
        self._work = work
        self._task = task
        self._kinds: dict[int, PartKind] = {}
        self._states: dict[int, list[Row]] = {}
        self._held: dict[int, list[Row]] = {}
        self._coming: dict[int, list[Row]] = {}
        self._coming_bytes = 0
        self._measured = Statistics()
        self._input_bytes = 0

    def outcomes(self) -> Iterator[Outcome]:
        started = time.process_time()
        error: bytes | None = None
        try:
            yield from limited(self._evaluated(), self._work.query.run_limits)
        except Exception as reason:
            error = carried(reason, self._work.query.text)
        yield from self._rest()
        if error is not None:
            yield ERROR, 0, error
        yield FIGURES, 0, marshal.dumps(tuple(self._figures(started)))

    def _evaluated(self) -> Iterator[Outcome]:
        program = self._work.query.program()
        self._kinds = {part.number: part.kind for part in program.distribution.parts}
        query = self._work.query
        options = query.options()
        tasks = program.tasks(
            self._work.stage,
            self._work.bound,
            statistics=self._measured,
            scanner=query.scanner,
            parts=self._work.parts,
            **options,
        )
        ratio_limit = query.limits.decompression_ratio
        for number, piece in enumerate(self._task.pieces, self._task.first_range):
            source = small_file(piece, ratio_limit) if isinstance(piece, str) else piece
            self._measured.input_bytes = 0
            yield from self._taken(program, tasks.rows(source, number))
            self._input_bytes += self._measured.input_bytes
        for states in self._states.values():
            self._merge(program, states)

    def _taken(self, program: DistributedProgram, rows: Iterable[Row]) -> Iterator[Outcome]:
        for row in rows:
            kind = self._kinds[row.part]
            if kind is PartKind.AGGREGATE and self._work.merges:
                states = self._states.setdefault(row.part, [])
                states.append(row)
                if len(states) >= MERGED_AT_ONCE:
                    self._merge(program, states)
            elif kind is PartKind.SORT or kind in SHUFFLED:
                self._held.setdefault(row.part, []).append(row)
            else:
                self._coming.setdefault(row.part, []).append(row)
                self._coming_bytes += len(row.value) + 32
                if self._coming_bytes >= CHUNK_BYTES:
                    yield from self._came()

    def _merge(self, program: DistributedProgram, rows: list[Row]) -> None:
        """Merge the states of neighbouring ranges into one row."""
        if len(rows) > 1:
            state = program.merge(rows[0].part, *(row.value for row in rows), **self._work.query.seen())
            rows[:] = [rows[0]._replace(value=state)]

    def _came(self) -> Iterator[Outcome]:
        # Taken before they are returned: reaching a limit in between returns no row twice.
        coming, self._coming, self._coming_bytes = self._coming, {}, 0
        for part, rows in coming.items():
            yield from ((ROWS, part, chunk) for chunk in packed(rows))

    def _rest(self) -> Iterator[Outcome]:
        yield from self._came()
        for part, rows in self._states.items():
            yield from ((ROWS, part, chunk) for chunk in packed(rows))
        for part in [part for part in self._held if self._kinds[part] is PartKind.SORT]:
            # Rows were held in the order of range and ordinal.
            yield from _sorted_run(part, sorted(self._held.pop(part), key=by_key))

    def shuffled(self) -> Iterator[tuple[int, Outcome]]:
        """The rows to be shuffled, by bucket; after `outcomes`."""
        buckets = self._work.buckets
        for part, rows in self._held.items():
            by_bucket: dict[int, list[Row]] = {}
            for row in rows:
                by_bucket.setdefault(crc32(row.key) % buckets, []).append(row)
            for bucket, together in by_bucket.items():
                for chunk in packed(together):
                    yield bucket, (ROWS, part, chunk)

    def _figures(self, started: float) -> Figures:
        return Figures(
            len(self._task.pieces),
            self._measured.records,
            self._input_bytes,
            self._measured.peak_buffered_bytes,
            time.process_time() - started,
            peak_rss_bytes(),
        )


def _sorted_run(part: int, rows: Iterable[Row]) -> Iterator[Outcome]:
    return ((ROWS, part, chunk) for chunk in packed(rows, SORTED_CHUNK_BYTES))


def _reduced(work: StageWork, outcomes: list[Outcome]) -> Iterator[Outcome]:
    """Rows of one key together, reduced; the answer's rows of each part as a sorted run."""
    started = time.process_time()
    try:
        yield from limited(_reduced_rows(work, outcomes), work.query.run_limits)
    except Exception as reason:
        yield ERROR, 0, carried(reason, work.query.text)
    yield FIGURES, 0, marshal.dumps((0, 0, 0, 0, time.process_time() - started, peak_rss_bytes()))


def _reduced_rows(work: StageWork, outcomes: list[Outcome]) -> Iterator[Outcome]:
    program = work.query.program()
    options = work.query.seen()
    by_part: dict[int, list[Row]] = {}
    for _, part, chunk in outcomes:
        by_part.setdefault(part, []).extend(unpacked(chunk))
    outcomes.clear()
    for part, rows in by_part.items():
        rows.sort(key=in_order)
        reduce = program.reducer(part, bound=work.bound, **options)
        made: list[Row] = []
        first = 0
        for last in range(1, len(rows) + 1):
            if last == len(rows) or rows[last].key != rows[first].key:
                made += reduce(rows[first:last])
                first = last
        yield from _sorted_run(part, sorted(made, key=in_order))


def peak_rss_bytes() -> int:
    """The peak memory of this process."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
