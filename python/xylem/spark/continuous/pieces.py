"""The input of a task: documents, parts of one endless document, or runs of messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from xylem.errors import InputError
from xylem.source.byte_ranges import ByteRange
from xylem.source.cut_points import CutFinder

from .places import Frames

SUB_PIECES = 1 << 24
"""A piece may be divided further: the numbers of its parts lie between its own and the next one's."""


@dataclass(frozen=True)
class Piece:
    """A unit of evaluation. It can be read again."""

    number: int
    """Its number in the order of the batch, with room for the numbers of its parts. Only the first of all is 0."""
    source: bytes | Path | ByteRange
    size: int
    arrived_ms: int
    name: str
    """For messages: a file, or a position in a stream."""
    items: int = 1
    reached: tuple[int, int] | None = None
    """Its end in the spool: segment and byte offset."""
    modified_ns: int = 0
    """For a file: its modification time when it was found; 0 if unknown."""

    def is_changed(self) -> bool:
        """Whether a file was rewritten since it was found. A missing file is an error elsewhere."""
        if not self.modified_ns or not isinstance(self.source, Path):
            return False
        try:
            status = self.source.stat()
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) != (self.size, self.modified_ns)


@dataclass(frozen=True)
class MessageRun:
    """Consecutive messages in a file, between two positions."""

    number: int
    path: str
    start: int
    end: int
    frames: Frames
    arrived_ms: int
    reached: tuple[int, int] | None = None

    def pieces(self) -> Iterator[Piece]:
        """The messages; blank text between delimiters is none."""
        with open(self.path, "rb") as file:
            file.seek(self.start)
            data = file.read(self.end - self.start)
        delimiter = self.frames.delimiter
        assert delimiter is not None
        offset = self.start
        for count, message in enumerate(data.split(delimiter)):
            if message.strip():
                name = f"{self.path} at byte {offset}"
                yield Piece(self.number + count, message.strip(), len(message), self.arrived_ms, name)
            offset += len(message) + len(delimiter)


def content(piece: Piece) -> bytes:
    """The bytes of a piece; for a part of a document, those between its cuts."""
    if isinstance(piece.source, bytes):
        return piece.source
    if isinstance(piece.source, Path):
        return _read(piece.source, 0, None)
    start, end = piece.source.start, piece.source.end
    return _read(Path(piece.source.path), start.offset if start else 0, end.offset if end else None)


def _read(path: Path, start: int, end: int | None) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read() if end is None else file.read(end - start)
    except OSError as reason:
        raise InputError("XYIN0002", f"{path}: {reason.strerror}") from reason


def by_items(piece: Piece, scopes: object) -> Iterator[Piece]:
    """Each item of a part of a document as a separate document, in its original context."""
    if not isinstance(piece.source, ByteRange):
        yield piece
        return
    start, end = piece.source.start, piece.source.end
    data = (start.opening if start else b"") + content(piece) + (end.closing if end else b"")
    cuts = CutFinder(scopes, 1).feed(data)  # type: ignore[arg-type]
    offset = start.offset - len(start.opening) if start else 0
    for count, (cut, following) in enumerate(zip([None, *cuts], [*cuts, None], strict=True)):
        first, last = cut.offset if cut else 0, following.offset if following else len(data)
        document = (cut.opening if cut else b"") + data[first:last] + (following.closing if following else b"")
        yield replace(
            piece,
            number=piece.number + count,
            source=document,
            size=last - first,
            name=f"{piece.source.path} at byte {offset + first}",
            items=1,
        )
