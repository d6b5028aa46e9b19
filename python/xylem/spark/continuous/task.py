"""The work of one task: evaluate all queries over its pieces, and return rows.

A row is (query, part, key, range, ordinal, value), as `run/tasks/rows.py` has it, with the number of the query before
it. Rows of query -1 describe the task itself: its input, and the records it could not evaluate.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from xylem.errors import DynamicError, InputError, XylemError
from xylem.run.limited_run import limited
from xylem.run.tasks.flat_items import NOT_FLAT
from xylem.source.byte_ranges import ByteRange

from ..carried_error import carried
from ..shipped_query import ShippedQuery
from .document_answers import DocumentAnswers
from .merged_rows import MergedRows, TaskRow
from .pieces import MessageRun, Piece, by_items, content
from .subscription import Changed, Malformed, Mode, Work
from .update_stream import RecordTask

ROW_SCHEMA = "query int, part int, key binary, range long, ordinal long, value binary"
ABOUT = -1
READ, FAILED, ERROR, STATE = 0, 1, 2, 3
"""Parts of query -1: figures of the input, each failed piece, the error that ended the task, the state of windows."""
EXCERPT_BYTES = 200
NAMES_OF_CHANGED = 3
"""Most names of changed files that a task reports; it counts all of them."""
WAY_OUT = "repair it and start again, or leave it out: --on-malformed skip, --on-malformed dead-letter=DIR"


class Task:
    """The evaluation of a few pieces. It is used once."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._read = {"items": 0, "bytes": 0, "failed": 0, "oldest_ms": 0, "changed": 0}
        self._changed_files: list[str] = []
        self._reached: tuple[int, int] | None = None
        self._failures: list[TaskRow] = []
        self._texts = [one.query.text for one in work.subscriptions]
        self._query = 0
        """The query that is being evaluated."""
        self._merged = MergedRows(work)

    def rows(self, given: Iterable[Piece | MessageRun]) -> Iterator[TaskRow]:
        """The rows of all queries over the pieces, then those about the task."""
        first = self._work.input_number
        for row in self._own_rows(given):
            yield row if row[0] == ABOUT else (first + row[0], *row[1:])

    def _own_rows(self, given: Iterable[Piece | MessageRun]) -> Iterator[TaskRow]:
        began = time.monotonic()
        number = 0
        try:
            for one in given:
                for piece in one.pieces() if isinstance(one, MessageRun) else [one]:
                    number = piece.number
                    self._note(piece)
                    yield from self._merged.passed(self._evaluated(piece))
                    self._look_after(piece)
                self._reached = one.reached
        except Exception as error:
            # Spark would retry, and then report it in its own way.
            query = self._work.input_number + self._query
            yield ABOUT, ERROR, b"", number, query, carried(error, self._texts[self._query])
        yield from self._merged.rest()
        yield from self._failures
        about = self._read | {
            "ms": int((time.monotonic() - began) * 1000),
            "reached": self._reached,
            "input": self._work.input_number,
            "changed_files": self._changed_files,
        }
        yield ABOUT, READ, b"", number, 0, json.dumps(about).encode()

    def _look_after(self, piece: Piece) -> None:
        """Check after reading that a file is the one that was found."""
        if not piece.is_changed():
            return
        if self._work.changed is Changed.STOP:
            raise InputError("XYIN0032", piece.name)
        self._read["changed"] += 1
        if len(self._changed_files) < NAMES_OF_CHANGED:
            self._changed_files.append(piece.name)

    def _note(self, piece: Piece) -> None:
        read = self._read
        read["items"] += piece.items
        read["bytes"] += piece.size
        read["oldest_ms"] = min(read["oldest_ms"] or piece.arrived_ms, piece.arrived_ms)

    def _evaluated(self, piece: Piece) -> Iterator[TaskRow]:
        failed_before = len(self._failures)
        for number in range(len(self._work.subscriptions)):
            self._query = number
            if self._work.malformed is Malformed.STOP:
                yield from self._rows_or_error(number, piece)
            else:
                yield from self._rows_or_failures(number, piece)
        # A piece that no query can read counts once.
        self._read["failed"] += len({row[3] for row in self._failures[failed_before:]})

    def _rows_or_error(self, number: int, piece: Piece) -> Iterator[TaskRow]:
        try:
            yield from self._of_query(number, piece)
        except DynamicError as error:
            raise named(error, piece) from error

    def _rows_or_failures(self, number: int, piece: Piece) -> list[TaskRow]:
        """All rows of a piece, or none: a piece that cannot be evaluated as a whole contributes nothing."""
        try:
            return list(self._of_query(number, piece))
        except DynamicError as error:
            if error.code == NOT_FLAT:
                # Not a fault of the record: no similar record can be answered.
                raise
            if not isinstance(piece.source, ByteRange):
                self._fail(number, piece, error)
                return []
        items = by_items(piece, self._work.subscriptions[number].query.program().scopes)
        return [row for item in items for row in self._rows_or_failures(number, item)]

    def _fail(self, number: int, piece: Piece, error: DynamicError) -> None:
        record = failure_record(piece, error, whole=self._work.malformed is Malformed.DEAD_LETTER)
        record["query"] = self._work.subscriptions[number].name
        self._failures.append((ABOUT, FAILED, b"", piece.number, number, json.dumps(record).encode()))

    def _of_query(self, number: int, piece: Piece) -> Iterator[TaskRow]:
        subscription = self._work.subscriptions[number]
        if subscription.mode is Mode.EACH:
            return limited(self._answer(number, subscription.query, piece), self._work.run_limits)
        if subscription.mode is Mode.SPREAD:
            return limited(self._parts(number, subscription.query, piece), self._work.run_limits)
        return iter(())

    def _answer(self, number: int, query: ShippedQuery, piece: Piece) -> Iterator[TaskRow]:
        assert not isinstance(piece.source, ByteRange)
        if self._work.feed is not None:
            evaluated = query.once(RecordTask).evaluated(content(piece), dict(self._work.feed))
            yield number, 0, b"", piece.number, 0, evaluated
            return
        answer = query.once(DocumentAnswers).answer(piece.source, piece.arrived_ms)
        if answer:
            yield number, 0, b"", piece.number, 0, answer

    def _parts(self, number: int, query: ShippedQuery, piece: Piece) -> Iterator[TaskRow]:
        source = str(piece.source) if isinstance(piece.source, Path) else piece.source
        settings = {"each_item": self._work.each_item, "scanner": query.scanner, **query.options()}
        arrived = piece.arrived_ms.to_bytes(8) if self._work.is_joined else None
        for row in query.program().task(0, source, piece.number, {}, **settings):
            yield number, row.part, arrived or row.key, row.range, row.ordinal, row.value


def named(error: DynamicError, piece: Piece) -> XylemError:
    """The error with the document it arose in."""
    if isinstance(piece.source, ByteRange):
        return error
    if isinstance(error, InputError):
        # Whatever the name of the input where it was read.
        placed: DynamicError = error.located(piece.name)
    else:
        placed = type(error)(error.code, f"{piece.name}: {error.why}", span=error.span)
    placed.hint = error.hint or WAY_OUT
    placed.__cause__ = error.__cause__
    return placed


def failure_record(piece: Piece, error: DynamicError, *, whole: bool) -> dict[str, Any]:
    """The report on a piece that cannot be evaluated; with the whole piece, if it is to be kept."""
    try:
        data = content(piece)
    except InputError:
        # It is missing or unreadable: the error says so.
        data = b""
    record: dict[str, Any] = {
        "source": piece.name,
        "code": error.code,
        "message": error.message,
        "bytes": len(data),
        "excerpt": data[:EXCERPT_BYTES].decode("utf-8", "replace"),
    }
    place = error.place if isinstance(error, InputError) else None
    if place is not None:
        record |= {"line": place.line, "byte_offset": place.byte_offset, "path": place.path}
    if whole:
        try:
            record["record"] = data.decode("utf-8")
        except UnicodeDecodeError:
            record["record_base64"] = base64.b64encode(data).decode()
    return record
