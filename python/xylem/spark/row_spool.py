"""Rows of parts as they arrive, kept until the answer needs them: a little in memory, the rest in a file.

Tasks return *chunks*: some rows of one part, packed into bytes. The answer takes the parts one after another, each in
order, while tasks deliver all of them at once; so chunks that are not needed yet wait here. Beyond `MEMORY_BYTES` they
are in one temporary file.
"""

from __future__ import annotations

import heapq
import marshal
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import IO, Any

from xylem.run.tasks.rows import Row

MEMORY_BYTES = 32 << 20
CHUNK_BYTES = 1 << 18
"""Approximate size of a chunk."""

_Place = bytes | tuple[int, int]
"""A waiting chunk: itself, or its position in the file."""


def packed(rows: Iterable[Row], chunk_bytes: int = CHUNK_BYTES) -> Iterator[bytes]:
    """Rows packed into chunks, in order."""
    together: list[tuple[int, bytes, int, int, bytes]] = []
    size = 0
    for row in rows:
        together.append((*row,))
        size += len(row.key) + len(row.value) + 32
        if size >= chunk_bytes:
            yield marshal.dumps(together)
            together, size = [], 0
    if together:
        yield marshal.dumps(together)


def unpacked(chunk: bytes) -> Iterator[Row]:
    """The rows of a chunk."""
    return map(_row, marshal.loads(chunk))


_row: Callable[[tuple[Any, ...]], Row] = partial(tuple.__new__, Row)
in_order = itemgetter(1, 2, 3)
"""The sort key for rows of one part: key, range, ordinal."""
by_key = itemgetter(1)
"""The sort key that is enough for a stable sort if rows come in the order of range and ordinal."""


class RowSpool:
    """Waiting chunks, in memory or in a file. Close it when the answer is complete, or abandoned."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self._room = memory_bytes
        self._file: IO[bytes] | None = None
        self._end = 0
        self.spilled_bytes = 0

    def put(self, chunk: bytes) -> _Place:
        """Store a chunk; the return value finds it again."""
        if len(chunk) <= self._room:
            self._room -= len(chunk)
            return chunk
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="xylem-rows-")  # noqa: SIM115 - closed by close()
        self._file.seek(self._end)
        self._file.write(chunk)
        place = (self._end, len(chunk))
        self._end += len(chunk)
        self.spilled_bytes += len(chunk)
        return place

    def take(self, place: _Place) -> bytes:
        """A chunk that was kept; it is taken once."""
        if isinstance(place, bytes):
            self._room += len(place)
            return place
        assert self._file is not None
        self._file.seek(place[0])
        return self._file.read(place[1])

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class PartRows:
    """The rows of one part, which may grow, in the order of their ranges."""

    def __init__(self, spool: RowSpool) -> None:
        self._spool = spool
        self._waiting: deque[_Place] = deque()

    def add(self, chunk: bytes) -> None:
        self._waiting.append(self._spool.put(chunk))

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def next_rows(self) -> Iterator[Row]:
        """The rows of the next chunk."""
        return unpacked(self._spool.take(self._waiting.popleft()))


class SortedRuns:
    """Sorted runs of one part, one of each task or bucket, merged when all are there.

    Holds:  the spool's chunks in memory; for runs in its file, the head of each.
    """

    def __init__(self, spool: RowSpool, *, of_tasks: bool) -> None:
        """`of_tasks`: whether the ranges of a run precede those of the next, which holds for tasks, and not for
        buckets.
        """
        self._spool = spool
        self._order: Callable[[tuple[Any, ...]], Any] = by_key if of_tasks else in_order
        self._runs: dict[int, list[_Place]] = {}

    def add(self, run: int, chunk: bytes) -> None:
        self._runs.setdefault(run, []).append(self._spool.put(chunk))

    def merged(self) -> Iterator[Row]:
        """All rows, ordered by (key, range, ordinal)."""
        runs = [self._tuples(places) for _, places in sorted(self._runs.items())]
        if len(runs) < 2:
            return map(_row, runs[0] if runs else ())
        if all(isinstance(place, bytes) for places in self._runs.values() for place in places):
            # All in memory, which is bounded: Python's sort merges sorted runs faster than a heap.
            return map(_row, sorted(chain.from_iterable(runs), key=self._order))
        return map(_row, heapq.merge(*runs, key=self._order))

    def _tuples(self, places: list[_Place]) -> Iterator[tuple[Any, ...]]:
        # Rows are made when they are returned: the garbage collector ignores plain tuples of bytes and numbers.
        for place in places:
            yield from marshal.loads(self._spool.take(place))
