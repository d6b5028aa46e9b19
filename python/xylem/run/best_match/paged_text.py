"""The text of pairs whose trees were spilled to a file: the kernel writes it, page by page (thesis, 4.3.4.2).

Pairs come in tuple order, a block at a time. For each block the reader takes what reads fewer pages:

- *pairs of pages* in the order of `page_schedule.py`. Each text is written to its place, and the block is put together
  when all are there. This is good for partners that lie near each other: each pair of pages has many pairs of rows.
- *copies*: each page of the second side is read once, and the rows that the block needs are copied. This is good for
  partners that lie anywhere.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xylem.source.kernel import pair_texts
from xylem.values.native_rows import NativePairRows
from xylem.values.paged_tree import TreePages

from .best_pairs import Place
from .gathered_rows import GatheredRows
from .page_schedule import Visit, reads, visits
from .written_pairs import NativeWriter, batched, numbered

LEAST_PAIRS = 16
TEXT_BYTES = 128
"""Estimated size of a pair's text, until there are texts."""
PAIR_BYTES = 64
"""Size of a pair during its lookup."""
VISIT_READS = 0.25
"""Cost of a pair of pages beyond reading, in pages."""


class _Block(NamedTuple):
    """Some pairs, and the page of each in the first and in the second loop."""

    pairs: Sequence[Place]
    firsts: array[int]
    seconds: array[int]

    @property
    def of_pages(self) -> dict[Place, list[int]]:
        """The numbers of the pairs on each pair of pages."""
        found: dict[Place, list[int]] = {}
        for number, place in enumerate(zip(self.firsts, self.seconds, strict=True)):
            found.setdefault(place, []).append(number)
        return found

    def reads(self, size: int) -> int:
        """Number of pages read if this many pairs at a time read each of their pages once."""
        return sum(
            len(set(pages[start : start + size]))
            for start in range(0, len(self.pairs), size)
            for pages in (self.firsts, self.seconds)
        )


class PagedText:
    """Writes pairs with only some pages in memory.

    Holds:  a quarter of what pages may take as text, a quarter as copies; the pages take the rest.
    Order:  that of the pairs.
    """

    def __init__(self, writer: NativeWriter, pages: TreePages, first: int) -> None:
        """`first` is the side of the first loop: 0 means left."""
        self._writer = writer
        self._pages = pages
        self._sides = first, 1 - first
        self._starts = tuple(writer.sides[side].starts for side in self._sides)
        rows = sum(map(len, writer.sides))
        self._row_bytes = max(1, pages.mean_bytes * sum(len(side.parts) for side in writer.sides) // max(rows, 1))
        self._text_bytes = TEXT_BYTES

    def texts(self, pairs: Iterable[Place]) -> Iterator[tuple[Sequence[Place], str | None]]:
        """Pairs with their text, block by block; None if a path leads to too many nodes."""
        share = self._pages.memory_bytes // 4
        remaining = iter(pairs)
        with self._pages.lent(2 * share):
            while some := next(batched(remaining, self._size(share)), None):
                text = self._text(self._block(some), share)
                yield some, text
                if text is not None:
                    self._text_bytes = max(1, len(text) // len(some))

    def _size(self, share: int) -> int:
        """Number of pairs in a block: their text and its index take a share of the memory."""
        return max(LEAST_PAIRS, share // (self._text_bytes + PAIR_BYTES))

    def _block(self, pairs: Sequence[Place]) -> _Block:
        (first, second), (firsts, seconds) = self._sides, self._starts
        return _Block(
            pairs,
            array("I", (bisect_right(firsts, pair[first]) - 1 for pair in pairs)),
            array("I", (bisect_right(seconds, pair[second]) - 1 for pair in pairs)),
        )

    def _text(self, block: _Block, copied_bytes: int) -> str | None:
        size = max(LEAST_PAIRS, copied_bytes // self._row_bytes)
        most = block.reads(size)
        of_pages = block.of_pages
        if VISIT_READS * len(of_pages) < most:
            needed: dict[int, list[int]] = {}
            for first, second in of_pages:
                needed.setdefault(first, []).append(second)
            planned = list(visits(needed, self._pages.memory_bytes // max(self._pages.mean_bytes, 1)))
            if reads(planned) + VISIT_READS * len(planned) <= most:
                return self._by_pages(block, of_pages, planned)
        return self._by_copies(block, size)

    # --- pairs of pages

    def _by_pages(self, block: _Block, of_pages: dict[Place, list[int]], planned: Sequence[Visit]) -> str | None:
        texts = pair_texts(len(block.pairs))
        first = -1
        held: dict[int, NativePairRows] = {}
        mine: NativePairRows | None = None
        for visit in planned:
            for one in visit.released:
                del held[one]
                self._release(1, one)
            if visit.first != first:
                if mine is not None:
                    mine = None
                    self._release(0, first)
                first, mine = visit.first, self._rows(0, visit.first)
            assert mine is not None
            if visit.second not in held:
                held[visit.second] = self._rows(1, visit.second)
            numbers = of_pages[visit.first, visit.second]
            some = [block.pairs[number] for number in numbers]
            offsets = self._offsets(visit.first, visit.second)
            places = [(one - offsets[0], other - offsets[1]) for one, other in some]
            rows = self._in_order(mine, held[visit.second])
            at = array("I", numbers).tobytes()
            if not self._writer.writer.write_to(texts, at, *rows, numbered(some), numbered(places)):
                return None
        return texts.text()

    def _in_order(self, first: NativePairRows, second: NativePairRows) -> tuple[NativePairRows, NativePairRows]:
        """The values of the first and second loop, ordered as left and right."""
        return (first, second) if self._sides[0] == 0 else (second, first)

    def _offsets(self, first: int, second: int) -> tuple[int, int]:
        """The numbers of the first left and of the first right row of two pages."""
        found = self._starts[0][first], self._starts[1][second]
        return found if self._sides[0] == 0 else (found[1], found[0])

    def _rows(self, loop: int, page: int) -> NativePairRows:
        side = self._sides[loop]
        return self._writer.rows(side, self._writer.sides[side].parts[page : page + 1])

    def _release(self, loop: int, page: int) -> None:
        self._pages.release(self._writer.sides[self._sides[loop]].parts[page][0])

    # --- copies

    def _by_copies(self, block: _Block, size: int) -> str | None:
        """Copy a number of rows of the second loop at a time, and read the pages of the first loop one by one."""
        found = []
        for some in batched(block.pairs, size):
            text = self._copied(some)
            if text is None:
                return None
            found.append(text)
        return "".join(found)

    def _copied(self, pairs: Sequence[Place]) -> str | None:
        first, second = self._sides
        sides = self._writer.sides
        gathered = GatheredRows(sides[second], (pair[second] for pair in pairs), self._pages)
        place_of = gathered.place_of
        copies = self._writer.rows(second, gathered.rows.parts)
        starts = self._starts[0]
        texts = []
        start = 0
        while start < len(pairs):
            page = bisect_right(starts, pairs[start][first]) - 1
            offset = starts[page]
            until = offset + len(sides[first].parts[page][1])
            end = start
            while end < len(pairs) and pairs[end][first] < until:
                end += 1
            some = pairs[start:end]
            if first == 0:
                places = [(one - offset, place_of[other]) for one, other in some]
            else:
                places = [(place_of[one], other - offset) for one, other in some]
            rows = self._in_order(self._rows(0, page), copies)
            text = self._writer.writer.write(*rows, numbered(some), numbered(places))
            if text is None:
                return None
            texts.append(text)
            if end < len(pairs):
                self._release(0, page)
            start = end
        return "".join(texts)
