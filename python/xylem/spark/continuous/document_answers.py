"""The answer of a query over one small document, repeatedly: compiled once, for one pass if possible."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from xylem.errors import StaticError
from xylem.lowering.stream.account import account_of
from xylem.query.compiled_query import CompiledQuery
from xylem.result import Result
from xylem.run.deep_stack import drawn_deep
from xylem.run.program import Program
from xylem.run.stream.document_runs import DocumentRuns
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.progress import Progress
from xylem.run.stream.resumable_program import Reached, ResumableProgram, record_scope, refuse_formats
from xylem.source.byte_source import ByteSource
from xylem.source.xml_reader import read_document
from xylem.stream_result import StreamResult
from xylem.values.datetimes import DateTime

from ..shipped_query import ShippedQuery

Document = bytes | Path | Iterable[bytes]
"""As received, a file, or pieces that may still be arriving."""


class DocumentAnswers:
    """A query over documents; documents that it reads by doc() are read once and kept."""

    def __init__(self, query: ShippedQuery) -> None:
        compiled = query.compiled
        self._query = query
        self._program = compiled.program
        self._stream = _in_one_pass(compiled)
        self._options = query.seen()
        self._runs: tuple[int, DocumentRuns] | None = None
        """Runs over documents with the same time: they share everything except document content."""

    @property
    def is_streaming(self) -> bool:
        """Whether answers are written while a document is read."""
        return self._stream is not None

    @property
    def waits_for_end(self) -> bool:
        """Whether its state grows with the document: results wait for its end, or the whole document does."""
        return self._stream is None or account_of(self._stream).waits_for_end

    def is_resumable(self, *, each_item: bool) -> bool:
        """Whether all its state between two records can be saved, and its text or items can be continued."""
        if self._stream is None or self._query.replay is not None:
            return False
        try:
            record_scope(self._stream)
            if not each_item:
                refuse_formats(self._stream, self._query.output)
        except StaticError:
            return False
        return True

    def resumable(
        self, now_ms: int, every_bytes: int, save: Callable[[Reached], object], is_due: Callable[[], bool]
    ) -> ResumableProgram:
        """A run over one document that can be interrupted; the last arguments are those of `ResumableProgram`."""
        assert self._stream is not None
        options = self._options | {"now": moment(now_ms), "limits": self._query.limits, "scanner": self._query.scanner}
        resources = options.pop("resources")
        return ResumableProgram(self._stream, resources, options, self._query.output, every_bytes, save, is_due)

    def answer(self, document: Document, now_ms: int) -> bytes:
        """The text of the answer, in the encoding the query asks for. `now_ms` is the value of current-dateTime()."""
        chunks: list[bytes] = []
        self.write(document, now_ms, chunks.append)
        return b"".join(chunks)

    def write(self, document: Document, now_ms: int, write: Callable[[bytes], object]) -> None:
        """Write the answer while the document is read, if possible."""
        self._result(document, now_ms).write_to(write, **self._query.output)

    def items(self, document: Document, now_ms: int) -> Iterator[str]:
        """The items of the answer, each serialised alone."""
        result = self._result(document, now_ms)
        yield from map(self.told, result.xdm() if isinstance(result, StreamResult) else result.xdm)

    def told(self, item: Any) -> str:
        """An item of the answer, serialised alone."""
        return Result([item], self._program.output).serialize(**self._query.output)

    def _result(self, document: Document, now_ms: int) -> Result | StreamResult:
        if self._stream is None:
            return self._from_tree(document, self._options | {"now": moment(now_ms)})
        source, clock = self._timed(ByteSource.of(document, self._query.limits.decompression_ratio))
        if clock is None and isinstance(document, bytes | Path):
            if self._runs is None or self._runs[0] != now_ms:
                self._runs = now_ms, self._over_documents(now_ms)
            runs = self._runs[1]
        else:
            runs = self._over_documents(now_ms, clock)
        return StreamResult(self._stream, partial(runs.write, source), Progress(source, runs.statistics))

    def _over_documents(self, now_ms: int, clock: Callable[[], DateTime | None] | None = None) -> DocumentRuns:
        assert self._stream is not None
        options = self._options
        return self._stream.over_documents(
            options["resources"],
            variables=options["variables"],
            environment=options["environment"],
            now=moment(now_ms),
            limits=self._query.limits,
            scanner=self._query.scanner,
            clock=clock,
        )

    def _timed(self, source: ByteSource) -> tuple[ByteSource, Callable[[], DateTime | None] | None]:
        """A source with the clock that its records set, if it is replayed."""
        if self._query.replay is None:
            return source, None
        timed = self._query.replay.shown(source, self._query.limits)
        return timed, timed.clock.now

    def _from_tree(self, document: Document, options: dict[str, Any]) -> Result:
        program: Program = self._program
        limits = self._query.limits
        source, clock = self._timed(ByteSource.of(document, limits.decompression_ratio))
        with source:
            data = b"".join(source)
        uri = document.absolute().as_uri() if isinstance(document, Path) else None
        items = program.run(context=[read_document(data, uri, limits=limits)], clock=clock, **options)
        return Result(drawn_deep(items) if program.may_recurse else items, program.output)


def _in_one_pass(compiled: CompiledQuery) -> StreamProgram | None:
    try:
        program = compiled.stream_program()
        compiled.check_collections(program)
    except StaticError:
        return None
    return program if program.plan.source is None else None


def moment(ms: int) -> DateTime:
    """A number of milliseconds since 1970, in UTC."""
    return DateTime.from_python(datetime.datetime.fromtimestamp(ms / 1000, tz=datetime.UTC))
