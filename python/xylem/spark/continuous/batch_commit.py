"""What the driver does with each batch: take its rows, extend the answers, write, commit.

    1. rows of the tasks → output of the answers                     nothing outside has changed
    2. states → disk, under the number of the batch
    3. results → sink, under the number of the batch                 may be seen from here on
    4. number of the batch → checkpoint/commit                       will not be done again

After a crash before 4, the batch is repeated with the same rows and the previous states: the sink recognises the
number, or overwrites the same files with the same content.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.run.durable_files import Journal
from xylem.run.tasks.rows import Row

from ..carried_error import arrived
from .answer_in_order import AnswerInOrder
from .answers import Answer
from .checkpoint import Checkpoint, Commit
from .progress import BatchProgress, ProgressReport
from .sinks import DirectorySink, Output, Sink, Turn
from .spark_files import offsets_digest
from .spool import Position, SpoolLog
from .task import ABOUT, ERROR, FAILED, READ, STATE
from .window_stage import WindowStage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DEAD_LETTERS = "dead letters"
LATE_ITEMS = "late items"
FIRST = "0"
"""The first input; there are several for joined streams and for streams with updates."""
START = [0, 0]


class BatchCommit:
    """The driver's side of a continuous query. Spark calls it for one batch after another."""

    def __init__(
        self,
        names: Sequence[str],
        texts: Sequence[str],
        answers: Sequence[Answer],
        sink: Sink,
        checkpoint: Checkpoint,
        report: ProgressReport,
        *,
        dead_letters: Path | None = None,
        spool: Path | None = None,
        windows: WindowStage | None = None,
        late_letters: Path | None = None,
        journals: Mapping[str, Journal] | None = None,
        gathers: bool = False,
    ) -> None:
        """`texts` belong to the queries that tasks evaluate; `spool` is for answers that see the stream in order.

        `journals`: by input, those of the files found. `gathers`: whether tasks evaluate one query per input, and each
        answer takes the rows of all.
        """
        self._gathers = gathers
        self._names = names
        self._texts = texts
        self._answers = answers
        self._sink = sink
        self._checkpoint = checkpoint
        self._report = report
        self._late_letters = None if late_letters is None else DirectorySink(str(late_letters), {LATE_ITEMS: ".jsonl"})
        self._windows = windows or WindowStage((), state_limit_bytes=0)
        self._dead_letters = (
            None if dead_letters is None else DirectorySink(str(dead_letters), {DEAD_LETTERS: ".jsonl"})
        )
        self._spool = None if spool is None else SpoolLog(spool)
        self._journals = journals or {}
        self._shown: dict[str, str] = {}
        self.commit: Commit = checkpoint.last_commit()
        self.fault: BaseException | None = None
        self._catch_up()

    def __call__(self, frame: DataFrame, batch: int) -> None:
        """Called by Spark; keeps an exception for the thread that waits for the query."""
        try:
            if self.commit.is_next(batch):
                self._take(frame, batch)
        except BaseException as error:
            self.fault = error
            raise

    def finish(self) -> None:
        """The stream has ended: the answers are completed."""
        if self.commit.is_complete:
            return
        turn = Turn(self.commit.batch, is_end=True)
        windows = self._windows.at_end(self.commit.states, self.commit.batch)
        outputs = [self._rest(number, windows.get(number, {})) for number in range(len(self._names))]
        known = self._sink.write(turn, outputs, self.commit.sink)
        # As a whole, under separate names: the states of the batch count until this is committed.
        states = {
            name: self._checkpoint.states.save(turn.batch, f"{name}-end", [], answer.save)
            for name, answer in zip(self._names, self._answers, strict=True)
            if answer.keeps_state
        }
        reached = self.commit.reached
        ended = Commit(turn.batch, True, known, self.commit.totals, reached, reached, states)
        self._commit(replace(ended, logs=self._logs(), offsets=self.commit.offsets))

    def _rest(self, number: int, windows: dict[int, list[Row]]) -> Output:
        name, answer = self._names[number], self._answers[number]
        messages = (*(answer.take(windows, ()) if windows else ()), *answer.finish())
        if answer.is_live and self._sink.wants_changes and "".join(messages) == self._shown.get(name):
            # It was the last change.
            return Output(name, (), True)
        # A complete answer ends its line, like on a command line.
        return Output(name, messages if answer.ends_lines else ("".join(messages),), True)

    def close(self) -> None:
        for answer in self._answers:
            answer.close()
        self._sink.close()

    # --- one batch

    def _take(self, frame: DataFrame, batch: int) -> None:
        began = time.time()
        states = self.commit.states
        rows, about = self._rows(self._windows.formed_by_tasks(frame, batch, self.commit), batch)
        self._windows.take(rows, [value for part, _, value in about if part == STATE], batch, states)
        read = [json.loads(value) for part, _, value in about if part == READ]
        reached = dict(self.commit.reached)
        for one in read:
            name = str(one["input"])
            if one["reached"]:
                reached[name] = max(one["reached"], reached.get(name, START))
        chunks = self._bytes(self.commit.reached.get(FIRST, START), reached.get(FIRST, START))
        self._forget_bytes(reached.get(FIRST, START))
        if self._gathers:
            # Answers get the rows of each input as if it were a part.
            inputs = {side: [row for of_part in parts.values() for row in of_part] for side, parts in rows.items()}
            rows = dict.fromkeys(range(len(self._names)), inputs)
        outputs = [self._output(number, rows.get(number, {}), chunks) for number in range(len(self._names))]
        states = self._save(batch)
        left_out = [line for answer in self._answers for line in answer.left_out()]
        for one in read[:1]:
            one["failed"] += len(left_out)
        self._bury([*(value for part, _, value in about if part == FAILED), *left_out], Turn(batch))
        known = self._sink.write(Turn(batch), outputs, self.commit.sink)
        totals = self._totals(read)
        self._bury_late(Turn(batch))
        done = Commit(batch, False, known, totals, self._began(), reached, states, self._windows.clocks)
        offsets = offsets_digest(self._checkpoint.spark_folder, batch)
        self._commit(replace(done, logs=self._logs(), offsets=offsets))
        self._tell(batch, began, read, outputs)

    def _save(self, batch: int) -> dict[str, list[str]]:
        files, before = self._checkpoint.states, self.commit.states
        answers = {
            name: files.save(batch, name, before.get(name, []), answer.save)
            for name, answer in zip(self._names, self._answers, strict=True)
        }
        return answers | self._windows.chains(before)

    def _rows(
        self, frame: DataFrame, batch: int
    ) -> tuple[dict[int, dict[int, list[Row]]], list[tuple[int, int, bytes]]]:
        """The rows by query and part, ordered; and the reports of tasks about themselves."""
        columns = frame.toArrow().sort_by([(name, "ascending") for name in ("query", "part", "range", "ordinal")])
        rows: dict[int, dict[int, list[Row]]] = {}
        about: list[tuple[int, int, bytes]] = []
        # Rows of later batches follow those of earlier ones, even where they are kept.
        first_range = batch << 64
        for query, part, key, number, ordinal, value in zip(
            *(column.to_pylist() for column in columns.columns), strict=True
        ):
            if query == ABOUT:
                about.append((part, ordinal, value))
            else:
                rows.setdefault(query, {}).setdefault(part, []).append(
                    Row(part, key, first_range + number, ordinal, value)
                )
        for part, query, value in about:
            if part == ERROR:
                raise arrived(value, self._texts[query])
        return rows, about

    def _output(self, number: int, rows: dict[int, list[Row]], chunks: Sequence[bytes]) -> Output:
        name, answer = self._names[number], self._answers[number]
        messages = tuple(answer.take(rows, chunks))
        if not (answer.is_live and self._sink.wants_changes):
            return Output(name, messages, answer.ends_lines)
        current = answer.current()
        if current == self._shown.get(name):
            return Output(name, (), True)
        self._shown[name] = current
        return Output(name, (), True, current)

    def _bury(self, records: Sequence[bytes], turn: Turn) -> None:
        """Keep records that could not be evaluated; once, like all output."""
        if self._dead_letters is not None and records:
            lines = tuple(record.decode() for record in records)
            self._dead_letters.write(turn, [Output(DEAD_LETTERS, lines, True)], {})

    def _bury_late(self, turn: Turn) -> None:
        letters = [*self._windows.letters, *(letter for answer in self._answers for letter in answer.late_letters())]
        if self._late_letters is not None and letters:
            self._late_letters.write(turn, [Output(LATE_ITEMS, tuple(letters), True)], {})

    def _totals(self, read: Sequence[dict[str, Any]]) -> dict[str, int]:
        before = {} if self.commit.is_complete and self.commit.batch < 0 else self.commit.totals
        return {name: before.get(name, 0) + sum(one[name] for one in read) for name in ("items", "bytes", "failed")}

    def _logs(self) -> dict[str, list[Any]]:
        for journal in self._journals.values():
            for _ in journal.unread():
                pass
        return {name: list(journal.reached) for name, journal in self._journals.items()}

    def _began(self) -> dict[str, list[int]]:
        """A new answer begins where the last one was completed."""
        return self.commit.reached if self.commit.is_complete else self.commit.began

    def _commit(self, commit: Commit) -> None:
        self._checkpoint.commit(commit)
        self.commit = commit

    def _tell(self, batch: int, began: float, read: Sequence[dict[str, Any]], outputs: Sequence[Output]) -> None:
        now = time.time()
        items, size, failed = (sum(one[name] for one in read) for name in ("items", "bytes", "failed"))
        if not items and not size and self._report.last is not None:
            return
        oldest_ms = min((one["oldest_ms"] for one in read if one["oldest_ms"]), default=int(now * 1000))
        texts = [message for output in outputs for message in (output.messages or (output.current or "",)) if message]
        late_by_side = {side: count for answer in self._answers for side, count in answer.late.items()}
        progress = BatchProgress(
            batch=batch,
            time=round(now, 3),
            items=items,
            bytes=size,
            seconds=round(now - began, 3),
            megabytes_per_second=round(size / 1e6 / max(now - began, 1e-3), 3),
            latency_seconds=round(max(0.0, now - oldest_ms / 1000), 3),
            state_bytes=sum(answer.state_bytes for answer in self._answers) + self._windows.state_bytes,
            held_items=self._windows.held_items + sum(answer.held_items for answer in self._answers),
            window_keys=self._windows.keys,
            late=self._windows.late + sum(late_by_side.values()),
            late_by_side=late_by_side,
            results=len(texts),
            result_bytes=sum(len(text.encode("utf-8", "surrogateescape")) for text in texts),
            malformed=failed,
            changed=sum(one["changed"] for one in read),
            total_items=self.commit.totals.get("items", 0),
            total_bytes=self.commit.totals.get("bytes", 0),
            total_malformed=self.commit.totals.get("failed", 0),
        )
        self._report.tell(progress)
        names = [name for one in read for name in one["changed_files"]]
        if names:
            more = ", …" if progress.changed > len(names) else ""
            self._report.say(f"written again between being found and being read: {', '.join(names)}{more}")

    # --- the stream itself, for answers that must see it in order

    def _catch_up(self) -> None:
        in_order = [answer for answer in self._answers if isinstance(answer, AnswerInOrder)]
        if in_order and not self.commit.is_complete:
            began, reached = self.commit.began.get(FIRST, START), self.commit.reached.get(FIRST, START)
            for answer in in_order:
                answer.catch_up(self._bytes(began, reached, answer.seen_bytes))
            self._forget_bytes(reached)

    def _bytes(self, start: list[int], end: list[int], skipped: int = 0) -> list[bytes]:
        """The bytes from one position to another, without the first position's own."""
        if self._spool is None or start == end:
            return []
        self._spool.refresh()
        first, last = Position(*start), Position(*end)
        if skipped:
            first, skipped = self._spool.passed(first, skipped)
        self._spool.check(first, last)
        chunks = []
        for stretch in self._spool.stretches(first, last):
            with open(stretch.path, "rb") as file:
                file.seek(stretch.start + skipped)
                chunks.append(file.read(stretch.size - skipped))
            skipped = 0
        return chunks

    def _forget_bytes(self, end: list[int]) -> None:
        if self._spool is not None:
            self._spool.forget_before(Position(*end))
