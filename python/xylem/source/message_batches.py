"""Many small documents, some at a time: from lists and iterators, from columns of Arrow, from files and frames.

A batch is the input of one kernel call: large enough that calls cost little, and small enough to wait for and to keep.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote_from_bytes

from xylem.errors import InputError

BATCH_DOCUMENTS = 512
BATCH_BYTES = 1 << 20
Document = bytes | str
"""A document as bytes in any encoding, or as decoded text, whatever encoding it declares."""
LARGE_BYTES = 1 << 20
"""A larger document is read separately."""
_FEW_BYTES = 1 << 14
Given = Document | PathLike[str] | None
"""A caller's document: its content, or the path of its file. None has no answer."""
Taken = Document | Path | InputError | None
"""The entries of a batch: a large file is read in its turn, and an unreadable file is represented by its error."""


class Batch(Protocol):
    """Some documents, in order."""

    is_plain: bool
    """Whether all are present, small, and read together."""

    def __len__(self) -> int: ...

    def document(self, index: int) -> Taken:
        """One of them; None if a column has no value."""

    def uri(self, index: int) -> str | None:
        """The URI of its file, if it comes from one."""

    def name(self, index: int) -> str | None:
        """The name of its file, if it comes from one."""


class ListedBatch:
    """Documents in a list."""

    __slots__ = ("_paths", "documents", "is_plain")

    def __init__(self, documents: Sequence[Taken], paths: Sequence[str | None] | None = None) -> None:
        self.documents = documents
        self.is_plain = all(map(_is_small, documents))
        self._paths = paths

    def __len__(self) -> int:
        return len(self.documents)

    def document(self, index: int) -> Taken:
        return self.documents[index]

    def small(self) -> Sequence[Document]:
        """The documents of one call; an empty document represents an entry that is read later."""
        if self.is_plain:
            return self.documents  # type: ignore[return-value]  # no other is among them
        taken = self.documents
        return [each if isinstance(each, (bytes, str)) and _is_small(each) else b"" for each in taken]

    def uri(self, index: int) -> str | None:
        path = self.name(index)
        if path is None:
            return None
        if path[0] == "/" and "//" not in path and "/." not in path:
            # Equals the result of a path, in a tenth of the time.
            return "file://" + quote_from_bytes(os.fsencode(path))
        return Path(path).absolute().as_uri()

    def name(self, index: int) -> str | None:
        return None if self._paths is None else self._paths[index]


class ColumnBatch:
    """Documents in a column of Arrow: its bytes, and the start of each document."""

    __slots__ = ("_column", "data", "is_plain", "is_text", "offsets", "width")

    def __init__(self, column: Any) -> None:
        import pyarrow as pa

        kind = column.type
        self._column = column
        self.is_plain = not column.null_count
        self.is_text = bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
        self.width = 8 if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind) else 4
        _, offsets, data = column.buffers()
        start, end = column.offset * self.width, (column.offset + len(column) + 1) * self.width
        self.offsets = bytes(self.width) if offsets is None else offsets[start:end].to_pybytes()
        self.data = b"" if data is None else data.to_pybytes()

    def __len__(self) -> int:
        return len(self._column)

    def document(self, index: int) -> Document | None:
        found: Document | None = self._column[index].as_py()
        return found

    def uri(self, index: int) -> str | None:
        return None

    def name(self, index: int) -> str | None:
        return None


def _is_small(document: Taken) -> bool:
    return isinstance(document, (bytes, str)) and len(document) <= LARGE_BYTES


def message_batches(documents: Any) -> Iterator[Batch]:
    """The documents of a list, an iterator, or a column of Arrow, some at a time.

    At most one batch is drawn from an iterator before its documents are answered.
    """
    if isinstance(documents, (bytes, str, PathLike)):
        raise TypeError("give documents as a list, an iterator or a column; for one document use Query.stream")
    if hasattr(documents, "iterchunks"):
        for chunk in documents.iterchunks():
            yield from _of_column(chunk)
    elif hasattr(documents, "buffers"):
        yield from _of_column(documents)
    else:
        yield from _of_iterable(documents)


def is_column(kind: Any) -> bool:
    """Whether documents can have a type of Arrow."""
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_string(kind) or types.is_binary(kind) or types.is_large_string(kind) or types.is_large_binary(kind)
    )


def _of_column(column: Any) -> Iterator[Batch]:
    if not is_column(column.type):
        raise TypeError(f"a column of documents must have text or binary values, not {column.type}")
    rows = max(1, min(BATCH_DOCUMENTS, BATCH_BYTES * len(column) // max(column.nbytes, 1)))
    for start in range(0, len(column), rows):
        yield ColumnBatch(column[start : start + rows])


def _of_iterable(documents: Iterable[Given]) -> Iterator[Batch]:
    taken: list[Taken] = []
    paths: list[str | None] = []
    size, has_paths = 0, False
    for given in documents:
        path = None
        document: Taken
        if given is None or isinstance(given, (bytes, str)):
            document = given
        elif isinstance(given, (bytearray, memoryview)):
            document = bytes(given)
        elif isinstance(given, PathLike):
            path, has_paths = fspath(given), True
            document = file_content(path)
        else:
            raise TypeError(f"a document must be bytes, text or a path, not {type(given).__name__}")
        taken.append(document)
        paths.append(path)
        size += len(document) if isinstance(document, (bytes, str)) else 0
        if len(taken) >= BATCH_DOCUMENTS or size >= BATCH_BYTES:
            yield ListedBatch(taken, paths if has_paths else None)
            taken, paths, size, has_paths = [], [], 0, False
    if taken:
        yield ListedBatch(taken, paths if has_paths else None)


def file_content(path: str) -> Taken:
    """The bytes of a small file; otherwise its path, or why it cannot be read."""
    try:
        with open(path, "rb") as content:
            # Allocating room for a large file costs more than the rest of reading a small one.
            found = content.read(_FEW_BYTES)
            if len(found) == _FEW_BYTES:
                found += content.read(LARGE_BYTES + 1 - _FEW_BYTES)
    except OSError as error:
        return InputError("XYIN0002", error.strerror or str(error), source=path)
    return found if len(found) <= LARGE_BYTES else Path(path)
