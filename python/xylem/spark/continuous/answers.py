"""The answers of continuous queries: the output of each batch, and the state to continue.

An answer returns *messages*: stretches of text that a sink writes one after another, or sends one by one. It returns
them batch by batch; its state is saved with each batch, and after a restart another object continues from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.plan.distribution import PartKind
from xylem.result import Result
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row
from xylem.values.state_codec import DamagedState
from xylem.values.state_values import decoded, encoded

from .kept_part import kept_part
from .waiting_writer import Flow, TextWriter

FLOWING = (PartKind.MAP, PartKind.WINDOWS)
"""Parts whose rows are final on arrival."""
Rows = Mapping[int, Sequence[Row]]
"""The rows of one batch, by part, in order."""


def state_in(data: bytes) -> Any:
    """The saved state of an answer."""
    try:
        return decoded(data)
    except DamagedState as reason:
        raise DynamicError("XYRT0033", f"the state of an answer: {reason}") from reason


class Answer:
    """The interface of all kinds of answers."""

    ends_lines = False
    """Whether a message is complete by itself, so a file puts each on its own line."""
    is_live = False
    """Whether the whole answer is small and changes, so it can be shown repeatedly."""
    state_bytes = 0
    held_items = 0
    """Items kept until their results are complete."""
    late: Mapping[str, int] = {}
    """For joins by event time: the late items of the last batch, by variable."""
    keeps_state = False
    """Whether its state stays valid after the input of one run has ended."""

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        """The messages that become final with another batch: from its rows, or from its bytes."""
        raise NotImplementedError

    def finish(self) -> list[str]:
        """The rest: the stream has ended. After this the next answer begins."""
        return []

    def current(self) -> str:
        """For live answers: the whole answer if the stream had ended here."""
        raise NotImplementedError

    def left_out(self) -> list[bytes]:
        """The updates that failed since the last call: a line of JSON each."""
        return []

    def late_letters(self) -> Sequence[str]:
        """The late items of the last batch, a line of JSON each, if they are kept."""
        return ()

    def save(self, is_whole: bool) -> bytes:
        """The state for a restart: all of it, or the changes since the last call."""
        return b""

    def close(self) -> None:
        """Give up."""


class AnswerOfEach(Answer):
    """An answer for each document: one message each, in order."""

    ends_lines = True

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        return [row.value.decode("utf-8", "surrogateescape") for row in rows.get(0, ())]


class AnswerInParts(Answer):
    """One answer to the whole stream, of a query in parts (`run/tasks/program.py`).

    It is written from the rows of the parts, one part after another in the order of the text. The rows of the current
    map part are passed through, batch by batch; later parts are kept: an aggregate as its state, any other as its rows.
    After a restart the text up to there is written again, from the last row, but not returned.
    """

    def __init__(
        self,
        program: DistributedProgram,
        options: Mapping[str, Any],
        *,
        state_limit_bytes: int,
        saved: Sequence[bytes] = (),
    ) -> None:
        """`options` are those that queries see; `saved` is the output of `save`: a whole state, then changes."""
        self._program = program
        self._options = options
        self._parts = program.distribution.parts
        self._state_limit_bytes = state_limit_bytes
        self._flowing = {part.number for part in self._parts if part.kind in FLOWING and program.is_text(part.number)}
        """Parts whose rows are text that is written on arrival; the items of others are gathered and kept."""
        # Rows do not include open windows: they are not the answer if the stream ended now.
        self.is_live = not self._flowing and all(part.kind is not PartKind.WINDOWS for part in self._parts)
        self._begin()
        if saved:
            self._restore(saved)

    def _begin(self) -> None:
        self._kept = {part.number: kept_part(self._program, part, self._options) for part in self._parts}
        self._flows: dict[int, Flow[Row]] = {part.number: Flow() for part in self._parts}
        self._writer: TextWriter | None = None
        self._passed: Row | None = None
        """The last row passed through: later output may depend on it."""
        self._passed_rows = 0

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        before = self._started()
        for part in self._parts:
            some = rows.get(part.number, ())
            if part.number in self._flowing and self._open_part == part.number:
                self._pass(part.number, some)
            else:
                self._kept[part.number].add(some)
        self._check_size()
        assert self._writer is not None
        text = before + self._writer.wait()
        return [text] if text else []

    def _pass(self, part: int, rows: Sequence[Row]) -> None:
        wanted = self._wanted(part, rows)
        if wanted:
            self._passed = wanted[-1]
            self._flows[part].give(wanted)

    def _wanted(self, part: int, rows: Sequence[Row]) -> Sequence[Row]:
        """Those of the rows that are needed at all; counts them."""
        limit = self._program.limit_of(part)
        wanted = rows if limit is None else rows[: max(0, limit - self._passed_rows)]
        self._passed_rows += len(wanted)
        return wanted

    def finish(self) -> list[str]:
        before = self._started()
        assert self._writer is not None
        for part, flow in self._flows.items():
            flow.give(self._kept[part].rows())
            flow.end()
        text = before + self._writer.wait()
        self._begin()
        return [text] if text else []

    def current(self) -> str:
        return self._program.finish({part: kept.rows() for part, kept in self._kept.items()}, **self._options)

    @property
    def state_bytes(self) -> int:  # type: ignore[override]  # it is computed
        return sum(kept.size for kept in self._kept.values())

    def save(self, is_whole: bool) -> bytes:
        kept = {part: one.saved() if is_whole else one.changes() for part, one in self._kept.items()}
        passed = self._passed and tuple(self._passed)
        return encoded((self._writer is not None, passed, self._passed_rows, kept))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _restore(self, saved: Sequence[bytes]) -> None:
        has_begun, passed = False, None
        for state in saved:
            has_begun, passed, self._passed_rows, kept = state_in(state)
            for part, changes in kept.items():
                self._kept[part].restore(changes)
        if has_begun:
            self._started()
        if passed is not None and self._open_part is not None:
            assert self._writer is not None
            self._passed = Row(*passed)
            # If the number of items is limited, those already written count.
            limit = self._program.limit_of(self._open_part)
            self._flows[self._open_part].give([self._passed] * (1 if limit is None else self._passed_rows))
            self._writer.wait()

    def _write(self, write: Callable[[str], None]) -> None:
        for text in self._program.pieces(self._flows, **self._options):
            write(text)

    def _started(self) -> str:
        """The text before the first part, if it is only being written now."""
        if self._writer is not None:
            return ""
        self._writer = TextWriter(self._write, self._flows)
        text = self._writer.wait()
        self._open_part = self._writer.waits_for
        return text

    _open_part: int | None = None
    """The part that the text has reached; it does not end before the stream does."""

    def _check_size(self) -> None:
        size = self.state_bytes
        if size > self._state_limit_bytes:
            largest = max(self._parts, key=lambda part: self._kept[part.number].size)
            allowed = f"{size:,} bytes where {self._state_limit_bytes:,} are allowed"
            raise DynamicError("XYRT0023", f"{allowed}; most of it for {largest.text} ({largest.kind})")


class AnswerInItems(AnswerInParts):
    """One answer whose items are messages, without the surrounding output of the query.

    A query that does not only map items has one message, at the end.
    """

    ends_lines = True

    def __init__(self, program: DistributedProgram, options: Mapping[str, Any], **settings: Any) -> None:
        self._has_items = all(
            part.kind in FLOWING and program.is_written(part.number) for part in program.distribution.parts
        )
        super().__init__(program, options, **settings)

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        if self._has_items:
            wanted = (row for part in self._parts for row in self._wanted(part.number, rows.get(part.number, ())))
            return [text for row in wanted for text in texts_of(self._program, row)]
        for part, some in rows.items():
            self._kept[part].add(some)
        self._check_size()
        return []

    def finish(self) -> list[str]:
        if self._has_items:
            return []
        text = self.current()
        self._begin()
        return [text]


def texts_of(program: DistributedProgram, row: Row) -> list[str]:
    """The items of a row, each serialised alone."""
    if program.is_text(row.part):
        return [program.text_of(row)]
    return [Result([item], program.output).serialize() for item in program.items_of(row)]
