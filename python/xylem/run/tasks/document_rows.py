"""Rows of a map over many small documents: the scan writes the answers, and those of neighbours are one row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

from xylem.plan.result_template import Construct, Copies, Each, Part, Template, ValueOf, Values, When
from xylem.source.message_reader import ReadBatch

from .answer_text import BEGINS_WITH_ATOMIC, ENDS_WITH_ATOMIC
from .rows import Row


class AnswerKind(Enum):
    """What the items of a template are: it says what stands between two of them."""

    NODES = ""
    VALUES = " "


class DocumentRows:
    """Makes the rows of batches."""

    def __init__(self, part: int, template: Template, kind: AnswerKind) -> None:
        self._part = part
        self.template = template
        self._kind = kind

    def rows(self, read: ReadBatch, first: int, by_itself: Callable[[int], Iterator[Row]]) -> Iterator[Row]:
        """The rows of a batch whose first document has a number; `by_itself` gives those of one not written."""
        runs, unwritten = read.runs(self._kind.value)
        flags = BEGINS_WITH_ATOMIC | ENDS_WITH_ATOMIC if self._kind is AnswerKind.VALUES else 0
        starts = [-1, *unwritten]
        for (text, items), before, behind in zip(runs, starts, [*unwritten, None], strict=True):
            if items:
                yield Row(self._part, b"", first + before + 1, 0, bytes((flags,)) + text.encode())
            if behind is not None:
                yield from by_itself(first + behind)


def kind_of(template: Template) -> AnswerKind | None:
    """What the items of a template are; None where there may be both kinds."""
    kinds = {kind for part in template for kind in _kinds(part)}
    return kinds.pop() if len(kinds) == 1 else None


def _kinds(part: Part) -> Iterator[AnswerKind]:
    match part:
        case Construct() | Copies():
            yield AnswerKind.NODES
        case Values(of=of):
            yield AnswerKind.NODES if of is ValueOf.TEXT else AnswerKind.VALUES
        case Each(parts=parts) | When(parts=parts):
            for inner in parts:
                yield from _kinds(inner)
        case _:
            # Characters outside of elements: nobody knows what they are.
            yield from AnswerKind
