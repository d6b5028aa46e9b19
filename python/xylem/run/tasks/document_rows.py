"""Rows of a map over many small documents: the scan writes the answers, and neighbouring answers share a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xylem.plan.result_template import Template
from xylem.source.message_reader import ReadBatch

from .answer_text import BEGINS_WITH_ATOMIC, ENDS_WITH_ATOMIC
from .rows import Row


class DocumentRows:
    """Makes the rows of batches."""

    def __init__(self, part: int, template: Template) -> None:
        self._part = part
        self.template = template

    def rows(self, read: ReadBatch, first: int, by_itself: Callable[[int], Iterator[Row]]) -> Iterator[Row]:
        """The rows of a batch, given the number of its first document; `by_itself` makes the rows of documents that the
        scan did not write.
        """
        runs, unwritten = read.runs()
        starts = [-1, *unwritten]
        for (text, items, begins, ends), before, behind in zip(runs, starts, [*unwritten, None], strict=True):
            if items:
                flags = (BEGINS_WITH_ATOMIC if begins else 0) | (ENDS_WITH_ATOMIC if ends else 0)
                yield Row(self._part, b"", first + before + 1, 0, bytes((flags,)) + text.encode())
            if behind is not None:
                yield from by_itself(first + behind)
