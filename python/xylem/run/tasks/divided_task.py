"""Elements that lie in several ranges: each range computes its share, and the shares of an element are merged.

A range is read with a mark at each end; the marks are inside the elements that are open there. Each element has an
entry per range: whether it was open at the beginning, whether it is open at the end, values that are the same in all
ranges, and the states of its aggregates. The elements open at the end of one range are those open at the beginning of
the next, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from xylem.functions.context import Context
from xylem.plan.spread import RANGE_BEGINS, RANGE_ENDS, SpreadPart
from xylem.source.byte_ranges import ByteRange, CutPoint

from ..aggregates.choose_state import FOLD_FEW
from ..packing import pack, unpack, unpack_error
from .aggregate_task import StateChoice
from .answer_text import HAS_ERROR
from .packed_state import StateKind, plain_state
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask
from .rows import Row

Entry = tuple[bool, bool, list[list[Any]], list[Any]]
"""Open at the beginning, open at the end, values, states."""
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}


class DividedTask(PartTask):
    """One loop over elements that may lie in several ranges. A state is that of `AggregateTask`: a list of entries.

    Holds:  an entry for each element.
    Order:  that of the elements.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler) -> None:
        super().__init__(part, compiler, None)
        assert part.grouping is not None
        self._values = len(part.grouping.collected)
        self._elements = PartQuery(compiler, part.body)
        self._finish = PartQuery(compiler, part.grouping.finish)
        self._choices = [StateChoice(name, rest, compiler, FOLD_FEW) for _, name, rest in part.grouping.aggregates]

    def prepare(self) -> None:
        super().prepare()
        self._elements.prepare_items()
        self._finish.prepare_value()
        for choice in self._choices:
            choice.prepare()

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        kinds = self._kinds(run, context)
        marked = _marked(source) if isinstance(source, ByteRange) else source
        entries = [self._entry(list(array), kinds) for array in self._elements.items(marked, run)]
        yield Row(self.part.number, b"", range_number, 0, b"\0" + pack(entries))

    def _entry(self, members: list[Sequence[Any]], kinds: list[StateKind]) -> Entry:
        (begins,), (ends,) = members[0], members[1]
        border = 2 + self._values
        states = [kind.new(False) for kind in kinds]
        for state, member in zip(states, members[border:], strict=True):
            state.take(member)
        return begins, ends, [list(member) for member in members[2:border]], list(map(plain_state, states))

    def _kinds(self, run: RunOptions, context: Context) -> list[StateKind]:
        return [choice.kind(run, context) for choice in self._choices]

    def merged(self, states: Sequence[bytes], run: RunOptions, context: Context) -> bytes:
        for each in states:
            if each[0] & HAS_ERROR:
                return each
        kinds = self._kinds(run, context)
        lists = (unpack(each[1:]) for each in states)
        return b"\0" + pack(reduce(lambda first, second: _joined(first, second, kinds), lists))

    def begun(self, state: bytes, run: RunOptions, context: Context) -> bytes:
        return state

    def value(self, state: bytes, run: RunOptions, context: Context) -> Sequence[Any]:
        if state[0] & HAS_ERROR:
            raise unpack_error(state[1:])
        kinds = self._kinds(run, context)
        finish = self._finish.placed_function(run, self.part.source.span)
        found: list[Any] = []
        for _, _, values, own in unpack(state[1:]):
            aggregates = [kind.opened(one).result() for kind, one in zip(kinds, own, strict=True)]
            found += finish(*values, *aggregates)
        return found

    def items(self, rows: Iterable[Row], run: RunOptions, context: Context) -> Iterator[Any]:
        states = [row.value for row in rows]
        return iter(self.value(self.merged(states, run, context), run, context) if states else ())


def _joined(first: list[Entry], second: list[Entry], kinds: list[StateKind]) -> list[Entry]:
    """The entries of two neighbouring stretches of the input."""
    coming = iter([entry for entry in second if entry[0]])
    found: list[Entry] = []
    for begins, ends, values, own in first:
        if ends:
            _, ends, _, others = next(coming)
            own = [kind.merged(a, b) for kind, a, b in zip(kinds, own, others, strict=True)]
        found.append((begins, ends, values, own))
    return [*found, *(entry for entry in second if not entry[0])]


def _marked(source: ByteRange) -> ByteRange:
    """The range with a mark at each end that is not an end of the document."""
    start, end = source.start, source.end
    return ByteRange(
        source.path,
        None if start is None else replace(start, opening=start.opening + _mark(RANGE_BEGINS, start)),
        None if end is None else replace(end, closing=_mark(RANGE_ENDS, end) + end.closing),
    )


def _mark(target: str, cut: CutPoint) -> bytes:
    """A processing instruction in the encoding of the document, which the start tags at the cut reveal."""
    encoding = next((name for begin, name in _WIDE.items() if cut.opening.startswith(begin)), "utf-8")
    return f"<?{target}?>".encode(encoding)
