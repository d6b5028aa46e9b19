"""Rows of many small documents, reduced before they leave a task: one for each aggregate, one for each group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xylem.plan.distribution import PartKind
from xylem.run.tasks.rows import Row

from .subscription import Mode, Work

TaskRow = tuple[int, int, bytes, int, int, bytes]
"""Query, part, key, range, ordinal, value."""
MOST_ROWS = 20_000
"""Most rows of groups that wait to be combined."""


class MergedRows:
    """Holds rows of aggregates and groups, and passes on all others at once."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._kinds: dict[tuple[int, int], PartKind] = {}
        self._states: dict[tuple[int, int], Row] = {}
        self._groups: dict[tuple[int, int, bytes], list[Row]] = {}
        self._held = 0

    def passed(self, rows: Iterable[TaskRow]) -> Iterator[TaskRow]:
        """The rows that need not wait."""
        for task_row in rows:
            query, row = task_row[0], Row(*task_row[1:])
            kind = self._kind(query, row.part)
            if kind is PartKind.AGGREGATE:
                self._merge(query, row)
            elif kind is PartKind.GROUP:
                self._groups.setdefault((query, row.part, row.key), []).append(row)
                self._held += 1
                if self._held > MOST_ROWS:
                    self._combine()
            else:
                yield task_row

    def rest(self) -> Iterator[TaskRow]:
        """The rows that waited, at the end of the task."""
        self._combine()
        for (query, _), row in self._states.items():
            yield query, *row
        for (query, _, _), rows in self._groups.items():
            for row in rows:
                yield query, *row

    def _kind(self, query: int, part: int) -> PartKind | None:
        known = self._kinds.get((query, part))
        if known is None and query >= 0 and self._work.subscriptions[query].mode is Mode.SPREAD:
            parts = self._work.subscriptions[query].query.program().distribution.parts
            known = self._kinds[query, part] = next(one.kind for one in parts if one.number == part)
        return known

    def _merge(self, query: int, row: Row) -> None:
        before = self._states.get((query, row.part))
        if before is not None:
            told = self._work.subscriptions[query].query
            row = before._replace(value=told.program().merge(row.part, before.value, row.value, **told.seen()))
        self._states[query, row.part] = row

    def _combine(self) -> None:
        for (query, part, key), rows in self._groups.items():
            if len(rows) > 1:
                told = self._work.subscriptions[query].query
                combined = told.program().combine(part, rows, from_first=False, **told.seen())
                self._groups[query, part, key] = list(combined)
        self._held = sum(map(len, self._groups.values()))
