"""Maps, and queries of a single task: the items of a range in order, as text or packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from xylem.errors import XylemError
from xylem.functions.context import Context
from xylem.plan.spread import SpreadPart
from xylem.source.message_inputs import MessageSource

from ..pruned_copy import pruned
from .answer_text import ENDS_WITH_ATOMIC, AnswerText
from .document_rows import DocumentRows
from .flat_items import flat
from .output_choice import TextChoice
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PACKED_ITEMS, PartTask
from .rows import Row


class MapTask(PartTask):
    """The items of one range, one after another.

    Holds:  the items of one step, before they become a row.
    Order:  that of the input.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        super().__init__(part, compiler, text)
        self.query = PartQuery(compiler, part.body)

    def prepare(self) -> None:
        super().prepare()
        self.query.prepare_items()

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        if self.text is None or each_item or self.part.limit is not None:
            items = self.query.items(source, run)
            return self.single_rows(items, range_number, each_item)
        if isinstance(source, MessageSource):
            return self._message_row(source, range_number, run)
        writer = self.text.writer()
        return self.text_rows(self.query.write(source, writer, run), writer, range_number)

    def _message_row(self, source: MessageSource, range_number: int, run: RunOptions) -> Iterator[Row]:
        """A small document is one row: one writer serves them all."""
        items = list(self.query.items(source, run))
        if items:
            assert self.text is not None
            writer = run.writers.get(self.part.number)
            if writer is None:
                writer = run.writers[self.part.number] = self.text.writer()
            yield Row(self.part.number, b"", range_number, 0, self.row_value(items, writer))

    def document_rows(self) -> DocumentRows | None:
        """The function that makes rows of small documents that the scan answers; None if it can answer none."""
        template = self.query.document_template
        part, text = self.part, self.text
        if template is None or text is None or part.limit is not None or part.must_be_flat:
            return None
        return DocumentRows(part.number, template) if text.writer().takes_markup else None

    def single_rows(self, items: Iterable[Any], range_number: int, each_item: bool) -> Iterator[Row]:
        """Rows that do not depend on their neighbours."""
        wanted: Iterable[Any] = islice(items, self.part.limit)
        if self.part.must_be_flat:
            wanted = flat(wanted)
        if self.text is None:
            if self.part.keeps is not None:
                keeps = self.part.keeps
                wanted = (pruned(item, keeps) for item in wanted)
            yield from self.packed_rows(wanted, range_number, 1 if each_item else PACKED_ITEMS)
            return
        writer = self.text.writer()
        for ordinal, item in enumerate(wanted):
            yield Row(self.part.number, b"", range_number, ordinal, self.row_value((item,), writer))

    def item_rows(self, source: Any, range_number: int, run: RunOptions) -> Iterator[tuple[Any, Row]]:
        """A row for each item of a range, in the form that other parts see."""
        items: Iterable[Any] = self.query.items(source, run)
        if self.part.must_be_flat:
            items = flat(items)
        for ordinal, item in enumerate(items):
            sent = item if self.part.keeps is None else pruned(item, self.part.keeps)
            yield item, self.packed_row((sent,), range_number, ordinal)

    def text_rows(self, steps: Iterable[Any], writer: AnswerText, range_number: int) -> Iterator[Row]:
        """Emit a row immediately for each step that wrote text, because on a stream the next step may take long.

        The first row has the flag for the beginning of the text, and each row the flag for its end so far.
        """
        ordinal, told = 0, None
        try:
            for _ in steps:
                taken = writer.taken()
                if taken:
                    told = writer.flags
                    yield self._row(range_number, ordinal, told, taken)
                    ordinal += 1
        except XylemError:
            # Results before an error come before it, as in one process.
            taken = writer.taken()
            if taken:
                yield self._row(range_number, ordinal, writer.flags, taken)
            raise
        if writer.has_begun and writer.flags != told:
            yield self._row(range_number, ordinal, writer.flags, "")

    def _row(self, range_number: int, ordinal: int, flags: int, text: str) -> Row:
        if ordinal:
            flags &= ENDS_WITH_ATOMIC
        return Row(self.part.number, b"", range_number, ordinal, bytes((flags,)) + text.encode())
