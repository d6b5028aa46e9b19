"""Joins by key on Spark: the gathered side is measured, then sent to every task or shuffled with the lookups.

    sides     one pass over the input: items with their keys, and the keys that each task will look up, shuffled by key
    small     the items are collected and sent to every task
    large     keys meet in their buckets, and matches are shuffled to the tasks: nothing passes through the driver

Spark's own setting is the limit for a small side: `spark.sql.autoBroadcastJoinThreshold`. If the whole input is
smaller, nothing is measured. Values whose comparison no key decides (`run/tasks/join_key.py`) are sent to every task in
any case.
"""

from __future__ import annotations

import marshal
import pickle
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xylem.plan.distribution import BROADCAST_BYTES
from xylem.run.tasks.keyed_join import SideFigures
from xylem.run.tasks.rows import Row

from .carried_error import arrived
from .inputs import InputFile, TaskInput
from .jobs import Jobs
from .join_work import MEASURED, JoinedStage, JoinWork, Meeting
from .row_spool import unpacked
from .shipped_query import ShippedQuery
from .task import ERROR, FIGURES, Figures, StageWork

if TYPE_CHECKING:
    from pyspark import RDD

    from .session import BatchSpark

GATHERED_BYTES = 1 << 30
_SIZE = re.compile(r"\s*(-?\d+)\s*([kmgtp]?)b?\s*", re.IGNORECASE)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}


def broadcast_limit(spark: BatchSpark) -> int:
    """The most bytes of one side that are sent to every task; -1: none."""
    return _size_of(spark, "spark.sql.autoBroadcastJoinThreshold", BROADCAST_BYTES)


def gathered_limit(spark: BatchSpark) -> int:
    """The most bytes of a part gathered by the driver for every task of a later stage."""
    return _size_of(spark, "spark.xylem.gatheredLimit", GATHERED_BYTES)


def _size_of(spark: BatchSpark, name: str, default: int) -> int:
    found = _SIZE.fullmatch(str(spark.conf.get(name, str(default))))
    return default if found is None else int(found[1]) << _UNITS[found[2].lower()]


def may_be_large(files: Sequence[InputFile], limit: int) -> bool:
    """Whether a side of a join over these files may be too large for every task."""
    return sum(file.weight for file in files) > limit


class Joins:
    """The joins by key of one run."""

    def __init__(
        self,
        spark: BatchSpark,
        query: ShippedQuery,
        tasks: Sequence[TaskInput],
        cores: int,
        limit: int,
        arrived: Callable[[Figures], None],
    ) -> None:
        self._context = spark.sparkContext
        self._program = query.program()
        self._query = query
        self._cores = cores
        self._tasks = len(tasks)
        self._work = JoinWork(query, len(tasks), max(cores, len(tasks)))
        described = self._context.parallelize(tasks, len(tasks))
        self._sides = self._shuffled(described.mapPartitions(self._work.sides))
        self.measured = self._measure(arrived)
        self.is_shuffled = self.measured.item_bytes > max(limit, 0) and self.measured.is_decided_by_keys()

    @property
    def parts(self) -> tuple[int, ...]:
        """The parts that are looked up by key."""
        return self._program.keyed_parts

    def told(self) -> str:
        """The decision, and the reason."""
        size = f"{self.measured.item_bytes / 1e6:,.1f} MB"
        if self.is_shuffled:
            return f"join of {size} shuffled by key"
        why = "" if self.measured.is_decided_by_keys() else ", since keys do not decide how its values compare"
        return f"join of {size} given to every task{why}"

    def broadcast(self) -> dict[int, bytes]:
        """The values for every task."""
        rows: list[Row] = []
        if not self.is_shuffled:
            for _, outcomes in self._results(self._sides.mapPartitionsWithIndex(self._work.rows), everything=True):
                rows += (row for _, _, chunk in outcomes for row in unpacked(chunk))
            return self._program.given(rows, **self._query.seen())
        return {}

    def is_asked(self, stage: int) -> bool:
        """Whether each task of a stage gets only the items it looks up."""
        return self.is_shuffled and self._program.join_rounds(stage) > 0

    def outcomes(self, work: StageWork) -> RDD[Any]:
        """The outcomes of the tasks of a stage, in the first partitions."""
        return self._met(work.stage).mapPartitionsWithIndex(JoinedStage(work, self._tasks).outcomes)

    def bucketed(self, work: StageWork) -> RDD[Any]:
        """The same, by bucket of the next shuffle."""
        return self._met(work.stage).mapPartitionsWithIndex(JoinedStage(work, self._tasks).bucketed)

    def given(self, work: StageWork) -> RDD[Any]:
        """The number of each task with its looked-up items."""
        return self._met(work.stage).mapPartitionsWithIndex(JoinedStage(work, self._tasks).given)

    def _met(self, stage: int) -> RDD[Any]:
        rounds = self._program.join_rounds(stage)
        found = self._sides
        for number in range(rounds):
            met = found.mapPartitionsWithIndex(Meeting(self._work, stage, number == rounds - 1))
            found = self._shuffled(met)
        return found

    def _shuffled(self, pairs: RDD[Any]) -> RDD[Any]:
        return pairs.partitionBy(self._tasks + self._work.buckets, int)

    def _results(self, rdd: RDD[Any], *, everything: bool) -> Any:
        partitions = self._tasks + (self._work.buckets if everything else 0)
        return Jobs(self._context, rdd, partitions, self._cores).results()

    def _measure(self, told: Callable[[Figures], None]) -> SideFigures:
        found = SideFigures()
        outcomes = self._results(self._sides.mapPartitionsWithIndex(self._work.told), everything=False)
        for _, own in outcomes:
            for kind, _, data in own:
                if kind == ERROR:
                    outcomes.close()
                    raise arrived(data, self._query.text)
                if kind == FIGURES:
                    told(Figures(*marshal.loads(data)))
                elif kind == MEASURED:
                    found.add(pickle.loads(data))
        return found
