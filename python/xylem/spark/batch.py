"""One run of a query over files on Spark: its stages, the outcomes of their tasks, the answer in its order.

Tasks travel as elements of an RDD and outcomes as bytes, with Python on both ends: measured against Arrow batches and
a Python data source, the first job of a session costs a third of the CPU, and workers need neither Arrow nor pandas.
Ordering is left to the tasks (each sorts its own) and a merge of their runs on the driver, where the answer is written
in any case: Spark's own sort would sample first, that is, evaluate everything twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError, InputError
from xylem.plan.distribution import InputOf, Part, PartKind
from xylem.run.limited_run import limited
from xylem.run.stream.run import Statistics
from xylem.run.tasks.flat_items import NOT_FLAT, or_by_one_task
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row
from xylem.sink.serialization_parameters import SerializationParameters

from .arriving_rows import ArrivingRows, Outcomes
from .inputs import LEAST_TASK_BYTES, InputFile, SplitPlan, split_plan
from .jobs import Jobs
from .joins import Joins, broadcast_limit, gathered_limit, may_be_large
from .row_spool import RowSpool
from .shipped_query import ShippedQuery
from .task import SHUFFLED, Figures, StageWork, peak_rss_bytes

if TYPE_CHECKING:
    from xylem.plan.operator_counts import OperatorCounts
    from xylem.run.counters import Counters

    from .session import BatchSpark


@dataclass
class Measured:
    """The measurements of a run so far."""

    tasks: int = 0
    """Outcomes that have arrived: from tasks and from reductions."""
    ranges: int = 0
    records: int = 0
    input_bytes: int = 0
    peak_buffered_bytes: int = 0
    """In a single task."""
    task_cpu_seconds: float = 0.0
    peak_worker_rss_bytes: int = 0
    spilled_bytes: int = 0
    """Rows that had to wait in a file on the driver."""
    started: float = field(default_factory=time.monotonic)

    def add(self, figures: Figures) -> None:
        self.tasks += 1
        self.ranges += figures.ranges
        self.records += figures.records
        self.input_bytes += figures.input_bytes
        self.peak_buffered_bytes = max(self.peak_buffered_bytes, figures.buffered_bytes)
        self.task_cpu_seconds += figures.cpu_seconds
        self.peak_worker_rss_bytes = max(self.peak_worker_rss_bytes, figures.rss_bytes)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started


class BatchRun:
    """A query over files. It can be read once.

    The session is only requested if there are tasks: a query that is a single task runs in this process, where its
    answer can be written while it is computed.
    """

    def __init__(
        self,
        spark: Callable[[], BatchSpark],
        query: ShippedQuery,
        files: Sequence[InputFile],
        *,
        partitions: int | None = None,
        broadcast_bytes: int | None = None,
        observe: Callable[[Measured], object] = lambda measured: None,
    ) -> None:
        """`broadcast_bytes`: the largest side of a join that is sent to every task; None: the session's setting."""
        self.query = query
        self.program: DistributedProgram = query.program()
        self.measured = Measured()
        self._start = spark
        self._observe = observe
        self._files = files
        self._partitions = partitions
        self._broadcast_bytes = broadcast_bytes
        self.counters: Counters | None = None
        """Counts the rows of parts as they arrive at the driver, if anyone needs the counts."""

    def operators(self) -> OperatorCounts:
        """The operators of the run, with the number of rows that reached each merge."""
        from xylem.lowering.operator_plans.of_tasks import task_plan
        from xylem.plan.operator_counts import OperatorCounts
        from xylem.run.deep_stack import compiled_deep

        plan = compiled_deep(lambda: task_plan(self.program))
        return OperatorCounts(plan, {} if self.counters is None else self.counters.figures)

    @property
    def is_spread(self) -> bool:
        """Whether there are tasks: the query can be divided, and there is something to read."""
        return self.program.distribution.is_parallel and bool(self._files)

    @cached_property
    def spark(self) -> BatchSpark:
        return self._start()

    @cached_property
    def cores(self) -> int:
        return self.spark.sparkContext.defaultParallelism

    @cached_property
    def plan(self) -> SplitPlan:
        """The tasks."""
        return split_plan(
            self._files,
            self.program.cut_scopes,
            anywhere=self.program.cuts_anywhere,
            cores=self.cores,
            partitions=self._partitions,
            limits=self.query.limits,
            scanner=self.query.scanner,
        )

    def _divide_items(self) -> None:
        """Cut a large document inside its items if it has too few of them and the query allows it."""
        if not self.is_spread or not any(part.is_divisible for part in self.program.distribution.parts):
            return
        is_large = sum(file.weight for file in self._files) >= 2 * LEAST_TASK_BYTES
        wanted = self._partitions or (self.cores if is_large else 1)
        if len(self.plan.tasks) >= wanted:
            return
        divided = BatchRun(self._start, self.query.divided(), self._files, partitions=self._partitions)
        divided.__dict__.update(cores=self.cores)
        if divided.is_spread and len(divided.plan.tasks) > len(self.plan.tasks):
            self.query, self.program, self.plan = divided.query, divided.program, divided.plan

    def pieces(self) -> Iterator[str]:
        """The text of the answer, as it becomes final."""
        return or_by_one_task(self._spread_pieces(), self._pieces_by_one_task)

    def _pieces_by_one_task(self) -> Iterator[str]:
        self._become_one_task()
        return self._spread_pieces()

    def _become_one_task(self) -> None:
        """Continue as a single task, because tasks found that the query cannot be divided over this input."""
        self.query = self.query.with_input(InputOf.WHOLE)
        self.program = self.query.program()

    def _spread_pieces(self) -> Iterator[str]:
        self._divide_items()
        spool = RowSpool()
        try:
            rows = self._spread_rows(spool) if self.is_spread else self._rows_of_one_task()
            yield from self.program.pieces(rows, **self.query.seen())
        finally:
            self.measured.spilled_bytes = spool.spilled_bytes
            spool.close()

    def items(self) -> Iterator[Any]:
        """The items of the answer; the query must be one `with_items`."""
        given = 0
        try:
            for item in self._spread_items():
                yield item
                given += 1
            return
        except InputError as error:
            if error.code != NOT_FLAT:
                raise
        self._become_one_task()
        yield from islice(self._spread_items(), given, None)

    def _spread_items(self) -> Iterator[Any]:
        self._divide_items()
        spool = RowSpool()
        try:
            rows = self._spread_rows(spool) if self.is_spread else self._rows_of_one_task()
            yield from self.program.items(rows, **self.query.seen())
        finally:
            spool.close()

    def answer_part(self) -> Part | None:
        """The part that is the whole answer."""
        number = self.program.answer_part
        return next((part for part in self.program.distribution.parts if part.number == number), None)

    def output_parameters(self) -> SerializationParameters:
        """The serialization parameters that affect the bytes of the answer."""
        return SerializationParameters.from_options({**self.program.output, "method": "xml"})

    def _rows_of_one_task(self) -> dict[int, Iterable[Row]]:
        paths = [file.path for file in self._files]
        statistics = Statistics()

        def rows() -> Iterator[Row]:
            options = self.query.options()
            found = self.program.sequential(paths, statistics=statistics, scanner=self.query.scanner, **options)
            yield from limited(iter(found), self.query.run_limits)
            used = time.process_time()
            figures = (len(paths), statistics.records, statistics.input_bytes, statistics.peak_buffered_bytes)
            self.arrived(Figures(*figures, used, peak_rss_bytes()))

        return {part.number: rows() for part in self.program.distribution.parts}

    def _spread_rows(self, spool: RowSpool) -> dict[int, Iterable[Row]]:
        """The rows of all parts: those of the last stage as they arrive."""
        last = self.program.stages - 1
        rows, bound = self.rows_before(last, spool)
        arriving = self._arriving(last, bound, spool)
        return {**rows, **{part.number: self._counted(part, arriving.rows(part)) for part in self._parts(last)}}

    def _counted(self, part: Part, rows: Iterable[Row]) -> Iterable[Row]:
        return rows if self.counters is None else self.counters.counted_rows(str(part.number), rows)

    def rows_before(self, last: int, spool: RowSpool) -> tuple[dict[int, Iterable[Row]], dict[int, bytes]]:
        """The rows of earlier stages, and the small values that the tasks of this stage get from them."""
        rows: dict[int, Iterable[Row]] = {}
        bound: dict[int, bytes] = {}
        if self.joins is not None and last > 0:
            bound.update(self.joins.broadcast())
        for stage in range(last):
            if not self._parts(stage):
                continue
            arriving = self._arriving(stage, bound, spool)
            kept = {
                part.number: list(self._within_limit(part, self._counted(part, arriving.rows(part))))
                for part in self._parts(stage)
            }
            rows.update(kept)
            in_order = (row for part in sorted(kept) for row in kept[part])
            found = self.program.bind(stage, in_order, **self.query.seen())
            bound.update({number: value for number, value in found.items() if number in kept})
        return rows, bound

    def _within_limit(self, part: Part, rows: Iterable[Row]) -> Iterator[Row]:
        """Check the values gathered here for every task of a later stage: XYRT0012 if they are too large."""
        size = 0
        for row in rows:
            size += len(row.value)
            if size > self._gathered_limit:
                told = f"more than {self._gathered_limit:,} bytes of `{' '.join(part.text.split())}`, line {part.line}"
                raise DynamicError("XYRT0012", told)
            yield row

    @cached_property
    def _gathered_limit(self) -> int:
        return gathered_limit(self.spark)

    @cached_property
    def joins(self) -> Joins | None:
        """The joins by key, measured; None if there are none, or if the whole input is small."""
        if not self.program.keyed_parts:
            return None
        limit = broadcast_limit(self.spark) if self._broadcast_bytes is None else self._broadcast_bytes
        if not may_be_large(self._files, limit):
            return None
        return Joins(self.spark, self.query, self.plan.tasks, self.cores, limit, self.arrived)

    def _parts(self, stage: int) -> list[Part]:
        """The parts that tasks of a stage compute."""
        keyed = () if self.joins is None else self.joins.parts
        return [part for part in self.program.distribution.parts if part.stage == stage and part.number not in keyed]

    def _arriving(self, stage: int, bound: Mapping[int, bytes], spool: RowSpool) -> ArrivingRows:
        parts = self._parts(stage)
        outcomes = self._outcomes(stage, parts, bound)
        return ArrivingRows(
            self.program,
            parts,
            spool,
            outcomes,
            self,
            merges=self._merges(stage),
            in_turn=self.program.distribution.ordered,
        )

    def _merges(self, stage: int) -> bool:
        return stage == self.program.stages - 1

    def _outcomes(self, stage: int, parts: list[Part], bound: Mapping[int, bytes]) -> Outcomes:
        """The outcomes of a stage, task by task, with the task number: in the order of the input if some of them are
        written before all have arrived."""
        tasks = self.plan.tasks
        context = self.spark.sparkContext
        described = context.parallelize(tasks, len(tasks))
        joins = self.joins if self.joins is not None and self.joins.is_asked(stage) else None
        numbers = tuple(part.number for part in parts)
        if not any(part.kind in SHUFFLED for part in parts):
            work = StageWork(self.query, stage, dict(bound), self._merges(stage), parts=numbers)
            outcomes = described.mapPartitions(work.outcomes) if joins is None else joins.outcomes(work)
            jobs = Jobs(context, outcomes, len(tasks), self.cores, together=self._in_one_job(parts))
            return jobs.results(ordered=self.program.distribution.ordered and not self._waits_for_all(parts))
        buckets = self._partitions or max(self.cores, len(tasks))
        work = StageWork(self.query, stage, dict(bound), self._merges(stage), len(tasks), buckets, numbers)
        bucketed = described.mapPartitions(work.bucketed) if joins is None else joins.bucketed(work)
        shuffled = bucketed.partitionBy(len(tasks) + buckets, int)
        reduced = shuffled.mapPartitionsWithIndex(work.reduced)
        return Jobs(context, reduced, len(tasks) + buckets, self.cores).results()

    @staticmethod
    def _waits_for_all(parts: Sequence[Part]) -> bool:
        """Whether nothing of these parts can be written before all tasks are done."""
        return {part.kind for part in parts} <= {PartKind.AGGREGATE, PartKind.SORT}

    def _in_one_job(self, parts: Sequence[Part]) -> int:
        """How many tasks may be one job: a job costs the JVM as much as scanning megabytes does.

        Values of aggregates are mostly small. Sorted rows wait for all tasks, but only as many are in progress as there
        are cores. All other rows are written as soon as a task is done.
        """
        kinds = {part.kind for part in parts}
        if kinds <= {PartKind.AGGREGATE}:
            return 2 * self.cores
        return self.cores if self._waits_for_all(parts) else 1

    def arrived(self, figures: Figures) -> None:
        """A task has delivered."""
        self.measured.add(figures)
        self._observe(self.measured)
