"""Aggregates: one state for each range, merged in the order of the input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from xylem.analysis.free_variables import free_in
from xylem.errors import XylemError
from xylem.functions.context import Context
from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS
from xylem.plan.spread import SpreadPart
from xylem.syntax import ast

from ..aggregates.choose_state import FOLD_AT, aggregate_state
from ..aggregates.count_state import CountState
from ..aggregates.state import AggregateState, Failed
from ..aggregates.user_state import UserState
from ..packing import pack, unpack, unpack_error
from .answer_text import HAS_ERROR
from .packed_state import StateKind, plain_state
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask
from .rows import Row


class StateChoice:
    """The kind of state of one aggregate function in one query."""

    def __init__(
        self, function: str, arguments: Sequence[ast.Expr], compiler: PartCompiler, fold_at: int = FOLD_AT
    ) -> None:
        self._function = function
        self._fold_at = fold_at
        self._arguments = [PartQuery(compiler, argument) for argument in arguments]
        self._is_fixed = not any(free_in(argument) for argument in arguments)
        self._known: dict[int, StateKind] = {}
        self._protocol = compiler.user_aggregates.get(function)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": {}}

    def prepare(self) -> None:
        """Compile the arguments."""
        for query in self._arguments:
            query.prepare_value()

    def kind(self, run: RunOptions, context: Context) -> StateKind:
        """The states of the aggregate in one run."""
        zone = context.run.implicit_timezone_minutes
        known = self._known.get(zone) if self._is_fixed else None
        if known is None:
            known = self._known[zone] = StateKind(self._maker(run, context))
        return known

    def _maker(self, run: RunOptions, context: Context) -> Callable[[bool], AggregateState]:
        protocol = self._protocol
        if protocol is not None:
            return lambda is_first: UserState(protocol)
        values = [list(query.evaluated(run)) for query in self._arguments]
        function, fold_at = self._function, self._fold_at
        return lambda is_first: aggregate_state(function, context, values, is_first=is_first, fold_at=fold_at)


class AggregateTask(PartTask):
    """One aggregate. Its state starts with a byte that marks errors.

    Holds:  the state of one range.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler) -> None:
        super().__init__(part, compiler, None)
        self.is_counting = (FN, part.function) in COUNTS
        self.counting = ast.FunctionCall(ast.Name("count", "fn", FN), (part.body,), span=part.source.span)
        """Whether the scan itself counts, if it can."""
        self.query = PartQuery(compiler, self.counting if self.is_counting else part.body)
        self._found = PartQuery(compiler, part.body)
        self._choice = StateChoice(part.function, part.arguments, compiler)

    def prepare(self) -> None:
        super().prepare()
        self.query.prepare_items()
        self._choice.prepare()
        if self.part.cuts_anywhere:
            self._found.prepare_items()
        if self.is_counting and self._is_decided_by_one:
            self._found.prepare_value()

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        items = self.query.items(source, run)
        around = self.around(source, run)
        if self.is_counting:
            yield self.counted(self._count(items, source, run, around) - around, range_number)
        else:
            yield self.folded(self._choice.kind(run, context), islice(items, around, None), range_number)

    def prepare_merges(self) -> None:
        """Compile the code for merging states, if no task makes states."""
        self._choice.prepare()

    def around(self, source: Any, run: RunOptions) -> int:
        """The number of items in a range that belong to another range."""
        return self.items_around(self._found, source, run)

    def _count(self, items: Iterator[Any], source: Any, run: RunOptions, around: int) -> int:
        try:
            (count,) = items
        except XylemError:
            # If one item decides, errors after the first item do not matter; only the tree knows which item is first.
            if not self._is_decided_by_one:
                raise
            own = islice(self._found.items_of_tree(source, run), around, None)
            if next(own, None) is None:
                raise
            return around + 1
        assert isinstance(count, int)
        return count

    def folded(self, kind: StateKind, items: Iterable[Any], range_number: int) -> Row:
        """The row of a range with some items."""
        state = kind.new(range_number == 0)
        state.add(items)
        return Row(self.part.number, b"", range_number, 0, packed(state))

    def counted(self, count: int, range_number: int) -> Row:
        """The row of a range with a number of items."""
        state = CountState(self.part.function)
        state.count = count
        return Row(self.part.number, b"", range_number, 0, packed(state))

    @property
    def keeps_errors(self) -> bool:
        return self.part.is_guarded or self._is_decided_by_one

    @property
    def _is_decided_by_one(self) -> bool:
        """Whether nothing after the first item is evaluated, so that it cannot fail."""
        return self.part.function in ("exists", "empty")

    def merged(self, states: Sequence[bytes], run: RunOptions, context: Context) -> bytes:
        kind = self._choice.kind(run, context)
        merged: AggregateState | None = None
        for each in states:
            if each[0] & HAS_ERROR:
                return each
            state = kind.opened(unpack(each[1:]))
            if state.is_decided:
                return each
            if merged is None:
                merged = state
            else:
                merged.merge(state)
        assert merged is not None
        return self._placed_state(merged)

    def begun(self, state: bytes, run: RunOptions, context: Context) -> bytes:
        if state[0] & HAS_ERROR:
            return state
        begun = self._choice.kind(run, context).opened(unpack(state[1:]))
        begun.begin()
        return self._placed_state(begun)

    def _placed_state(self, state: AggregateState) -> bytes:
        try:
            return packed(state)
        except XylemError as error:
            raise self.placed(error) from error.__cause__

    def value(self, state: bytes, run: RunOptions, context: Context) -> Sequence[Any]:
        if state[0] & HAS_ERROR:
            raise unpack_error(state[1:])
        try:
            return self._choice.kind(run, context).opened(unpack(state[1:])).value()
        except XylemError as error:
            raise self.placed(error) from error.__cause__

    def items(self, rows: Iterable[Row], run: RunOptions, context: Context) -> Iterator[Any]:
        return iter(self.value(self._all(rows, run, context), run, context))

    def _all(self, rows: Iterable[Row], run: RunOptions, context: Context) -> bytes:
        merged: bytes | None = None
        for row in rows:
            merged = row.value if merged is None else self.merged((merged, row.value), run, context)
        if merged is None:
            merged = packed(self._choice.kind(run, context).new(True))
        return merged

    # --- counts by range

    def bound(self, rows: Iterable[Row], run: RunOptions, context: Context) -> bytes:
        if not self.part.is_by_range:
            return super().bound(rows, run, context)
        counts: dict[int, int] = {}
        try:
            for row in rows:
                (count,) = self.value(row.value, run, context)
                counts[row.range] = counts.get(row.range, 0) + count
        except XylemError:
            return super().bound((row,), run, context)
        return b"\0" + pack(counts)

    def bound_value(self, data: bytes, range_number: int) -> Sequence[Any]:
        found = super().bound_value(data, range_number)
        if self.part.is_by_range and not isinstance(found, Failed):
            assert isinstance(found, dict)
            return (sum(count for number, count in found.items() if number < range_number),)
        return found


def packed(state: AggregateState) -> bytes:
    """A state as the value of a row; its error is raised."""
    plain = plain_state(state)
    if state.error is not None:
        raise state.error
    return b"\0" + pack(plain)
