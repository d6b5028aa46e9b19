"""Groups: tuples collected by key in each range, merged for each key, and passed to the query's code for a group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any

from xylem.errors import InputError, XylemError
from xylem.functions.context import Context
from xylem.plan.spread import Grouping, SpreadPart

from ..aggregates.choose_state import FOLD_FEW
from ..aggregates.state import AggregateState, Failed
from ..packing import pack, unpack
from .aggregate_task import StateChoice
from .flat_items import NOT_FLAT, check_flat
from .group_key import exact_key, group_key
from .order_key import one_value
from .output_choice import TextChoice
from .packed_state import StateKind, plain_state
from .part_query import PartCompiler, PartQuery, RunOptions
from .rows import Reducer, Row
from .sort_task import OrderedTask, chosen_collation

MOST_GROUPS = 100_000
"""Most groups of one range held at once; beyond it their rows are written, and a key may have several rows."""


class _Group:
    """One group: its first position, its keys, its items, and the states of its aggregates."""

    __slots__ = ("collected", "keys", "ordinal", "range", "states")

    def __init__(
        self,
        range_number: int,
        ordinal: int,
        keys: list[Any],
        collected: list[list[Any]],
        states: list[AggregateState],
    ) -> None:
        self.range = range_number
        self.ordinal = ordinal
        self.keys = keys
        self.collected = collected
        self.states = states


class GroupTask(OrderedTask):
    """One loop with `group by`. Groups come in the order of their first tuples, or as `order by` says.

    Holds:  in a task, the groups of its range (100,000 at most): the states of aggregates, the items of other
            variables; in `reduced`, one group.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler, text: TextChoice | None) -> None:
        super().__init__(part, compiler, text)
        assert part.grouping is not None
        self._grouping: Grouping = part.grouping
        self._told = [f"the grouping key ${spec.name}" for spec in part.grouping.keys]
        self._tuples = PartQuery(compiler, part.body)
        self._finish = PartQuery(compiler, part.grouping.finish)
        self._choices = [StateChoice(name, rest, compiler, FOLD_FEW) for _, name, rest in part.grouping.aggregates]

    # --- in tasks

    def prepare(self) -> None:
        super().prepare()
        self._tuples.prepare_items()
        self._finish.prepare_value()
        for choice in self._choices:
            choice.prepare()

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        kinds = self._kinds(run, context)
        groups: dict[Any, _Group] = {}
        own = islice(self._tuples.items(source, run), self.items_around(self._tuples, source, run), None)
        for ordinal, array in enumerate(own):
            self._add([list(member) for member in array], groups, range_number, ordinal, kinds, context)
            if len(groups) >= MOST_GROUPS:
                yield from self._rows(groups, context)
                groups.clear()
        yield from self._rows(groups, context)

    def _add(
        self,
        members: list[list[Any]],
        groups: dict[Any, _Group],
        range_number: int,
        ordinal: int,
        kinds: list[StateKind],
        context: Context,
    ) -> None:
        number = len(self._grouping.keys)
        values = [one_value(member, told) for member, told in zip(members[:number], self._told, strict=True)]
        key = self._exact(values, context)
        border = number + len(self._grouping.collected)
        collected = members[number:border]
        if self._grouping.looks_around and members.pop() == [True]:
            raise InputError(NOT_FLAT, "an element that is grouped in another of its name")
        group = groups.get(key)
        if group is None:
            # A state never counts as the first of the input: groups begin anywhere.
            new = [kind.new(False) for kind in kinds]
            group = groups[key] = _Group(range_number, ordinal, values, [[] for _ in collected], new)
        for items, more in zip(group.collected, collected, strict=True):
            if self.part.must_be_flat:
                check_flat([*items[-1:], *more])
            items.extend(more)
        for state, member in zip(group.states, members[border:], strict=True):
            state.take(member)

    def _rows(self, groups: dict[Any, _Group], context: Context) -> Iterator[Row]:
        zone = context.run.implicit_timezone_minutes
        collations = self._collations(context)
        for group in groups.values():
            key = group_key(group.keys, collations, zone)
            value = b"\0" + pack((group.keys, group.collected, list(map(plain_state, group.states))))
            yield Row(self.part.number, key, group.range, group.ordinal, value)

    def _exact(self, values: Sequence[Any], context: Context) -> Any:
        return exact_key(values, self._collations(context), context.run.implicit_timezone_minutes)

    def _kinds(self, run: RunOptions, context: Context) -> list[StateKind]:
        return [choice.kind(run, context) for choice in self._choices]

    def _collations(self, context: Context) -> list[Any]:
        return [chosen_collation(spec.collation, context) for spec in self._grouping.keys]

    # --- for one key

    def combined(self, rows: Iterable[Row], run: RunOptions, context: Context, *, from_first: bool) -> Iterator[Row]:
        groups: dict[Any, _Group] = {}
        yield from self._gathered(rows, groups, self._kinds(run, context), context)
        for group in groups.values() if from_first else ():
            for state in group.states:
                state.begin()
        yield from self._rows(groups, context)

    def _gathered(
        self, rows: Iterable[Row], groups: dict[Any, _Group], kinds: list[StateKind], context: Context
    ) -> Iterator[Row]:
        """Put rows into their groups; rows that carry an error are passed on."""
        for row in rows:
            if row.value[0]:
                yield row
                continue
            keys, collected, own = unpack(row.value[1:])
            states = [kind.opened(plain) for kind, plain in zip(kinds, own, strict=True)]
            known = groups.setdefault(
                self._exact(keys, context), group := _Group(row.range, row.ordinal, keys, collected, states)
            )
            if known is not group:
                for items, more in zip(known.collected, collected, strict=True):
                    items.extend(more)
                for state, behind in zip(known.states, states, strict=True):
                    state.merge(behind)

    def reducer(self, run: RunOptions, context: Context) -> Reducer:
        kinds = self._kinds(run, context)
        finish = self._finish.placed_function(run, self.part.source.span)
        return lambda rows: self._reduced(rows, kinds, finish, context)

    def _reduced(
        self, rows: Iterable[Row], kinds: list[StateKind], finish: Callable[..., Sequence[Any]], context: Context
    ) -> Iterator[Row]:
        groups: dict[Any, _Group] = {}
        yield from self._gathered(rows, groups, kinds, context)
        writer = None if self.text is None else self.text.writer()
        for group in groups.values():
            keys = [() if key is None else (key,) for key in group.keys]
            try:
                values = [_read_later(state) for state in group.states]
                arrays = finish(*keys, *group.collected, *values)
                yield from self.ordered.rows(arrays, group.range, repeat(group.ordinal), writer, context)
            except XylemError as error:
                yield self.error_row(error, group.range, group.ordinal)


def _read_later(state: AggregateState) -> Sequence[Any]:
    """The items, or what raises the error where it is read: the query may never read it, or may catch the error."""
    found = state.result()
    return found if isinstance(found, Failed) else list(found)
