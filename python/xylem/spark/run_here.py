"""A run of tasks in this process, one after another: for answers that a single Spark task must compute as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NoReturn

from xylem.plan.distribution import Part

from .arriving_rows import Outcomes
from .batch import BatchRun
from .inputs import InputFile
from .joins import GATHERED_BYTES
from .shipped_query import ShippedQuery
from .task import SHUFFLED, Outcome, StageWork


class RunHere(BatchRun):
    """The same stages, tasks and reductions as on Spark, without Spark."""

    def __init__(self, query: ShippedQuery, files: Sequence[InputFile], *, partitions: int | None = None) -> None:
        super().__init__(_no_session, query, files, partitions=partitions)
        self.cores = 1
        self.joins = None
        self._gathered_limit = GATHERED_BYTES

    def _outcomes(self, stage: int, parts: list[Part], bound: Mapping[int, bytes]) -> Outcomes:
        tasks = self.plan.tasks
        is_shuffled = any(part.kind in SHUFFLED for part in parts)
        buckets = len(tasks) if is_shuffled else 0
        work = StageWork(self.query, stage, dict(bound), self._merges(stage), len(tasks), buckets)
        if not is_shuffled:
            for task in tasks:
                yield task.number, list(work.outcomes([task]))
            return
        shuffled: dict[int, list[tuple[int, Outcome]]] = {}
        for bucket, outcome in chain.from_iterable(work.bucketed([task]) for task in tasks):
            shuffled.setdefault(bucket, []).append((bucket, outcome))
        for bucket in sorted(shuffled):
            yield bucket, list(work.reduced(bucket, shuffled.pop(bucket)))


def _no_session() -> NoReturn:
    raise AssertionError("a run in this process has no session")
