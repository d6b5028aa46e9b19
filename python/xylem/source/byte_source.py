"""The bytes of a scan: from files, standard input, file objects or sockets, compressed or not.

    with ByteSource.of("dump.xml.gz") as source:
        for chunk in source:
            …                                   # source.position of source.size bytes have been read

Bytes are passed on at once: a chunk from a pipe or a socket has the bytes that have arrived, however few.
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BufferedReader, FileIO
from os import PathLike, fspath, fstat, get_blocking
from pathlib import Path
from select import select
from types import TracebackType
from typing import Any, Protocol, cast, runtime_checkable

from xylem.errors import InputError

from .byte_ranges import CHUNK_BYTES, FIRST_CHUNK_BYTES, ByteRange
from .decompression import decompressed
from .encodings import codec_beyond_kernel
from .limits import DEFAULT_LIMITS
from .root_element import HEAD_BYTES

STDIN = "-"
MUCH_BYTES = 1 << 20
"""Larger compressed files may be decoded by several threads."""


@runtime_checkable
class Readable(Protocol):
    """A binary file object."""

    def read(self, size: int, /) -> bytes: ...


@runtime_checkable
class Receiving(Protocol):
    """A socket."""

    def recv(self, size: int, /) -> bytes: ...


Source = str | PathLike[str] | bytes | ByteRange | Readable | Receiving | Iterable[bytes]
"""A path ("-" is standard input), a member of an archive ("a.zip!b.xml"), a URL, the bytes themselves, a part of a
file, an open binary file, a socket, or chunks."""


class ByteSource:
    """Decompressed chunks of one input. It closes what it opened, and nothing else. It is read once, as `again` is."""

    def __init__(
        self,
        chunks: Iterable[bytes],
        *,
        name: str | None = None,
        uri: str | None = None,
        size: int | None = None,
        ratio_limit: int = DEFAULT_LIMITS.decompression_ratio,
        close: Callable[[], object] | None = None,
        part: ByteRange | None = None,
        again: Callable[[], ByteSource] | None = None,
        is_whole: bool = False,
        file: Any = None,
    ) -> None:
        self.is_whole = is_whole
        """Whether all of it is in memory: reporting partial results early then gains nothing."""
        self.name = name
        """Name for messages; None if it has none."""
        self.uri = uri
        self.size = size
        """Number of bytes before decompression, if known."""
        self.position = 0
        """Number of these bytes read so far."""
        self._chunks = chunks
        self._ratio_limit = ratio_limit
        self._close = close
        self._part = part
        self._again = again
        self._file = file
        """The system's file, pipe or socket, if the chunks come from one."""
        self.head = b""
        """Its first bytes, decompressed, once it is being read: they show the root element."""
        self.before_waiting: Callable[[], object] | None = None
        """Called before each wait for more input: results so far may be passed on."""

    @classmethod
    def of(cls, source: Source | ByteSource, ratio_limit: int = DEFAULT_LIMITS.decompression_ratio) -> ByteSource:
        """The byte source for anything that can be one; XYIN0002 for a file that cannot be opened."""
        if isinstance(source, ByteSource):
            return source
        if isinstance(source, (bytearray, memoryview)):
            source = bytes(source)
        if isinstance(source, bytes):
            is_whole, again = len(source) <= FIRST_CHUNK_BYTES, partial(cls.of, source, ratio_limit)
            chunks = _slices(source) if not is_whole else (source,) if source else ()
            return cls(chunks, size=len(source), ratio_limit=ratio_limit, is_whole=is_whole, again=again)
        if isinstance(source, str) and source == STDIN:
            stdin = sys.stdin.buffer
            return cls._rewinding(stdin, "standard input", ratio_limit)
        if isinstance(source, str) and (remote := cls._elsewhere(source, ratio_limit)) is not None:
            return remote
        if isinstance(source, (str, PathLike)):
            path = Path(fspath(source))
            file = _opened(path)
            size = _size(file)
            if size and size < FIRST_CHUNK_BYTES and (data := _all_of(file, path, size)) is not None:
                file.close()
                return cls(
                    (data,),
                    name=str(path),
                    uri=path.absolute().as_uri(),
                    size=size,
                    ratio_limit=ratio_limit,
                    is_whole=True,
                    again=partial(cls.of, source, ratio_limit),
                )
            return cls(
                _pieces(file),
                name=str(path),
                uri=path.absolute().as_uri(),
                size=size,
                ratio_limit=ratio_limit,
                close=file.close,
                file=file,
                # A pipe has a name too, and is read once.
                again=None if size is None else partial(cls.of, source, ratio_limit),
            )
        if isinstance(source, ByteRange):
            uri = Path(source.path).absolute().as_uri()
            again = partial(cls.of, source, ratio_limit)
            return cls(source.chunks(), name=source.path, uri=uri, size=source.size, part=source, again=again)
        if isinstance(source, (Readable, Receiving)):
            return cls._rewinding(source, _name(source), ratio_limit)
        return cls(source, ratio_limit=ratio_limit)

    @classmethod
    def _elsewhere(cls, name: str, ratio_limit: int) -> ByteSource | None:
        """An input without a file of its own: a member of an archive, or the content of a URL."""
        if "://" in name:
            from .remote_file import is_url, local_path, open_url

            if (path := local_path(name)) is not None:
                return cls.of(path, ratio_limit)
            if is_url(name):
                file = open_url(name)
                size = getattr(file, "size", None)
                again = partial(cls.of, name, ratio_limit)
                close = file.close
                return cls(
                    _pieces(file), name=name, uri=name, size=size, ratio_limit=ratio_limit, close=close, again=again
                )
        if "!" in name:
            from .archive_member import ArchiveMember, member_of

            if (found := member_of(name)) is not None:
                member = ArchiveMember(*found, ratio_limit)
                again = partial(cls.of, name, ratio_limit)
                return cls(member.chunks(), name=name, ratio_limit=ratio_limit, close=member.close, again=again)
        return None

    @classmethod
    def _rewinding(cls, source: Any, name: str | None, ratio_limit: int) -> ByteSource:
        """A file opened by others: a regular file is rewound to its current position for each reading."""
        size = _size(source)
        if size is None:
            file = source if _has_number(source) else None
            return cls(_pieces(source), name=name, ratio_limit=ratio_limit, file=file)
        start = source.tell()

        def reading() -> ByteSource:
            chunks = _pieces_from(source, start)
            return cls(chunks, name=name, size=size, ratio_limit=ratio_limit, again=reading, file=source)

        return reading()

    @property
    def may_be_read_ahead(self) -> bool:
        """Whether another thread may read it: not chunks from a caller, nor sources that report each wait."""
        return self._file is not None and self.before_waiting is None

    def is_ready(self) -> bool:
        """Whether the next chunk is available without waiting, for sources that may be read ahead."""
        if self.size is not None:
            return True
        try:
            return bool(select([self._file], [], [], 0)[0])
        except (OSError, ValueError):
            return False

    @property
    def can_be_read_again(self) -> bool:
        """Whether the same bytes can be read again: those of a file can, those of a pipe cannot."""
        return self._again is not None

    def again(self) -> ByteSource:
        """The same input, from its beginning."""
        if self._again is None:
            raise ValueError("this input can be read only once")
        return self._again()

    def whole(self) -> bytes | None:
        """All bytes, if they are in memory, not compressed, and in an encoding that needs no declaration. With
        thousands of small files, reading each in pieces would take longer than scanning it.
        """
        if not self.is_whole or not isinstance(self._chunks, tuple) or len(self._chunks) != 1:
            return None
        data: bytes = self._chunks[0]
        if not data.startswith(b"<") or (data.startswith(b"<?xml") and codec_beyond_kernel(data) is not None):
            return None
        self.position = len(data)
        self.head = data[:HEAD_BYTES]
        return data

    def __iter__(self) -> Iterator[bytes]:
        # The bytes of a file are available, so several threads may read ahead.
        by_threads = self.size is not None and self.size > MUCH_BYTES
        for chunk in decompressed(self._counted(), self._ratio_limit, by_threads=by_threads):
            if len(self.head) < HEAD_BYTES:
                self.head += chunk[: HEAD_BYTES - len(self.head)]
            yield chunk

    def _counted(self) -> Iterator[bytes]:
        chunks = iter(self._chunks)
        while True:
            if self.before_waiting is not None:
                self.before_waiting()
            try:
                chunk = next(chunks)
            except StopIteration:
                return
            except OSError as error:
                raise InputError("XYIN0002", error.strerror or str(error), source=self.name or "the input") from error
            data = _as_bytes(chunk)
            self.position += len(data)
            yield data

    def located(self, error: InputError) -> InputError:
        """An error of a scan of this source, with its name, and its place in the whole file."""
        if self._part is not None and error.place is not None:
            return error.located(self._part.path, self._part.located(error.place))
        if self.name is None or error.source:
            return error
        return error.located(self.name)

    def close(self) -> None:
        if self._close is not None:
            self._close()
            self._close = None

    def __enter__(self) -> ByteSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _opened(path: Path) -> Any:
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise InputError("XYIN0002", error.strerror or str(error), source=str(path)) from error


def _all_of(file: Any, path: Path, size: int) -> bytes | None:
    """The content of a small file, read at once; None if it has shrunk."""
    try:
        data: bytes = file.read(FIRST_CHUNK_BYTES)
        if len(data) == size:
            return data
        file.seek(0)
    except OSError as error:
        file.close()
        raise InputError("XYIN0002", error.strerror or str(error), source=str(path)) from error
    return None


def _pieces(source: Readable | Receiving) -> Iterator[bytes]:
    """The pieces of a file or socket."""
    # `read` of a buffered reader blocks until it has all requested bytes, `read1` does not.
    names = ("read1", "read", "recv")
    take = cast("Callable[[int], bytes]", next(getattr(source, name) for name in names if hasattr(source, name)))
    raw = source.raw if isinstance(source, BufferedReader) else source
    # A socket has ways of its own to wait, and may be encrypted.
    if isinstance(raw, FileIO) and not get_blocking(raw.fileno()):
        take = partial(_when_ready, raw)
        if isinstance(source, BufferedReader) and (begun := source.read1(FIRST_CHUNK_BYTES)):
            yield begun
    wanted = FIRST_CHUNK_BYTES
    while chunk := take(wanted):
        yield chunk
        wanted = CHUNK_BYTES


def _when_ready(pipe: FileIO, wanted: int) -> bytes:
    """The next bytes of a pipe that others made non-blocking: having none yet is not its end."""
    while (chunk := pipe.read(wanted)) is None:
        select([pipe], [], [])
    return chunk


def _as_bytes(chunk: object) -> bytes:
    if isinstance(chunk, bytes):
        return chunk
    if isinstance(chunk, (bytearray, memoryview)):
        return bytes(chunk)
    raise TypeError(f"an input consists of bytes, not of {type(chunk).__name__}: open files in binary mode")


def _pieces_from(source: Any, start: int) -> Iterator[bytes]:
    source.seek(start)
    yield from _pieces(source)


def _slices(data: bytes) -> Iterator[bytes]:
    if data:
        yield data[:FIRST_CHUNK_BYTES]
    for start in range(FIRST_CHUNK_BYTES, len(data), CHUNK_BYTES):
        yield data[start : start + CHUNK_BYTES]


def _name(source: object) -> str | None:
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else None


def _has_number(source: Any) -> bool:
    """Whether it has a file descriptor, so the system can report whether there is something to read."""
    try:
        return isinstance(source.fileno(), int)
    except (AttributeError, OSError, ValueError):
        return False


def _size(source: object) -> int | None:
    """The remaining size of a regular file; None for anything else."""
    try:
        number = source.fileno()  # type: ignore[attr-defined]  # what has none is no file
        status = fstat(number)
        if not stat.S_ISREG(status.st_mode):
            return None
        return status.st_size - cast(int, source.tell())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return None
