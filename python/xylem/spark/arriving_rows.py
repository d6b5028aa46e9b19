"""The rows of one stage on the driver, while its tasks deliver them: each part in the order of the answer.

The rows of a map are passed on as they arrive. An aggregate is merged on arrival, and is complete when all tasks are.
Sorted or shuffled rows arrive in sorted runs, which are merged when all have arrived. Tasks may finish in any order:
their runs are stored at once, and order-dependent outcomes (states, errors) wait for their turn.
"""

from __future__ import annotations

import marshal
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Protocol

from xylem.errors import XylemError
from xylem.plan.distribution import Part, PartKind
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row

from .carried_error import arrived
from .row_spool import PartRows, RowSpool, SortedRuns, unpacked
from .shipped_query import ShippedQuery
from .task import ERROR, FIGURES, ROWS, SHUFFLED, Figures, Outcome

Outcomes = Generator[tuple[int, list[Outcome]], None, None]
"""The outcomes of tasks, with the task numbers."""


class Run(Protocol):
    """The owner of the rows."""

    query: ShippedQuery

    def arrived(self, figures: Figures) -> None: ...


class ArrivingRows:
    """The rows of the parts of one stage."""

    def __init__(
        self,
        program: DistributedProgram,
        parts: Sequence[Part],
        spool: RowSpool,
        outcomes: Outcomes,
        run: Run,
        *,
        merges: bool = True,
        in_turn: bool = True,
    ) -> None:
        """Without `merges` the states of aggregates stay separate: later stages may need that of each range.

        Without `in_turn` nothing waits for earlier tasks.
        """
        self._program = program
        self._run = run
        self._outcomes = outcomes
        self._error: XylemError | None = None
        self._coming = {part.number: PartRows(spool) for part in parts}
        self._runs = {
            part.number: SortedRuns(spool, of_tasks=part.kind is PartKind.SORT)
            for part in parts
            if part.kind is PartKind.SORT or part.kind in SHUFFLED
        }
        self._aggregates = {part.number for part in parts if part.kind is PartKind.AGGREGATE and merges}
        self._states: dict[int, Row] = {}
        self._in_turn = in_turn
        self._next = 0
        self._early: dict[int, list[Outcome]] = {}
        """Outcomes that wait for their turn, of finished tasks from `_next` on."""

    def rows(self, part: Part) -> Iterator[Row]:
        """The rows of one part in the order of the answer; an error of a task comes after all rows before it."""
        if part.number in self._aggregates:
            self._wait_for_all()
            if part.number in self._states:
                yield self._states[part.number]
        elif part.number in self._runs:
            self._wait_for_all()
            yield from self._runs[part.number].merged()
        else:
            coming = self._coming[part.number]
            while coming or self._take_one():
                if coming:
                    yield from coming.next_rows()
            self._raise()

    def _wait_for_all(self) -> None:
        while self._take_one():
            pass
        self._raise()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _take_one(self) -> bool:
        """Take the outcomes of one more task; False if there is none, or none that matters after an error."""
        if self._error is not None:
            return False
        taken = next(self._outcomes, None)
        if taken is None:
            return False
        number, outcomes = taken
        waiting = self._early.setdefault(number if self._in_turn else self._next, [])
        for outcome in outcomes:
            kind, part, data = outcome
            if kind == FIGURES:
                self._run.arrived(Figures(*marshal.loads(data)))
            elif kind == ROWS and part in self._runs:
                self._runs[part].add(number, data)
            else:
                waiting.append(outcome)
        while self._error is None and self._next in self._early:
            self._take_in_turn(self._early.pop(self._next))
            self._next += 1
        return True

    def _take_in_turn(self, outcomes: list[Outcome]) -> None:
        for kind, part, data in outcomes:
            if kind == ERROR:
                self._error = arrived(data, self._run.query.text)
                # Outcomes of later tasks are useless.
                self._outcomes.close()
            elif part in self._aggregates:
                self._merge(unpacked(data))
            else:
                self._coming[part].add(data)

    def _merge(self, rows: Iterable[Row]) -> None:
        for row in rows:
            before = self._states.get(row.part)
            if before is None:
                self._states[row.part] = row
            else:
                state = self._program.merge(row.part, before.value, row.value, **self._run.query.seen())
                self._states[row.part] = before._replace(value=state)
