"""Counts of one stage in one scan: the scan counts for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.errors import InputError, XylemError
from xylem.syntax import ast

from .aggregate_task import AggregateTask
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask
from .rows import Row


class CountedTogether:
    """Queries for the counts of several parts at once, by set of parts."""

    def __init__(self, compiler: PartCompiler) -> None:
        self._compiler = compiler
        self._queries: dict[tuple[int, ...], PartQuery] = {}

    def prepare(self, tasks: Sequence[PartTask]) -> None:
        """Compile everything that tasks of a stage need."""
        counts = _counts(tasks)
        if len(counts) > 1:
            self._query(counts).prepare_items()

    def rows(self, tasks: Sequence[PartTask], source: Any, range_number: int, run: RunOptions) -> dict[int, Row]:
        """The rows of the counts among some tasks; none if there are fewer than two, or if they need a tree."""
        counts = _counts(tasks)
        if len(counts) < 2:
            return {}
        query = self._query(counts)
        if not query.is_streamed:
            return {}
        try:
            found = list(query.items(source, run))
        except InputError:
            raise
        except XylemError:
            # One of them failed, and its value may never be read: count each on its own.
            return {}
        numbered = zip(counts, found, strict=True)
        return {
            task.part.number: task.counted(count - task.around(source, run), range_number) for task, count in numbered
        }

    def _query(self, counts: Sequence[AggregateTask]) -> PartQuery:
        key = tuple(task.part.number for task in counts)
        query = self._queries.get(key)
        if query is None:
            body = ast.SequenceExpr(tuple(task.counting for task in counts))
            query = self._queries[key] = PartQuery(self._compiler, body)
        return query


def _counts(tasks: Sequence[PartTask]) -> list[AggregateTask]:
    return [task for task in tasks if isinstance(task, AggregateTask) and task.is_counting and not task.part.lookups]
