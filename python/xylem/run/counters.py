"""Counters of a run: items in and out of each operator, added up per batch, sort or index, never per item.

A run without `--stats` has no counters and spends no time on them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

from xylem.errors import Span
from xylem.plan.operators.operator import Meter, place_key
from xylem.plan.scan_plan import LEAF, WRITTEN, Written
from xylem.plan.scan_table import TableState

from .runtime.anchored_values import AnchoredValues
from .runtime.joins import JoinIndex
from .runtime.many_keys import ManyKeysIndex
from .runtime.tuples import groups_of, ordered

if TYPE_CHECKING:
    from .program import Program
    from .tasks.rows import Row

_START, _ITEM = 1, 4
ANSWER = Meter("answer", "")
"""The items of the answer, for a run over trees."""


@dataclass
class Figures:
    """The counts of one meter."""

    items: int = 0
    """Items in."""
    results: int | None = None
    """Items out, if the same place knows."""
    entries: int = 0
    """The largest number held at a time."""


class Counters:
    """The meters of one run, with all its passes.

    Holds:  a few numbers for each operator.
    """

    def __init__(self) -> None:
        self.figures: dict[Meter, Figures] = {}
        self._kinds: Counter[tuple[int, int]] = Counter()
        self._counted: Counter[int] = Counter()
        self._written: Counter[int] = Counter()
        self._results: Counter[int] = Counter()
        self._latest: dict[str, Any] = {}
        """The latest index of each join inside a loop."""

    def of(self, meter: Meter) -> Figures:
        return self.figures.setdefault(meter, Figures())

    # --- a scan

    def take_batch(
        self,
        kinds: Sequence[int],
        steps: Sequence[int],
        counts: Sequence[int],
        written: Sequence[Written],
        tables: Sequence[TableState],
    ) -> None:
        """Read the records of a batch when the run gets them."""
        self._kinds.update(zip(steps, kinds, strict=True))
        if counts:
            self._counted.update({step: number for step, number in enumerate(counts) if number})
        if written:
            by_step = compress(steps, map(WRITTEN.__eq__, kinds))
            for step, each in zip(by_step, written, strict=True):
                self._written[step] += each.elements
                self._results[step] += each.items
        for step, cells in tables:
            self._counted[step] += sum(states[0][0] for _, states in cells if states)

    def end_pass(self, number: int) -> None:
        """One pass over the input has ended: its counts are final."""
        for step in {step for step, _ in self._kinds} | self._counted.keys():
            whole = self._kinds[step, _ITEM] + self._kinds[step, LEAF] + self._written[step]
            # Nested elements are reported at both of their tags.
            figures = self.of(Meter("records", str(step), number))
            figures.items += max(whole, self._kinds[step, _START]) + self._counted[step]
            if self._results[step]:
                figures.results = (figures.results or 0) + self._results[step]
        for counted in (self._kinds, self._counted, self._written, self._results):
            counted.clear()

    # --- generated code

    def watch(self, space: dict[str, Any], program: Program, number: int = 1) -> None:
        """Count the sorts and groups of generated code, in the namespace of one run."""
        for name, value in list(space.items()):
            if value is ordered:
                space[name] = self._sorting(program.spans, number)
            elif value is groups_of:
                space[name] = self._grouping(program.spans, number)
            elif value in (JoinIndex, ManyKeysIndex, AnchoredValues):
                space[name] = self._indexing(value, program, number)

    def _sorting(self, spans: Sequence[Span | None], number: int) -> Callable[..., Any]:
        def counted(rows: list[Any], *more: Any) -> Any:
            self._seen(spans[sys._getframe(1).f_lineno], number, len(rows), len(rows))
            return ordered(rows, *more)

        return counted

    def _grouping(self, spans: Sequence[Span | None], number: int) -> Callable[..., Any]:
        def counted(groups: dict[Any, Any]) -> Any:
            self._seen(spans[sys._getframe(1).f_lineno], number, None, len(groups))
            return groups_of(groups)

        return counted

    def _indexing(self, kind: Callable[..., Any], program: Program, number: int) -> Callable[..., Any]:
        """The largest of the indexes that are built repeatedly."""
        lines = program.code.split("\n")

        def counted(*arguments: Any, **options: Any) -> Any:
            name = lines[sys._getframe(1).f_lineno - 1].split("=", 1)[0].strip()
            self._take_index(self._latest.get(name), program.indexes.get(name), number)
            # Indexes by node use the kind of index that they are given.
            plain = [getattr(one, "counted_kind", one) for one in arguments]
            self._latest[name] = index = kind(*plain, **options)
            return index

        counted.counted_kind = kind  # type: ignore[attr-defined]
        return counted

    def _seen(self, span: Span | None, number: int, items: int | None, entries: int) -> None:
        if span is None:
            return
        figures = self.of(Meter("rows", place_key(span), number))
        figures.items += items or 0
        figures.results = (figures.results or 0) + entries
        figures.entries = max(figures.entries, entries)

    def take_indexes(self, space: Mapping[str, Any], indexes: Mapping[str, Span], number: int = 1) -> None:
        """Count the indexes of joins at the end of a run: those built once, and the latest of the others."""
        for name, span in indexes.items():
            self._take_index(space.get(name), span, number)
            self._take_index(self._latest.pop(name, None), span, number)

    def _take_index(self, index: Any, span: Span | None, number: int) -> None:
        if index is not None and span is not None and index.built:
            figures = self.of(Meter("index", place_key(span), number))
            figures.items = figures.entries = max(figures.entries, index.size)

    def counted_rows(self, part: str, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows of a part of a distributed query, as they arrive."""
        figures = self.of(Meter("rows", part))
        for row in rows:
            figures.items += 1
            yield row

    def counted(self, program: Program, space: dict[str, Any], items: Iterable[Any]) -> Iterator[Any]:
        """The answer of a program over trees; its indexes are counted when it ends or is abandoned."""
        figures = self.of(ANSWER)
        try:
            for item in items:
                figures.items += 1
                yield item
        finally:
            self.take_indexes(space, program.indexes)
