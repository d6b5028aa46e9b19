"""A query over update streams that arrive message by message: its change log, and a saved state to resume from.

The log is the same however the messages are divided into runs. A run saves the history, the adapters of the feeds, the
operations that wait for another stream, and the log; the next run rebuilds the operators from these.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from xylem.errors import DynamicError, StaticError
from xylem.sink.changelog import AppendLog, ChangeLog, ChangeRow, Envelope, change_line, change_lines
from xylem.sink.display_edits import Edits
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.malformed import MalformedTally
from xylem.source.update_stream.formats import UpdateFormat, message_operations, message_run
from xylem.source.update_stream.keyed import KeyedFeed
from xylem.source.update_stream.operations import Operation
from xylem.source.update_stream.records import Path
from xylem.source.update_stream.saved_operations import operation_of, plain_operation
from xylem.values.saved_state import give_state, layout, state_of
from xylem.values.state_codec import DamagedState
from xylem.values.state_values import decoded, encoded

from ..program import Program
from .commits import Commit, History
from .engine import Engine
from .evaluation import Answer, HistoryRun, Surroundings
from .feed import Feed, Late
from .final_answer import FinalAnswer, why_never_final
from .kept_past import KeptPast
from .merged_streams import Waiting
from .program import HistoryProgram
from .record_messages import records_in
from .record_rows import with_rows
from .retention import Keep
from .run import history_run
from .saved_history import history_state, restore_history
from .text_runs import TextRuns

NOT_APPENDED = "XYST0031"
ONE_STREAM = ("",)


class LoggedRun:
    """Keeps the answer to some streams."""

    def __init__(
        self,
        program: Program,
        operators: HistoryProgram,
        around: Surroundings,
        how: UpdateFormat,
        name: str,
        *,
        streams: Sequence[str] = ONE_STREAM,
        envelope: Envelope | None = None,
        tally: MalformedTally | None = None,
        late: Late = "stop",
        limits: Limits = DEFAULT_LIMITS,
        keep: Keep | None = None,
        saved: bytes | None = None,
        rows_of: Path | None = None,
    ) -> None:
        """`name` is the name of the query in rows, `streams` its names for streams, `saved` the result of `save`.

        `rows_of`: paths of records that were evaluated already; messages are those of `record_messages.py`.
        """
        self._how = how
        self._limits = limits
        self._envelope = envelope
        self._history = History()
        self._feeds = [Feed(self._history.stream(one), tally=tally, late=late, limits=limits) for one in streams]
        self._adapters: list[KeyedFeed | None] = [how.feed() for _ in streams]
        self._messages = [0 for _ in streams]
        self._simple = message_run(how, limits)
        self._waiting = Waiting(len(streams))
        self._log: ChangeLog | AppendLog = AppendLog(name) if envelope == "append" else ChangeLog(name)
        if envelope == "append" and (why := why_never_final(operators.plan)):
            raise StaticError(NOT_APPENDED, f"nothing of it is final while more may come: {why}")
        state = None if saved is None else self._restored(saved)
        # Histories hold no earlier values: lookups of the past recompute them from earlier states.
        keeps_values = any(one.rule != "S" for one in operators.plan.kept)
        self._past = KeptPast(program, self._history, around, keep)
        self._run: HistoryRun
        self._has_rows = rows_of is not None
        if rows_of is None:
            self._run = history_run(
                program,
                self._history,
                around,
                None if keeps_values else operators,
                why_whole="" if state is None else state[1],
                truncates=keep is None,
            )
        else:
            text = operators.program.module.span.source.text
            self._run = Engine(with_rows(operators, rows_of, text), self._history, around, None, truncates=True)
        if state is not None:
            commit = restore_history(self._history, state[0])
            if commit.number:
                self._run.follow(commit)
        self._texts: TextRuns | None = None
        self._may_run_texts = len(streams) == 1 and rows_of is None and keep is None and envelope != "append"
        """Whether the kernel may yet be asked whether it answers updates of texts."""
        self._final: FinalAnswer | None = None
        if isinstance(self._log, AppendLog):
            self._final = FinalAnswer(self._run, operators.plan, self._feeds, self._log.rows_given)

    def take(self, message: bytes, stream: int = 0) -> Iterator[str]:
        """The lines of the change log for a message of a stream."""
        is_first = self._messages[stream] == 0
        self._messages[stream] += 1
        answered = None if is_first else self._answered(message)
        if answered is not None:
            for told, edits in answered:
                yield from self._told(told, edits)
            return
        adapter = self._adapters[stream]
        if self._has_rows and adapter is not None:
            operations = adapter.of_records(records_in(message, adapter))
        else:
            operations = message_operations(
                message,
                self._how,
                adapter,
                self._limits,
                is_first=is_first,
                simple=self._simple,
                leaves_runs=self._texts is not None,
            )
        if len(self._feeds) > 1:
            self._waiting.operations[stream].extend(operations)
            yield from self._taken()
            return
        apply = self._feeds[0].apply
        for operation in operations:
            if operation.simple is not None and self._texts is not None:
                for told, edits in self._texts.followed(operation):
                    yield from self._told(told, edits)
                continue
            commit = apply(operation)
            if commit is not None:
                yield from self._lines(commit)
            if self._texts is not None:
                self._texts.know(operation)

    def _answered(self, message: bytes) -> Iterator[tuple[Commit, Edits | None]] | None:
        """The commits of a message and their edits, if it consists of updates that the kernel may answer."""
        simple = self._simple
        if simple is None or (self._texts is None and not self._may_run_texts):
            return None
        if self._may_run_texts:
            self._may_run_texts = False
            if isinstance(self._run, Engine):
                self._texts = TextRuns.of(self._run, self._feeds[0])
        return None if self._texts is None else self._texts.message(message, simple)

    def finish(self) -> Iterator[str]:
        """The lines for operations that wait for another stream, which will send nothing for now."""
        yield from self._taken(is_end=True)

    def as_of(self, time: Decimal) -> Answer:
        """The answer as of a time that is still known. XYDY0021 for earlier times."""
        return self._past.answer(time, self._run)

    def _taken(self, *, is_end: bool = False) -> Iterator[str]:
        while (found := self._waiting.next(is_end=is_end)) is not None:
            number, operation = found
            # A base with inner updates is taken as a whole, because a state is never saved in the middle of one.
            # Input of another stream may then be earlier, and is still in time.
            if operation.time == self._waiting.times[number] < self._history.now:
                operation.time = None
            yield from self._applied(number, operation)
            waiting = self._waiting.operations[number]
            while waiting and self._feeds[number].updates.base.depth:
                yield from self._applied(number, waiting.popleft())

    def _applied(self, number: int, operation: Operation) -> Iterator[str]:
        commit = self._feeds[number].apply(operation)
        if commit is not None:
            yield from self._lines(commit)

    def _lines(self, commit: Commit) -> Iterator[str]:
        is_changed = self._run.follow(commit) or commit.number == 1
        yield from self._told(commit, self._run.edits if is_changed else None)

    def _told(self, commit: Commit, edits: Edits | None) -> Iterator[str]:
        self._past.follow(commit, self._run)
        for row in self._rows(commit, edits):
            if self._envelope is None:
                yield change_line(row)
            else:
                yield from change_lines(row, self._envelope)

    def _rows(self, commit: Commit, edits: Edits | None) -> Iterable[ChangeRow]:
        if isinstance(self._log, AppendLog):
            assert self._final is not None
            return self._log.rows(commit.number, commit.time, self._final.parts())
        return () if edits is None else self._log.rows(commit.number, commit.time, edits)

    # --- from one run to the next

    def save(self) -> bytes:
        """All state needed to continue."""
        history, log = history_state(self._history), state_of(self._log)
        why_whole = self._run.why_whole if isinstance(self._run, Engine) else ""
        adapters = [None if one is None else (layout(one), state_of(one)) for one in self._adapters]
        waiting = [[plain_operation(one) for one in some] for some in self._waiting.operations]
        incoming = adapters, self._messages, waiting, self._waiting.times
        return encoded((history, incoming, log, why_whole))

    def _restored(self, saved: bytes) -> tuple[tuple[Any, ...], str]:
        """The saved history, and the reason if operators had given up."""
        try:
            history, (adapters, self._messages, waiting, times), log, why_whole = decoded(saved)
        except (DamagedState, ValueError) as reason:
            raise DynamicError("XYRT0033", f"the state of an answer: {reason}") from reason
        for adapter, state in zip(self._adapters, adapters, strict=True):
            if adapter is not None:
                give_state(adapter, state[1])
        self._waiting.operations = [deque(map(operation_of, some)) for some in waiting]
        self._waiting.times = times
        give_state(self._log, log)
        return history, why_whole
