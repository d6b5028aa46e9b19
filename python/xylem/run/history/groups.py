"""Groups: the results of a loop's turns, gathered by key. A group that becomes empty is dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xylem.plan import history as plan
from xylem.run.runtime.tuples import group_key
from xylem.run.tasks.order_key import one_value

from .accumulators import Accumulator
from .loops import Read, Turns
from .ordered_list import OrderedList
from .unit_notes import Unit

__all__ = ["GroupLoop"]


class _Group:
    """One group, at the position of its first member."""

    __slots__ = ("accumulators", "condition", "key", "made", "members", "place")

    def __init__(self, key: Any, accumulators: list[Accumulator]) -> None:
        self.key = key
        self.members: OrderedList[Sequence[Any]] = OrderedList()
        self.accumulators = accumulators
        self.made: Any = None
        self.place: Any = None
        self.condition: None = None


class GroupLoop(Turns):
    """A loop with `group by`: it collects rows in groups, and passes the rows of changed groups to a sink.

    Holds:  the groups with their members in order, and the collected values of each member.
    """

    def __init__(
        self,
        *given: Any,
        group: Callable[..., Any],
        group_holes: Sequence[Read],
        accumulators: Sequence[Callable[[], Accumulator]],
        sink: Turns,
    ) -> None:
        super().__init__(*given)
        described: plan.Loop = given[1]
        assert described.group is not None
        self._grouping = described.group
        self._of_group = group
        self._group_holes = group_holes
        self._accumulators = accumulators
        self._sink = sink
        self._groups: dict[Any, _Group] = {}
        self._changed: dict[_Group, None] = {}

    def begin(self) -> bool:
        if any(hole.changed_at == self.engine.number for hole in self._group_holes):
            self._changed.update(dict.fromkeys(self._groups.values()))
        return super().begin()

    def put(self, unit: Unit, found: list[Any]) -> None:
        before: list[tuple[_Group, Any, Sequence[Any]]] = unit.made or []
        for group, key, row in before:
            self._take_out(group, key, row)
        made = []
        keys = self._grouping.keys
        timezone = self.engine.run.implicit_timezone_minutes
        for index, array in enumerate(found):
            row = list(array)
            values = [one_value(list(row[column]), "a grouping key") for column in range(keys)]
            name = tuple(group_key(value, None, timezone) for value in values)
            joined = self._groups.get(name)
            if joined is None:
                joined = self._groups[name] = _Group(name, [make() for make in self._accumulators])
            key = (unit.place, index)
            self._put_in(joined, key, row)
            made.append((joined, key, row))
        unit.made = made

    def _put_in(self, group: _Group, key: Any, row: Sequence[Any]) -> None:
        group.members.add(key, row)
        first = self._grouping.keys + self._grouping.collected
        for fold, values in zip(group.accumulators, row[first:], strict=True):
            fold.replace(key, (), tuple(values))
        self._changed[group] = None

    def _take_out(self, group: _Group, key: Any, row: Sequence[Any]) -> None:
        group.members.remove(key)
        first = self._grouping.keys + self._grouping.collected
        for fold, values in zip(group.accumulators, row[first:], strict=True):
            fold.replace(key, tuple(values), ())
        self._changed[group] = None

    def end(self) -> bool:
        self._renumber()
        changed, self._changed = self._changed, {}
        # A place is free before another group takes it: its member may have changed its key.
        for group in changed:
            self._leave(group)
        for group in changed:
            if group.members.first() is not None:
                self._give(group)
        self._sink.end()
        return self._sink.changed_at == self.engine.number

    def _leave(self, group: _Group) -> None:
        """Withdraw the result of a group that has no members left, or a new first member."""
        is_gone = group.members.first() is None
        if group.made is not None and (is_gone or group.members.first_key() != group.place):
            self._sink.put(group, [])  # type: ignore[arg-type]  # it has what a unit has
        if is_gone:
            del self._groups[group.key]

    def _give(self, group: _Group) -> None:
        """Replace the rows of a group."""
        first = group.members.first()
        assert first is not None
        keys, collected = self._grouping.keys, self._grouping.collected
        group.place = group.members.first_key()
        together = [[item for row in group.members for item in row[column]] for column in range(keys, keys + collected)]
        folds = [fold.result() for fold in group.accumulators]
        holes = [hole.values() for hole in self._group_holes]
        found = list(self._of_group(*first[:keys], *together, *folds, *holes))
        self._sink.put(group, found)  # type: ignore[arg-type]  # it has what a unit has
