"""Columns of numbers by bucket, in the file of spilled pages: written in any order, read one bucket at a time.

Buckets that are cells of a grid make this the *grid materialisation* of the thesis (4.3.4.3): a list of pages for each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from xylem.values.paged_tree import TreePages

LEAST_BYTES = 1 << 12
"""Smallest number of bytes of a bucket to write at once."""


class BucketFile:
    """Rows of columns, appended to buckets.

    Holds:  the most recent rows of each bucket, until there are enough to write.
    """

    def __init__(self, pages: TreePages, buckets: int, codes: str, memory_bytes: int) -> None:
        """`codes` are `array` type codes, one for each column."""
        self._pages = pages
        self._codes = codes
        self._most = max(LEAST_BYTES, memory_bytes // max(buckets, 1))
        self._last = [[bytearray() for _ in codes] for _ in range(buckets)]
        self._places: list[list[list[tuple[int, int]]]] = [[] for _ in range(buckets)]

    def append(self, bucket: int, columns: Sequence[bytes]) -> None:
        """Add rows, given as the bytes of each column."""
        last = self._last[bucket]
        for held, column in zip(last, columns, strict=True):
            held += column
        if sum(map(len, last)) >= self._most:
            self._places[bucket].append([self._pages.put(bytes(held)) for held in last])
            for held in last:
                held.clear()

    def chunks(self, bucket: int) -> Iterator[list[array[Any]]]:
        """The rows of a bucket in order of arrival, column by column, in chunks."""
        for places in self._places[bucket]:
            yield columns_of(self._codes, [self._pages.get(place) for place in places])
        if any(self._last[bucket]):
            yield columns_of(self._codes, self._last[bucket])

    def taken(self, bucket: int) -> list[array[Any]]:
        """All rows of a bucket. Each bucket can be read once."""
        found = columns_of(self._codes, [b""] * len(self._codes))
        for chunk in self.chunks(bucket):
            for column, values in zip(found, chunk, strict=True):
                column.extend(values)
        for place in chain.from_iterable(self._places[bucket]):
            self._pages.give_back(place)
        self._places[bucket].clear()
        for held in self._last[bucket]:
            held.clear()
        return found

    def __len__(self) -> int:
        """The number of buckets."""
        return len(self._last)


def columns_of(codes: str, data: Sequence[bytes | bytearray]) -> list[array[Any]]:
    """Decode bytes into columns."""
    made: list[array[Any]] = [array(code) for code in codes]
    for column, values in zip(made, data, strict=True):
        column.frombytes(values)
    return made
