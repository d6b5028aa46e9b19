"""A query over an update stream that comes message by message: its change log, and a saved state to resume from.

The log is the same however the messages are divided into runs. A run saves the history, the adapter of the feed and the
log; the next one rebuilds the operators from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xylem.errors import DynamicError, StaticError
from xylem.sink.changelog import AppendLog, ChangeLog, ChangeRow, Envelope, change_line, change_lines
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.malformed import MalformedTally
from xylem.source.update_stream.formats import UpdateFormat, message_operations
from xylem.source.update_stream.keyed import KeyedFeed
from xylem.values.saved_state import give_state, layout, state_of
from xylem.values.state_codec import DamagedState
from xylem.values.state_values import decoded, encoded

from ..program import Program
from .commits import Commit, History
from .engine import Engine
from .evaluation import Surroundings
from .feed import Feed, Late
from .final_answer import FinalAnswer, why_never_final
from .program import HistoryProgram
from .run import history_run
from .saved_history import history_state, restore_history

NOT_APPENDED = "XYST0031"


class LoggedRun:
    """Keeps the answer to one stream."""

    def __init__(
        self,
        program: Program,
        operators: HistoryProgram,
        around: Surroundings,
        how: UpdateFormat,
        name: str,
        *,
        envelope: Envelope | None = None,
        tally: MalformedTally | None = None,
        late: Late = "stop",
        limits: Limits = DEFAULT_LIMITS,
        saved: bytes | None = None,
    ) -> None:
        """`name` is what rows call the query; `saved` is what `save` gave."""
        self._how = how
        self._limits = limits
        self._envelope = envelope
        self._history = History()
        self._feed = Feed(self._history.stream(""), tally=tally, late=late, limits=limits)
        self._adapter: KeyedFeed | None = how.feed()
        # Values that were are in no history: what looks back at them is computed from the states there were.
        keeps_values = any(one.rule != "S" for one in operators.plan.kept)
        self._log: ChangeLog | AppendLog = AppendLog(name) if envelope == "append" else ChangeLog(name)
        if envelope == "append" and (why := why_never_final(operators.plan)):
            raise StaticError(NOT_APPENDED, f"nothing of it is final while more may come: {why}")
        self._messages = 0
        state = None if saved is None else self._restored(saved)
        why_whole = "" if state is None else state[1]
        self._run = history_run(
            program, self._history, around, None if keeps_values else operators, why_whole=why_whole
        )
        if state is not None:
            commit = restore_history(self._history, state[0])
            if commit.number:
                self._run.follow(commit)
        self._final: FinalAnswer | None = None
        if isinstance(self._log, AppendLog):
            self._final = FinalAnswer(self._run, operators.plan, [self._feed], self._log.rows_given)

    def take(self, message: bytes) -> Iterator[str]:
        """The lines of the change log that a message leads to."""
        is_first = self._messages == 0
        self._messages += 1
        for operation in message_operations(message, self._how, self._adapter, self._limits, is_first=is_first):
            commit = self._feed.apply(operation)
            if commit is not None:
                yield from self._lines(commit)

    def _lines(self, commit: Commit) -> Iterator[str]:
        is_changed = self._run.follow(commit) or commit.number == 1
        for row in self._rows(commit, is_changed):
            if self._envelope is None:
                yield change_line(row)
            else:
                yield from change_lines(row, self._envelope)

    def _rows(self, commit: Commit, is_changed: bool) -> Iterable[ChangeRow]:
        if isinstance(self._log, AppendLog):
            assert self._final is not None
            return self._log.rows(commit.number, commit.time, self._final.parts())
        return self._log.rows(commit.number, commit.time, self._run.edits) if is_changed else ()

    # --- from one start to the next

    def save(self) -> bytes:
        """All that is needed to go on."""
        history, log = history_state(self._history), state_of(self._log)
        why_whole = self._run.why_whole if isinstance(self._run, Engine) else ""
        return encoded((history, self._adapter_state(), log, self._messages, why_whole))

    def _adapter_state(self) -> tuple[str, Any] | None:
        return None if self._adapter is None else (layout(self._adapter), state_of(self._adapter))

    def _restored(self, saved: bytes) -> tuple[tuple[Any, ...], str]:
        """The history that was, and why operators had given up."""
        try:
            history, adapter, log, self._messages, why_whole = decoded(saved)
        except (DamagedState, ValueError) as reason:
            raise DynamicError("XYRT0033", f"the state of an answer: {reason}") from reason
        if self._adapter is not None:
            give_state(self._adapter, adapter[1])
        give_state(self._log, log)
        return history, why_whole
