"""The change log of a query over update streams: messages in their order, one answer, kept by the driver.

Tasks read the messages and check them. If each record of a keyed feed has independent results, they evaluate the
records, too. Operators that retract results need all of them in one place. The state is the history that the query
looks back at, or the messages since it was last saved: a batch repeated after a crash, and a state rebuilt from
messages, yield the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from xylem.errors import DynamicError
from xylem.query.history_query import HistoryQuery
from xylem.run.history.evaluation import Answer as AnswerThen
from xylem.run.history.evaluation import Surroundings
from xylem.run.history.logged_run import LoggedRun
from xylem.source.malformed import MalformedRecord, MalformedTally
from xylem.values.state_values import encoded

from ..shipped_query import ShippedQuery
from .answers import Answer, Rows, state_in
from .subscription import Malformed
from .task import EXCERPT_BYTES
from .update_stream import UpdateStream

WHOLE_DOCUMENT = "/"
"""The query that tasks evaluate for each message."""


class UpdateAnswer(Answer):
    """Returns the rows of the change log.

    Holds:  the document after all updates, the versions that the query looks back at, and the answer.
    """

    ends_lines = True
    keeps_state = True

    def __init__(
        self,
        query: ShippedQuery,
        name: str,
        stream: UpdateStream,
        *,
        malformed: Malformed,
        state_limit_bytes: int,
        saved: Sequence[bytes] = (),
    ) -> None:
        """`saved` is the output of `save`: a whole state, then the messages of each batch."""
        compiled = HistoryQuery(query.text, query.compiled.environment)
        seen = query.seen()
        around = Surroundings(seen["resources"], seen["variables"], seen["environment"], query.output or None)
        self._limit = state_limit_bytes
        self._name = name
        self._stream = stream
        self._malformed = malformed
        self._letters: list[bytes] = []
        self._since: list[tuple[int, bytes]] = []
        """The messages since the last save, each with the number of its input."""
        self._run = LoggedRun(
            compiled.program,
            compiled.operators,
            around,
            stream.how,
            name,
            streams=stream.names,
            envelope=stream.envelope,
            tally=None if malformed is Malformed.STOP else MalformedTally(keep=self._bury),
            late=stream.late,
            limits=query.limits,
            keep=stream.keep,
            saved=saved[0] if saved else None,
            rows_of=stream.record if stream.by_tasks else None,
        )
        self.state_bytes = sum(map(len, saved))
        for messages in saved[1:]:
            for number, message in state_in(messages):
                for _ in self._run.take(message, number):
                    pass
        # Updates skipped then have been reported.
        self._letters.clear()
        self._is_told = True

    _is_told = False

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        lines: list[str] = []
        for number in range(len(self._stream.names)):
            for row in rows.get(number, ()):
                self._since.append((number, row.value))
                lines += self._run.take(row.value, number)
        return lines

    def finish(self) -> list[str]:
        return list(self._run.finish())

    def left_out(self) -> list[bytes]:
        letters, self._letters = self._letters, []
        return letters

    def save(self, is_whole: bool) -> bytes:
        since, self._since = self._since, []
        if not is_whole:
            changes = encoded(since)
            self.state_bytes += len(changes)
            return changes
        state = self._run.save()
        self.state_bytes = len(state)
        if self.state_bytes > self._limit:
            told = f"{self.state_bytes:,} bytes where {self._limit:,} are allowed; the history of an update stream"
            raise DynamicError("XYRT0023", told)
        return state

    def as_of(self, time: Decimal) -> AnswerThen:
        """The answer as of a time. XYDY0021 if that is not known any more."""
        return self._run.as_of(time)

    def _bury(self, record: MalformedRecord) -> None:
        """Report an update that cannot be applied; with the update, if it is to be kept."""
        if not self._is_told:
            return
        told: dict[str, Any] = {
            "source": record.error.source,
            "code": record.error.code,
            "message": record.error.message,
            "bytes": record.size,
            "excerpt": record.data[:EXCERPT_BYTES].decode("utf-8", "replace"),
            "query": self._name,
        }
        if self._malformed is Malformed.DEAD_LETTER:
            told["record"] = record.data.decode("utf-8", "replace")
        self._letters.append(json.dumps(told).encode())
        self._stream.how.warn(f"an update was left out: {record.error}")
