"""Runs of updates that the kernel answers: it holds the units of a loop as small documents, and changes their texts.

    texts = TextRuns.of(engine, feed)              None where code must evaluate units
    for commit, edits in texts.followed(run): …    `run` is an operation with unparsed updates

Most updates replace the text of a region (`text_regions.py`), and most loops give results that a template can write.
Then one call handles a run of them: the kernel reads the updates, changes the documents (`text_documents.py`) and
writes the results of their units. Python updates the answer as after any commit, and the store before anything reads
it (`History.settle`). All other operations are applied as usual; units that it evaluates are unknown to the kernel
until the next update of their texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from xylem.plan.unit_rows import Rows
from xylem.rewrite.history.unit_query import only_loop
from xylem.sink.display_edits import Edits
from xylem.source.kernel import simple_extent, text_updates
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.update_stream.operations import BeginUpdate, Operation
from xylem.source.update_stream.simple_run import SimpleRun, few_of

from .answered_rows import AnsweredRows
from .commits import Commit
from .engine import Engine
from .feed import Feed
from .loops import FoldLoop, RegionLoop
from .text_documents import TextDocuments

if TYPE_CHECKING:
    from xylem.source.kernel import TextUpdates

__all__ = ["TextRuns"]

Told = tuple[str | None, list[tuple[int, str, int, bool]]]
"""The time as written, and for each document with another answer: its number, what is written, how many items that is
and whether the first is an atomic value."""
_SOME_BYTES = 1 << 14
"""Bytes of a run that are answered before its first commit is reported."""


class TextRuns:
    """Follows the runs of one stream."""

    def __init__(
        self, engine: Engine, feed: Feed, kernel: TextUpdates, rows: AnsweredRows, documents: TextDocuments
    ) -> None:
        self._engine = engine
        self._history = engine.history
        self._feed = feed
        self._kernel = kernel
        self._rows = rows
        self._documents = documents
        self.taken = 0
        """Number of updates read."""
        self.commits = 0
        """Number of commits that they made."""

    @classmethod
    def of(cls, engine: Engine, feed: Feed) -> TextRuns | None:
        """None if the kernel cannot answer units."""
        made = engine.program.unit_rows
        if engine.why_whole or made is None or not engine.history.writes_texts or not feed.takes_runs:
            return None
        loop, answered = engine.only_loop, made()
        if answered is None or not isinstance(loop, (RegionLoop, FoldLoop)):
            return None
        chosen = [(one.around, one.name, one.first, one.last) for one in answered.chosen]
        kernel = text_updates(DEFAULT_LIMITS, answered.template, answered.rows.value, chosen)
        found = only_loop(engine.program.plan.root)
        if kernel is None or found is None:
            return None
        has_one_row = answered.rows is Rows.ITEM or (answered.rows is Rows.KEYED and answered.has_one_row)
        rows = AnsweredRows(engine, loop, answered.rows, has_one_row=has_one_row)
        documents = TextDocuments(engine, feed.stream, kernel, rows, answered, found[0].source.number)
        documents.begin()
        return cls(engine, feed, kernel, rows, documents)

    # --- runs

    def followed(self, run: Operation) -> Iterator[tuple[Commit, Edits | None]]:
        """Each commit of a run and its edits of the answer, or None if it changes nothing."""
        assert run.simple is not None
        at, size = 0, len(run.data)
        while at < size:
            if self._history.is_settled and not self._engine.why_whole and not run.simple.declared:
                some = run.data[at : at + _SOME_BYTES]
                history = self._history
                counted = history.updates, history.number
                found, end = self._kernel.read(some, 0, *run.simple.told, str(history.now), counted)
                if found:
                    at += end
                    yield from self._answered(found)
                    continue
            operations, at = few_of(run, at)
            for operation in operations:
                self.taken += operation.kind == "updates"
                commit = self._feed.apply(operation)
                if commit is not None:
                    self.commits += 1
                    yield commit, self._engine.edits if self._engine.follow(commit) else None
                self.know(operation)

    def message(self, data: bytes, simple: SimpleRun) -> Iterator[tuple[Commit, Edits | None]] | None:
        """The same for a message that consists of simple updates; None for any other message."""
        size, number = simple_extent(data, *simple.told)
        if not number or data[size:].strip(b" \t\r\n"):
            return None
        return self.followed(Operation("run", where=(0, 1, 1), data=data[:size], simple=simple))

    def know(self, operation: Operation) -> None:
        """Code has applied an operation: from now on the kernel may know the regions that it updated."""
        if operation.update is not None:
            self._documents.know(operation.update.of)
        for event in operation.events:
            if isinstance(event, BeginUpdate):
                self._documents.know(event.of)

    def _answered(self, found: list[Told]) -> Iterator[tuple[Commit, Edits | None]]:
        engine, units = self._engine, self._documents.units
        follow, follow_one = self._rows.follow, self._rows.follow_one
        now = self._history.now
        times = []
        last: str | None = None
        for time, _ in found:
            if time is not None and time != last:
                now, last = Decimal(time), time
            times.append(now)
        self.taken += len(found)
        self.commits += len(found)
        number = self._history.commit_run(times)
        engine.evaluated += len(found)
        for (_, answers), moment in zip(found, times, strict=True):
            engine.number, engine.now = number, moment
            # Only documents of units have answers.
            if not answers:
                yield Commit(number, moment), None
            elif len(answers) == 1:
                document, text, items, is_atomic = answers[0]
                unit = units[document]
                yield Commit(number, moment), follow_one(unit, (text, items, is_atomic))  # type: ignore[arg-type]
            else:
                changed = [(units[document], answer) for document, *answer in answers]
                yield Commit(number, moment), follow(changed)  # type: ignore[arg-type]
            number += 1
