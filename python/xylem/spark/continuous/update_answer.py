"""The change log of a query over an update stream: messages in their order, one answer, kept by the driver.

Tasks read the messages and check them; operators that take back what they gave need all of them in one place. The state
is the history that the query looks back at, so a batch that is done again after a crash gives the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xylem.errors import DynamicError
from xylem.query.history_query import HistoryQuery
from xylem.run.history.evaluation import Surroundings
from xylem.run.history.feed import Late
from xylem.run.history.logged_run import LoggedRun
from xylem.sink.changelog import Envelope
from xylem.source.malformed import MalformedRecord, MalformedTally
from xylem.source.update_stream.formats import UpdateFormat

from ..shipped_query import ShippedQuery
from .answers import Answer, Rows
from .subscription import Malformed

WHOLE_DOCUMENT = "/"
"""What tasks ask of each message."""


@dataclass(frozen=True)
class UpdateStream:
    """How messages carry updates, and how the change log is written."""

    how: UpdateFormat
    envelope: Envelope | None = None
    late: Late = "stop"

    @property
    def told(self) -> list[str | None]:
        """What must stay the same as long as a checkpoint is used."""
        how = self.how
        return [how.name, how.record, how.key, how.time, how.version, how.delete, self.envelope]


class UpdateAnswer(Answer):
    """Gives the rows of the change log.

    Holds:  the document as the updates have left it, the versions that the query looks back at, and the answer.
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
        compiled = HistoryQuery(query.text, query.compiled.environment)
        seen = query.seen()
        around = Surroundings(seen["resources"], seen["variables"], seen["environment"], query.output or None)
        self._limit = state_limit_bytes
        self._run = LoggedRun(
            compiled.program,
            compiled.operators,
            around,
            stream.how,
            name,
            envelope=stream.envelope,
            tally=None if malformed is Malformed.STOP else MalformedTally(keep=_teller(stream)),
            late=stream.late,
            limits=query.limits,
            saved=saved[-1] if saved else None,
        )

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        return [line for row in rows.get(0, ()) for line in self._run.take(row.value)]

    def save(self, is_whole: bool) -> bytes:
        state = self._run.save()
        self.state_bytes = len(state)
        if self.state_bytes > self._limit:
            told = f"{self.state_bytes:,} bytes where {self._limit:,} are allowed; the history of an update stream"
            raise DynamicError("XYRT0023", told)
        return state


def _teller(stream: UpdateStream) -> Callable[[MalformedRecord], object]:
    def tell(record: MalformedRecord) -> None:
        stream.how.warn(f"an update was left out: {record.error}")

    return tell
