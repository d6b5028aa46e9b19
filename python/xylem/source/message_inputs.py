"""The small documents of several inputs, by their numbers: files, and the documents of files with frames.

They are read in batches, and each is a source of its own, which gives its tree. A large document, or one without a file
on this machine, keeps its own source and streams.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from stat import S_ISREG
from typing import Any

from xylem.errors import InputError
from xylem.plan.result_template import Template
from xylem.values.node import Node

from .byte_source import ByteSource
from .framed_file import FramedFile, framed
from .limits import Limits
from .message_batches import BATCH_BYTES, BATCH_DOCUMENTS, LARGE_BYTES, ListedBatch, Taken, file_content
from .message_reader import MessageReader, ReadBatch


class MessageInputs:
    """All documents, input by input.

    Holds:  one batch of them.
    """

    def __init__(self, places: Sequence[str], limits: Limits) -> None:
        """`places` are names of files, some with frames."""
        self._limits = limits
        self._inputs: list[str | FramedFile] = []
        self._firsts: list[int] = []
        """The number of the first document of each input."""
        total = 0
        for place in places:
            found = framed(place)
            given = place if found is None else FramedFile(*found, limits)
            self._inputs.append(given)
            self._firsts.append(total)
            total += 1 if isinstance(given, str) else len(given)
        self._total = total
        self._reader = MessageReader(limits, None)
        self._read: tuple[int, ListedBatch, ReadBatch] | None = None
        self._last_asked = -1

    def __len__(self) -> int:
        return self._total

    def use_template(self, template: Template | None) -> None:
        """Answer documents read from here on by a template, if it can decide them."""
        self._reader = MessageReader(self._limits, template)

    def batches(self, *, writes: bool) -> Iterator[tuple[int, int, ReadBatch]]:
        """The number of the first document of each batch, the number of documents, and their outcomes."""
        first = 0
        while first < self._total:
            _, batch, read = self._batch_from(first, writes)
            yield first, len(batch), read
            first += len(batch)

    def source(self, number: int) -> Any:
        """One document as a source."""
        given, inner = self._place(number)
        if isinstance(given, str):
            return MessageSource(self, number) if _is_small_file(given) else given
        return MessageSource(self, number) if given.size(number - inner) <= LARGE_BYTES else self.bytes_of(number)

    def bytes_of(self, number: int) -> ByteSource:
        """One document as streamed bytes."""
        given, inner = self._place(number)
        if isinstance(given, str):
            return ByteSource.of(given, self._limits.decompression_ratio)
        whole = ByteSource.of(given.document(number - inner), self._limits.decompression_ratio)
        whole.name = given.name(number - inner)
        return whole

    def name(self, number: int) -> str:
        """The name of a document in errors."""
        given, inner = self._place(number)
        return given if isinstance(given, str) else given.name(number - inner)

    def located(self, number: int, error: InputError) -> InputError:
        """An error of a document with its name, and its place in the file."""
        given, inner = self._place(number)
        return error.located(given) if isinstance(given, str) else given.located(number - inner, error)

    def document(self, number: int) -> tuple[Node, int]:
        """The document node, and the number of bytes read."""
        known = self._read
        # Going back starts anew: documents are read together in the order of the input.
        is_back = number <= self._last_asked
        self._last_asked = number
        if known is None or is_back or not known[0] <= number < known[0] + len(known[1]):
            known = self._batch_from(number, False)
        first, batch, read = known
        taken = batch.document(number - first)
        try:
            return read.document(number - first), len(taken) if isinstance(taken, bytes) else 0
        except InputError as error:
            raise self.located(number, error) from error.__cause__

    def _batch_from(self, first: int, writes: bool) -> tuple[int, ListedBatch, ReadBatch]:
        documents: list[Taken] = []
        paths: list[str | None] = []
        size = 0
        for number in range(first, min(self._total, first + BATCH_DOCUMENTS)):
            given, inner = self._place(number)
            taken = file_content(given) if isinstance(given, str) else given.document(number - inner)
            documents.append(taken)
            paths.append(given if isinstance(given, str) else None)
            size += len(taken) if isinstance(taken, bytes) else 0
            if size >= BATCH_BYTES:
                break
        batch = ListedBatch(documents, paths)
        self._read = first, batch, self._reader.read(batch, writes=writes)
        return self._read

    def _place(self, number: int) -> tuple[str | FramedFile, int]:
        at = bisect_right(self._firsts, number) - 1
        return self._inputs[at], self._firsts[at]


class MessageSource:
    """One small document of an input."""

    __slots__ = ("_inputs", "_number")

    def __init__(self, inputs: MessageInputs, number: int) -> None:
        self._inputs = inputs
        self._number = number

    @property
    def name(self) -> str:
        return self._inputs.name(self._number)

    def document(self) -> tuple[Node, int]:
        """Its node, and its bytes; an InputError with its name if it cannot be read."""
        return self._inputs.document(self._number)


def _is_small_file(place: str) -> bool:
    try:
        found = os.stat(place)
    except OSError:
        return False
    return S_ISREG(found.st_mode) and found.st_size <= LARGE_BYTES
