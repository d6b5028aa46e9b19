"""The answers of continuous queries: what each batch adds to them, and what they need to go on.

An answer gives *messages*: stretches of text that a sink writes one after another, or sends one by one. It is asked for
them batch by batch; its state is saved with each batch, and after a restart another object goes on from there.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.plan.distribution import PartKind
from xylem.result import Result
from xylem.run.distributed.program import DistributedProgram
from xylem.run.distributed.rows import Row

from .kept_part import kept_part
from .waiting_writer import Flow, TextWriter

Rows = Mapping[int, Sequence[Row]]
"""Of one batch, by part, in their order."""


class Answer:
    """What every kind of answer does."""

    ends_lines = False
    """Whether a message is complete by itself, so that a file has each on lines of its own."""
    is_live = False
    """Whether the whole answer is small and changes, so that it can be shown again and again."""
    state_bytes = 0

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        """The messages that another batch makes final: from its rows, or from its bytes."""
        raise NotImplementedError

    def finish(self) -> list[str]:
        """The rest: the stream has ended. Afterwards the next answer begins."""
        return []

    def current(self) -> str:
        """The whole answer if the stream had ended here, of those that are live."""
        raise NotImplementedError

    def save(self) -> bytes:
        """The state, to go on from after a restart."""
        return b""

    def close(self) -> None:
        """Give up."""


class AnswerOfEach(Answer):
    """An answer for each document: one message each, in their order."""

    ends_lines = True

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        return [row.value.decode("utf-8", "surrogateescape") for row in rows.get(0, ())]


class AnswerInParts(Answer):
    """One answer to the whole stream, of a query in parts (`run/distributed/program.py`).

    It is written from the rows of the parts, one part after another as they stand in the text. The rows of the map it
    has come to are passed through, batch by batch; what belongs behind them is kept: an aggregate as its state,
    anything else as its rows. After a restart the text up to there is written again, from the last row, but not
    handed out.
    """

    def __init__(
        self,
        program: DistributedProgram,
        options: Mapping[str, Any],
        *,
        state_limit_bytes: int,
        saved: bytes = b"",
    ) -> None:
        self._program = program
        self._options = {name: value for name, value in options.items() if name != "limits"}
        self._parts = program.distribution.parts
        self._state_limit_bytes = state_limit_bytes
        self.is_live = all(part.kind is not PartKind.MAP for part in self._parts)
        self._begin()
        if saved:
            self._restore(saved)

    def _begin(self) -> None:
        self._kept = {part.number: kept_part(self._program, part, self._options) for part in self._parts}
        self._flows: dict[int, Flow[Row]] = {part.number: Flow() for part in self._parts}
        self._writer: TextWriter | None = None
        self._passed: Row | None = None
        """The last row that was passed through: what follows may depend on it."""

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        before = self._started()
        for part in self._parts:
            some = rows.get(part.number, ())
            if part.kind is PartKind.MAP and self._open_part == part.number:
                self._passed = some[-1] if some else self._passed
                self._flows[part.number].give(some)
            else:
                self._kept[part.number].add(some)
        self._check_size()
        assert self._writer is not None
        text = before + self._writer.wait()
        return [text] if text else []

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

    def save(self) -> bytes:
        kept = {part: one.saved() for part, one in self._kept.items()}
        return pickle.dumps((self._writer is not None, self._passed and tuple(self._passed), kept))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _restore(self, saved: bytes) -> None:
        has_begun, passed, kept = pickle.loads(saved)
        for part, state in kept.items():
            self._kept[part].restore(state)
        if has_begun:
            self._started()
        if passed is not None and self._open_part is not None:
            assert self._writer is not None
            self._passed = Row(*passed)
            self._flows[self._open_part].give([self._passed])
            self._writer.wait()

    def _pieces(self) -> Iterator[str]:
        # The frame may need values of parts before it gives any text: that is for the thread, too.
        yield from self._program.pieces(self._flows, **self._options)

    def _started(self) -> str:
        """What stands before the first part, if that is being written only now."""
        if self._writer is not None:
            return ""
        self._writer = TextWriter(self._pieces(), self._flows)
        text = self._writer.wait()
        self._open_part = self._writer.waits_for
        return text

    _open_part: int | None = None
    """The part that the text has come to; it does not end before the stream does."""

    def _check_size(self) -> None:
        size = self.state_bytes
        if size > self._state_limit_bytes:
            largest = max(self._parts, key=lambda part: self._kept[part.number].size)
            allowed = f"{size:,} bytes where {self._state_limit_bytes:,} are allowed"
            raise DynamicError("XYRT0023", f"{allowed}; most of it for {largest.text} ({largest.kind})")


class AnswerInItems(AnswerInParts):
    """One answer whose items are messages: what the query writes around them is left out.

    A query that does not only map items has one message, at the end.
    """

    ends_lines = True

    def __init__(
        self, program: DistributedProgram, options: Mapping[str, Any], *, output: Mapping[str, str], **settings: Any
    ) -> None:
        """`output` are the serialization parameters of items that tasks did not write."""
        self._output = output
        self._has_items = all(part.kind is PartKind.MAP for part in program.distribution.parts)
        super().__init__(program, options, **settings)

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        if self._has_items:
            return [text for part in self._parts for row in rows.get(part.number, ()) for text in self._texts(row)]
        for part, some in rows.items():
            self._kept[part].add(some)
        self._check_size()
        return []

    def _texts(self, row: Row) -> list[str]:
        """The items of a row, each serialised alone."""
        if self._program.is_text(row.part):
            return [self._program.text_of(row)]
        return [Result([item], self._output).serialize() for item in self._program.items_of(row)]

    def finish(self) -> list[str]:
        if self._has_items:
            return []
        text = self.current()
        self._begin()
        return [text]


class AnswerInOrder(Answer):
    """One answer that must see the stream in its order, computed here and not by tasks.

    Its state is all that it has seen: after a restart it is given the stream again from its beginning, as the log still
    has it, and what it wrote before is not handed out again.
    """

    def __init__(self, program: DistributedProgram, options: Mapping[str, Any], *, saved: bytes = b"") -> None:
        self._program = program
        self._options = dict(options)
        self._handed_out: int = pickle.loads(saved) if saved else 0
        self._begin()

    def _begin(self) -> None:
        self._bytes: Flow[bytes] = Flow()
        self._writer = TextWriter(self._pieces(), {0: self._bytes})

    def _pieces(self) -> Iterator[str]:
        rows = self._program.sequential([self._bytes], **self._options)
        options = {name: value for name, value in self._options.items() if name != "limits"}
        first = self._program.distribution.parts[0].number
        yield from self._program.pieces({first: rows}, **options)

    def catch_up(self, chunks: Sequence[bytes]) -> None:
        """What was seen before a restart."""
        self._bytes.give(chunks)
        text = self._writer.wait()
        if len(text) < self._handed_out:
            raise DynamicError(
                "XYRT0022", "the beginning of the stream, which the query must see again, is not the same"
            )
        self._writer.put_back(text[self._handed_out :])

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        self._bytes.give(chunks)
        text = self._writer.wait()
        self._handed_out += len(text)
        return [text] if text else []

    def finish(self) -> list[str]:
        self._bytes.end()
        text = self._writer.wait()
        self._handed_out = 0
        self._begin()
        return [text] if text else []

    def save(self) -> bytes:
        return pickle.dumps(self._handed_out)

    def close(self) -> None:
        self._writer.close()
