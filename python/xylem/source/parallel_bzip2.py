"""bzip2 data of many streams, decoded by several threads: dumps of MediaWiki and files of pbzip2 consist of such.

    BZh9…  BZh9…  BZh9…      →  pieces of some streams each, decoded side by side, their output in order

Python's decoder works without the interpreter's lock, so threads are enough. A stream begins at a whole byte with a
header of ten bytes. Unusual data (these bytes inside a stream, damaged data, a stream that is very long or expands a
lot) is left to the single-threaded decoder, with everything after it: that decoder is authoritative.

Holds:  a piece and its output for each thread, and one more.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future

PIECE_BYTES = 256 << 10
"""Streams are grouped up to about this size."""
LONGEST_PIECE = 8 << 20
MOST_OUTPUT = 64 << 20
_OUTPUT_CHUNK = 1 << 18
_HEADER = re.compile(rb"BZh[1-9]1AY&SY")
_HEADER_BYTES = 10

InOneThread = Callable[[Iterable[bytes], int, int], Iterator[bytes]]
"""Decodes data after the given numbers of bytes read and written."""


def threads() -> int:
    """As many threads as the process may use cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def decoded(chunks: Iterable[bytes], in_one_thread: InOneThread, check: Callable[[int, int], None]) -> Iterator[bytes]:
    """The output of all streams, in order. `check` is called with the bytes written and read so far."""
    from concurrent.futures import ThreadPoolExecutor

    chunks = iter(chunks)
    pieces = _Pieces(chunks)
    read = written = 0
    with ThreadPoolExecutor(threads(), "bzip2") as pool:
        waiting: deque[tuple[bytes, Future[bytes | None]]] = deque()
        try:
            while True:
                while len(waiting) <= threads() and (piece := pieces.next()) is not None:
                    waiting.append((piece, pool.submit(_output, piece)))
                if not waiting:
                    break
                text = waiting[0][1].result()
                if text is None:
                    break
                read += len(waiting.popleft()[0])
                written += len(text)
                check(written, read)
                for start in range(0, len(text), _OUTPUT_CHUNK):
                    yield text[start : start + _OUTPUT_CHUNK]
        finally:
            for _, one in waiting:
                one.cancel()
    rest = chain((piece for piece, _ in waiting), (pieces.held,) if pieces.held else (), chunks)
    yield from in_one_thread(rest, read, written)


class _Pieces:
    """Cuts data between streams.

    Holds:  the data after the last piece; everything left once `next` has returned None.
    """

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self.held = b""

    def next(self) -> bytes | None:
        """The next piece, up to the beginning of a stream; None at the end, and if a stream is too long."""
        searched = PIECE_BYTES
        while len(self.held) <= LONGEST_PIECE:
            found = _HEADER.search(self.held, searched)
            if found is not None:
                piece, self.held = self.held[: found.start()], self.held[found.start() :]
                return piece
            chunk = next(self._chunks, None)
            if chunk is None:
                return None
            searched = max(PIECE_BYTES, len(self.held) - _HEADER_BYTES)
            self.held += chunk
        return None


def _output(data: bytes) -> bytes | None:
    """The output of whole streams; None if the data is anything else."""
    from bz2 import BZ2Decompressor

    output, left = [], MOST_OUTPUT
    while data:
        stream = BZ2Decompressor()
        try:
            text = stream.decompress(data, left)
        except (OSError, EOFError):
            return None
        left -= len(text)
        if not stream.eof:
            return None
        output.append(text)
        # Streams may be padded with zeros, as tapes were.
        data = stream.unused_data.lstrip(b"\0")
    return b"".join(output)
