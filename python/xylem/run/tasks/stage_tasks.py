"""The tasks of one stage, one range after another in one process, with the preparation that all ranges share.

Values from earlier stages are unpacked and looked-up tables are filled for the first range; generated code and handlers
stay loaded (`run/stream/document_runs.py`). For thousands of small files, this is most of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from xylem.functions.context import Context

from .counted_together import CountedTogether
from .document_rows import DocumentRows
from .map_task import MapTask
from .part_query import RunOptions
from .part_task import PartTask
from .rows import Row


class StageTasks:
    """Tasks that lack only their range.

    Holds:  the values of earlier stages, and the state of a run over one range.
    """

    def __init__(
        self,
        tasks: Sequence[PartTask],
        counts: CountedTogether,
        run: RunOptions,
        context_of: Callable[[RunOptions], Context],
        bound: Mapping[PartTask, bytes],
        *,
        each_item: bool,
    ) -> None:
        """`bound` has the values of earlier stages, by their task."""
        self._tasks = tasks
        self._counts = counts
        self._context_of = context_of
        self._bound = bound
        self._each_item = each_item
        self._run = run
        self._is_by_range = any(task.part.is_by_range for task in bound)
        """Whether some value differs from range to range."""
        self._known: tuple[RunOptions, list[tuple[PartTask, RunOptions, Context]]] | None = None

    def rows(self, source: Any, range_number: int) -> Iterator[Row]:
        """The rows of one range."""
        run, prepared = self._prepared(range_number)
        counted = self._counts.rows(self._tasks, source, range_number, run) if len(prepared) > 1 else {}
        yield from counted.values()
        for task, own, context in prepared:
            if task.part.number not in counted:
                yield from task.rows(source, range_number, own, context, self._each_item)

    def document_rows(self) -> DocumentRows | None:
        """The function that makes rows of small documents that the scan answers, if the stage's only task allows it."""
        if len(self._tasks) != 1 or self._bound or self._each_item or not isinstance(self._tasks[0], MapTask):
            return None
        return self._tasks[0].document_rows()

    def _prepared(self, range_number: int) -> tuple[RunOptions, list[tuple[PartTask, RunOptions, Context]]]:
        known = self._known
        if known is None:
            values = {task.part.number: task.bound_value(data, range_number) for task, data in self._bound.items()}
            run = self._run.with_parts(values) if values else self._run
            each = [(task, task.with_lookups(run)) for task in self._tasks]
            known = run, [(task, own, self._context_of(own)) for task, own in each]
            if not self._is_by_range:
                self._known = known
        return known
