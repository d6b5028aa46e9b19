"""An aggregate over the results of windows: its state is kept with the state of the windows; the results are dropped.

    count(for $u in distinct-values(/log/entry/user) forseq $w in /log/entry[user eq $u] … return $w)

Each task that forms windows returns the aggregate's state over the windows that a batch completes. States are merged in
the order of the batches, like those of other aggregates over a stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from xylem.functions.context import Context
from xylem.functions.registry import FN
from xylem.functions.traits import IN_ANY_ORDER
from xylem.plan.spread import SpreadPart
from xylem.values import atomic_type as at
from xylem.values.sequence_type import AtomicItem

from ..windows.resumed import ResumedWindows
from .aggregate_task import AggregateTask, StateChoice, packed
from .part_query import PartCompiler, RunOptions
from .rows import Row
from .windows_task import Completed, WindowsTask


class FoldedWindowsTask(WindowsTask):
    """Windows whose results are only aggregated.

    Holds:  the state of the windows, and the aggregate's state over the results of a batch.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler) -> None:
        super().__init__(part, compiler, None)
        self._states = AggregateTask(part, compiler)
        self._choice = StateChoice(part.function, part.arguments, compiler)

    def prepare(self) -> None:
        super().prepare()
        self._choice.prepare()
        self._states.prepare_merges()

    @property
    def goes_on_by_batches(self) -> bool:
        return not self.is_keyed or (FN, self.part.function) in IN_ANY_ORDER or self._is_exact

    @cached_property
    def _is_exact(self) -> bool:
        """Whether the summands are integers or decimals, whose sum is the same in every order."""
        item = self._compiler.type_of(self._windowed.query).item
        is_sum = self.part.function in ("sum", "avg")
        return is_sum and isinstance(item, AtomicItem) and item.type.derives_from(at.DECIMAL)

    def _given(
        self, results: Iterator[Any], windows: ResumedWindows, run: RunOptions, context: Context, each_item: bool
    ) -> Iterator[Completed]:
        for first in results:
            state = self._choice.kind(run, context).new(False)
            state.add(chain((first,), results))
            yield Completed(windows.order, packed(state))

    def merged(self, states: Sequence[bytes], run: RunOptions, context: Context) -> bytes:
        return self._states.merged(states, run, context)

    def begun(self, state: bytes, run: RunOptions, context: Context) -> bytes:
        return self._states.begun(state, run, context)

    def value(self, state: bytes, run: RunOptions, context: Context) -> Sequence[Any]:
        return self._states.value(state, run, context)

    def items(self, rows: Iterable[Row], run: RunOptions, context: Context) -> Iterator[Any]:
        return self._states.items(rows, run, context)
