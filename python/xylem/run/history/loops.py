"""Loops over units: what each unit gives, put in the place of what it gave before.

A loop evaluates its function for one unit at a time. What comes of it is a region of the display, items that others
read, a contribution to an aggregate, or the truth of a condition.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError
from xylem.plan import history as plan
from xylem.run.tasks.order_key import one_value, order_family, order_key
from xylem.values.atomize import atomize_list
from xylem.values.node import Node
from xylem.values.version_choice import VersionChoice

from .accumulators import Accumulator
from .ordered_list import OrderedList
from .pieces import Piece, PieceWriter, joined
from .timeline import Timeline
from .unit_notes import Unit

if TYPE_CHECKING:
    from .engine import Engine
    from .join_index import JoinedIndex

__all__ = ["Condition", "FoldLoop", "ItemLoop", "Live", "LiveLoop", "Read", "RegionLoop", "Turns"]

Function = Callable[..., Any]


class Live(ABC):
    """A part of the answer."""

    changed_at = 0
    """The number of the commit that changed it last."""

    @abstractmethod
    def piece(self) -> Piece | None:
        """What it shows."""


class Read(ABC):
    """What other operators read."""

    changed_at = 0
    """The number of the commit that changed it last."""

    @abstractmethod
    def values(self) -> list[Any]:
        """Its items."""


_first = itemgetter(0)


class LiveLoop(ABC):
    """What the operators of sources have in common: units come, go, and are evaluated again."""

    changed_at = 0
    """The number of the commit that changed it last."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def begin(self) -> bool:
        """Before the units of a commit: whether all of them are to be evaluated again."""
        return False

    def all_units(self) -> Iterable[Unit]:
        return ()

    def end(self) -> bool:
        """After them: whether the answer has changed."""
        return self.changed_at == self.engine.number

    @abstractmethod
    def evaluate(self, unit: Unit) -> None:
        """A unit is new, or what it reads has changed."""

    @abstractmethod
    def remove(self, unit: Unit) -> None:
        """A unit is no more."""


class Condition(LiveLoop):
    """Whether elements around units hold; where that flips, those units are evaluated again."""

    def __init__(self, engine: Engine, source: plan.Source, function: Function) -> None:
        super().__init__(engine)
        self._function = function

    def evaluate(self, unit: Unit) -> None:
        (node,) = self.engine.trees.nodes(unit)
        found = self._function(node)
        holds = bool(found if isinstance(found, bool) else next(iter(found)))
        if holds is not unit.made:
            unit.made = holds
            for dependent in unit.dependents or ():
                self.engine.units.touch(dependent)

    def remove(self, unit: Unit) -> None:
        pass


class Turns(LiveLoop):
    """A loop that evaluates a function for each unit, with what stands beside it."""

    def __init__(
        self,
        engine: Engine,
        described: plan.Loop,
        function: Function,
        holes: Sequence[Read],
        lookups: Sequence[JoinedIndex],
        writer: PieceWriter,
    ) -> None:
        super().__init__(engine)
        self._function = function
        self._columns = described.columns
        self._order = described.order
        self._holes = holes
        self._lookups = lookups
        self._writer = writer
        self._beside: tuple[Any, ...] = ()
        self._members: dict[Unit, None] = {}
        self.timelines: list[tuple[Function, VersionChoice]] = []
        """Of each value of a unit whose history is asked for: what computes it, and what is asked for."""
        self._families: tuple[Counter[str], ...] = tuple(Counter() for _ in described.order)

    def begin(self) -> bool:
        if not self._holes:
            return False
        if not any(hole.changed_at == self.engine.number for hole in self._holes):
            return False
        self._beside = ()
        return True

    def all_units(self) -> Iterable[Unit]:
        return self._members

    def evaluate(self, unit: Unit) -> None:
        if self._holes:
            self._members[unit] = None
        for lookup in self._lookups:
            lookup.forget_reader(unit)
        self.put(unit, list(self._turn(unit)))

    def remove(self, unit: Unit) -> None:
        if self._holes:
            self._members.pop(unit, None)
        for lookup in self._lookups:
            lookup.forget_reader(unit)
        if unit.made is not None:
            self.put(unit, [])

    def _turn(self, unit: Unit) -> Iterable[Any]:
        """The items of a unit, or its rows."""
        condition = unit.condition
        if condition is not None and not condition.made:
            if self.timelines:
                self._histories(unit, self.engine.trees.nodes(unit)[0])
            return ()
        beside = self._beside
        if not beside and (self._holes or self._lookups):
            values = [hole.values() for hole in self._holes]
            self._beside = beside = (*values, *(lookup.function for lookup in self._lookups))
        for lookup in self._lookups:
            lookup.reader = unit
        nodes = self.engine.trees.nodes(unit)
        if self.timelines:
            beside = (*beside, *self._histories(unit, nodes[0]))
        if len(nodes) == 1:
            return self._function(nodes[0], *beside)  # type: ignore[no-any-return]
        return [item for node in nodes for item in self._function(node, *beside)]

    def _histories(self, unit: Unit, node: Node) -> list[list[Any]]:
        """The values that a unit had, as they are asked for now."""
        kept: list[Timeline] | None = unit.timelines
        if kept is None:
            kept = unit.timelines = [Timeline(choice) for _, choice in self.timelines]
        now = self.engine.now
        for timeline, (value, _) in zip(kept, self.timelines, strict=True):
            timeline.push(now, list(value(node)))
        return [timeline.chosen(now) for timeline in kept]

    @abstractmethod
    def put(self, unit: Unit, found: list[Any]) -> None:
        """What a unit gives now, instead of what it gave."""

    def _rows(self, unit: Unit, found: list[Any]) -> list[tuple[Any, list[Any]]]:
        """(key, items) of what a unit gives."""
        if not self._columns:
            return [((b"", unit.place, 0), found)] if found else []
        rows = []
        for index, row in enumerate(found):
            keys = [one_value(atomize_list(row[column])) for column in range(self._columns)]
            families = tuple(map(order_family, keys))
            rows.append(((self._key(keys), unit.place, index, families), list(row[self._columns])))
        return rows

    def _key(self, values: Sequence[Any]) -> bytes:
        timezone = self.engine.run.implicit_timezone_minutes
        return b"".join(
            order_key(value, None, timezone, descending=descending, empty_greatest=greatest)
            for value, (descending, greatest) in zip(values, self._order, strict=True)
        )

    def _replace(self, rows: OrderedList[Any], before: Iterable[Any], made: Iterable[Any]) -> None:
        """Rows instead of others. What they are ordered by is counted: it must have one order."""
        for key, _ in before:
            rows.remove(key)
            if self._columns:
                self._count(key[3], -1)
        for key, given in made:
            rows.add(key, given, 1 if type(given) is Piece else len(given))
            if self._columns:
                self._count(key[3], 1)

    def _count(self, families: Sequence[str], sign: int) -> None:
        for counted, family in zip(self._families, families, strict=True):
            counted[family] += sign
            if not counted[family]:
                del counted[family]

    def end(self) -> bool:
        for families in self._families:
            if len(families) > 1 and len(families.keys() - {""}) > 1:
                raise DynamicError("XPTY0004", "order by: keys that have no common order")
        return super().end()


class RegionLoop(Turns, Live):
    """A loop whose rows are regions of the display.

    Holds:  the text of each row, in order.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.rows: OrderedList[Piece] = OrderedList()
        self._piece: Piece | None = None
        self._is_stale = False

    def put(self, unit: Unit, found: list[Any]) -> None:
        write = self._writer.piece
        made = [(key, piece) for key, items in self._rows(unit, found) if (piece := write(items)) is not None]
        before = unit.made or ()
        unit.made = made
        if len(before) == len(made) and all(a == b for a, b in zip(before, made, strict=True)):
            return
        self._replace(self.rows, before, made)
        self.changed_at = self.engine.number
        self._is_stale = True

    def piece(self) -> Piece | None:
        if self._is_stale:
            self._piece = joined(self.rows)
            self._is_stale = False
        return self._piece


class ItemLoop(Turns, Live, Read):
    """A loop whose items are read by others.

    Holds:  the items of each row, in order.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.rows: OrderedList[list[Any]] = OrderedList()

    def put(self, unit: Unit, found: list[Any]) -> None:
        made = self._rows(unit, found)
        before = unit.made or ()
        if not before and not made:
            unit.made = made
            return
        self._replace(self.rows, before, made)
        unit.made = made
        self.changed_at = self.engine.number

    def values(self) -> list[Any]:
        return [item for items in self.rows for item in items]

    def piece(self) -> Piece | None:
        return self._writer.piece(self.values())


class FoldLoop(Turns, Read):
    """A loop whose values are folded.

    Holds:  the values of each unit.
    """

    accumulator: Accumulator

    def put(self, unit: Unit, found: list[Any]) -> None:
        if self._columns:
            found = [value for _, items in sorted(self._rows(unit, found), key=_first) for value in items]
        made = tuple(found)
        before = unit.made or ()
        unit.made = made
        if before != made or any(type(a) is not type(b) for a, b in zip(before, made, strict=True)):
            self.accumulator.replace((unit.place,), before, made)
            self.changed_at = self.engine.number

    def values(self) -> list[Any]:
        return self.accumulator.result()
