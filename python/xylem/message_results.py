"""The answers of one query to many documents: one result for each, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xylem.errors import InputError, XylemError, no_memory_left
from xylem.result import Result, chosen_parameters
from xylem.source.message_batches import LARGE_BYTES, Batch, ListedBatch, Taken

if TYPE_CHECKING:
    from xylem.run.prepared_program import PreparedProgram
    from xylem.source.limits import Limits
    from xylem.source.message_reader import MessageReader, ReadBatch
    from xylem.values.node import Node

OnError = Literal["raise", "give"]
"""How to handle a document that cannot be read, or makes the query fail: raise its error, or return it instead of a
result.
"""
Streamed = Callable[[Any], Iterator[Any]]
"""The items of the answer over one document while it streams."""


def writes_plainly(output: Mapping[str, str]) -> bool:
    """Whether the scan can write answers with these output declarations: plain XML in UTF-8."""
    from xylem.sink.document_prolog import xml_declaration
    from xylem.sink.event_writer import takes_markup

    try:
        chosen = chosen_parameters(output, {}, lambda: True)
        is_utf_8 = chosen.encoding.upper() == "UTF-8" and not chosen.byte_order_mark
        return is_utf_8 and takes_markup(chosen) and not xml_declaration(chosen)
    except XylemError:
        # Errors in the declarations are reported when an answer is written.
        return False


class MessageResults(Iterator[Any]):
    """Iterating gives the result for each document, None for a document that is None. After an error it continues.

    Holds:  one batch of documents (`source/message_batches.py`).
    """

    def __init__(
        self,
        batches: Iterator[Batch],
        reader: MessageReader,
        program: PreparedProgram,
        output: Mapping[str, str],
        *,
        writes: bool,
        on_error: OnError,
        register: Callable[[Node], None],
        streamed: Streamed | None = None,
    ) -> None:
        """`writes`: answers are text if the reader can write them. `register` makes a document known by its URI.

        `streamed` answers large documents, if they need not be trees."""
        if on_error not in ("raise", "give"):
            raise ValueError(f"on_error is raise or give, not {on_error!r}")
        self._batches = batches
        self._reader = reader
        self._program = program
        self._output = output
        self._writes = writes
        self._on_error = on_error
        self._register = register
        self._streamed = streamed
        self._before = 0
        """Number of documents before the batch."""
        self._results: Iterator[Any] = iter(())

    def __next__(self) -> Any:
        while True:
            for result in self._results:
                if isinstance(result, XylemError) and self._on_error == "raise":
                    raise result
                return result
            batch = next(self._batches)
            self._results = self._of_batch(batch)

    def _of_batch(self, batch: Batch) -> Iterator[Any]:
        try:
            read = self._reader.read(batch, writes=self._writes)
            answers = read.written()
        except MemoryError as error:
            yield from self._one_by_one(batch, error)
            return
        trees = _Trees(batch, self._reader.limits)
        for index, written in enumerate(answers):
            if written is not None:
                yield WrittenResult(written, self._deferred(trees, index), self._output)
                continue
            document = b"" if batch.is_plain else batch.document(index)
            if document is None:
                yield None
            elif self._streamed is not None and _is_large(document):
                yield Result(self._streamed(document), self._output)
            else:
                yield self._computed(read, batch, index)
        self._before += len(batch)

    def _one_by_one(self, batch: Batch, error: MemoryError) -> Iterator[Any]:
        """A batch for which there is not enough memory: there may be enough for some of its documents."""
        refused = no_memory_left(error)
        if len(batch) > 1:
            for index in range(len(batch)):
                yield from self._of_batch(ListedBatch((batch.document(index),), (batch.name(index),)))
            return
        refused.add_note(f"in {self._name(batch, 0)}")
        self._before += 1
        yield refused

    def _computed(self, read: ReadBatch, batch: Batch, index: int) -> Result | XylemError:
        try:
            return Result(self._items(read, index), self._output)
        except InputError as error:
            return error if error.place is None else error.located(self._name(batch, index))
        except XylemError as error:
            error.add_note(f"in {self._name(batch, index)}")
            return error
        except MemoryError as error:
            return no_memory_left(error)

    def _items(self, read: ReadBatch, index: int) -> list[Any]:
        document = read.document(index)
        if document.tree.document_uri is not None:
            self._register(document)
        return self._program.items(document)

    def _deferred(self, trees: _Trees, index: int) -> Iterator[Any]:
        """The items of a written answer: if they are read after all, those of later answers may be, too."""
        self._writes = False
        yield from self._items(trees.read, index)

    def _name(self, batch: Batch, index: int) -> str:
        return batch.name(index) or f"document {self._before + index + 1}"


class _Trees:
    """The documents of a batch whose answers were written, read once more when the first of them is requested."""

    def __init__(self, batch: Batch, limits: Limits) -> None:
        self._batch = batch
        self._limits = limits

    @cached_property
    def read(self) -> ReadBatch:
        """All of them, by a separate reader: the other may be reading in another thread."""
        from xylem.source.message_reader import MessageReader

        return MessageReader(self._limits, None).read(self._batch, writes=False)


def _is_large(document: Taken) -> bool:
    return isinstance(document, Path) or (isinstance(document, (bytes, str)) and len(document) > LARGE_BYTES)


class WrittenResult(Result):
    """A result whose text was written while the document was read."""

    def __init__(self, written: tuple[str, int], items: Iterator[Any], output: Mapping[str, str]) -> None:
        super().__init__(items, output)
        self._written = written[0]

    def serialize(self, **parameters: Any) -> str:
        return super().serialize(**parameters) if parameters else self._written

    def write_to(self, write: Callable[[bytes], object], **parameters: Any) -> None:
        if parameters:
            super().write_to(write, **parameters)
        elif self._written:
            write(self._written.encode())
