"""Loops over units: the result of a unit replaces its earlier result.

A loop evaluates its function for one unit at a time. The result is a region of the display, items that other loops
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
from xylem.sink.display_edits import Edit, Part, edits_between
from xylem.values.atomize import atomize_list
from xylem.values.node import Node
from xylem.values.version_choice import VersionChoice

from .accumulators import Accumulator
from .ordered_list import OrderedList
from .parts import ItemWriter, Parts, Written, text_of
from .places import Place
from .same_values import is_same
from .siblings import SiblingPlaces
from .timeline import Timeline
from .unit_notes import Unit

if TYPE_CHECKING:
    from .engine import Engine
    from .join_index import JoinedIndex

__all__ = ["Compared", "Condition", "FoldLoop", "ItemLoop", "Live", "LiveLoop", "Read", "RegionLoop", "Turns"]

Function = Callable[..., Any]


class Live(ABC):
    """A part of the answer."""

    sequence = 0
    """The number of the sequence that its values belong to."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of parts."""

    @abstractmethod
    def parts(self) -> Iterable[Part]:
        """The parts."""

    @abstractmethod
    def edits(self) -> list[Edit]:
        """The edits of its parts since the last call, in ascending order."""

    def is_blank(self) -> bool:
        """Whether it shows no characters."""
        return not text_of(self.parts())


class Read(ABC):
    """A value that other operators read."""

    changed_at = 0
    """The number of the commit that last changed it."""

    @abstractmethod
    def values(self) -> list[Any]:
        """Its items."""


class Compared(Live, Read):
    """A part that is small or changes as a whole: its edits come from a comparison with its last state."""

    writer: ItemWriter
    _shown: Parts = ()
    _told: Parts = ()
    _shown_at = -1

    def parts(self) -> Parts:
        if self._shown_at != self.changed_at or not self.changed_at:
            self._shown = self.writer.parts(self.values(), self.sequence)
            self._shown_at = self.changed_at
        return self._shown

    @property
    def size(self) -> int:
        return len(self.parts())

    def edits(self) -> list[Edit]:
        before, self._told = self._told, self.parts()
        return [] if self._told is before else edits_between(before, self._told)


_first = itemgetter(0)
_MOST_KEYS = 16_384
"""The number of order keys that are kept, so that equal keys are one object."""


class LiveLoop(ABC):
    """The base of operators over sources: units are added, removed and reevaluated."""

    changed_at = 0
    """The number of the commit that last changed it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def begin(self) -> bool:
        """Called before the units of a commit: return whether all units must be reevaluated."""
        return False

    def all_units(self) -> Iterable[Unit]:
        return ()

    def end(self) -> bool:
        """Called after the units of a commit: return whether the answer has changed."""
        return self.changed_at == self.engine.number

    @abstractmethod
    def evaluate(self, unit: Unit) -> None:
        """Evaluate a unit that is new, or whose input has changed."""

    @abstractmethod
    def remove(self, unit: Unit) -> None:
        """Remove a unit."""


class Condition(LiveLoop):
    """Whether the conditions of elements around units hold; units are reevaluated when that flips."""

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
    """A loop that evaluates a function for each unit and the values beside it."""

    def __init__(
        self,
        engine: Engine,
        described: plan.Loop,
        function: Function,
        holes: Sequence[Read],
        lookups: Sequence[JoinedIndex],
        writer: ItemWriter,
    ) -> None:
        super().__init__(engine)
        self._function = function
        self._columns = described.columns
        self._order = described.order
        self._holes = holes
        self.lookups = lookups
        self.writer = writer
        self._beside: tuple[Any, ...] = ()
        self._members: dict[Unit, None] = {}
        self.timelines: list[tuple[Function, VersionChoice]] = []
        """For each value of a unit whose history is requested: what computes it, and the request."""
        self._families: tuple[Counter[str], ...] = tuple(Counter() for _ in described.order)
        self._known_keys: dict[tuple[bytes, tuple[str, ...]], tuple[bytes, tuple[str, ...]]] = {}
        """Order keys that came before: comparing an object with itself looks at nothing of it."""
        self._numbered: OrderedList[Unit] | None = OrderedList() if described.is_numbered else None
        """The units with their item numbers."""
        self._bases: dict[Unit, int] = {}
        """The number of items before each unit when it was evaluated."""
        self._moved: tuple[Place, ...] | None = None
        """The first place after which item numbers changed."""
        self.siblings: SiblingPlaces | None = None
        """Which places among siblings count, if not all do."""

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
        for lookup in self.lookups:
            lookup.forget_reader(unit)
        if self.siblings is not None:
            self.siblings.note(unit, self.engine.trees.nodes(unit)[0])
        self.put(unit, self._given(unit))

    def remove(self, unit: Unit) -> None:
        if self._holes:
            self._members.pop(unit, None)
        for lookup in self.lookups:
            lookup.forget_reader(unit)
        if self.siblings is not None:
            self.siblings.remove(unit)
        if self._numbered is not None and self._bases.pop(unit, None) is not None:
            self._numbered.remove((unit.place,))
            self._note_move((unit.place,))
        if unit.made is not None:
            self.put(unit, [])

    def _given(self, unit: Unit) -> list[Any]:
        """The result of a unit, for `put`."""
        return list(self._turn(unit, self._function))

    def _turn(self, unit: Unit, function: Function) -> Iterable[Any]:
        """The items or rows of a unit."""
        condition = unit.condition
        is_left_out = condition is not None and not condition.made
        if is_left_out or (self.siblings is not None and not self.siblings.holds(unit)):
            if self.timelines:
                self._histories(unit, self.engine.trees.nodes(unit)[0])
            return () if self._numbered is None else self._number(unit, self._numbered, (), function, ())
        beside = self._beside
        if not beside and (self._holes or self.lookups):
            values = [hole.values() for hole in self._holes]
            self._beside = beside = (*values, *(lookup.function for lookup in self.lookups))
        for lookup in self.lookups:
            lookup.reader = unit
        nodes = self.engine.trees.nodes(unit)
        if self.timelines:
            beside = (*beside, *self._histories(unit, nodes[0]))
        if self._numbered is not None:
            return self._number(unit, self._numbered, nodes, function, beside)
        if len(nodes) == 1:
            return function(nodes[0], *beside)  # type: ignore[no-any-return]
        return [item for node in nodes for item in function(node, *beside)]

    def _number(
        self,
        unit: Unit,
        numbered: OrderedList[Unit],
        nodes: Sequence[Node],
        function: Function,
        beside: tuple[Any, ...],
    ) -> list[Any]:
        """Number the results of a unit after those before it; if their count changed, later units move."""
        key = (unit.place,)
        base = number = numbered.before(key)[1]
        found: list[Any] = []
        for node in nodes:
            size, *given = function(node, [number], *beside)
            number += size
            found += given
        if unit not in self._bases:
            numbered.add(key, unit, number - base)
            self._note_move(key)
        elif numbered.replace(key, unit, number - base):
            self._note_move(key)
        self._bases[unit] = base
        return found

    def _note_move(self, key: tuple[Place, ...]) -> None:
        if self._moved is None or key < self._moved:
            self._moved = key

    def _renumber(self) -> None:
        """Reevaluate the units that moved."""
        for unit in self.siblings.moved() if self.siblings is not None else ():
            if unit.is_alive:
                self.engine.evaluate(self, unit)
        moved, self._moved = self._moved, None
        if moved is None or self._numbered is None:
            return
        behind = self._numbered.before(moved)[1]
        for unit, base in list(self._numbered.from_item(behind)):
            if self._bases[unit] != base:
                self.engine.evaluate(self, unit)
        self._moved = None

    def _histories(self, unit: Unit, node: Node) -> list[list[Any]]:
        """The requested earlier values of a unit."""
        kept: list[Timeline] | None = unit.timelines
        if kept is None:
            kept = unit.timelines = [Timeline(choice) for _, choice in self.timelines]
        now = self.engine.now
        for timeline, (value, _) in zip(kept, self.timelines, strict=True):
            timeline.push(now, list(value(node)))
        return [timeline.chosen(now) for timeline in kept]

    @abstractmethod
    def put(self, unit: Unit, found: list[Any]) -> None:
        """Replace the result of a unit."""

    def _rows(self, unit: Unit, found: list[Any]) -> list[tuple[Any, list[Any]]]:
        """The (key, items) rows in the result of a unit."""
        if not self._columns:
            # A single row needs only its place as key: each comparison of keys touches distant memory.
            return [(unit.place, found)] if found else []
        rows = []
        for index, row in enumerate(found):
            keys = [one_value(atomize_list(row[column])) for column in range(self._columns)]
            data, families = self._keys(keys)
            rows.append(((data, unit.place, index, families), list(row[self._columns])))
        return rows

    def _keys(self, values: Sequence[Any]) -> tuple[bytes, tuple[str, ...]]:
        """The bytes by which a row is ordered, and the families of its keys: the same objects for equal ones."""
        timezone = self.engine.run.implicit_timezone_minutes
        data = b"".join(
            order_key(value, None, timezone, descending=descending, empty_greatest=greatest)
            for value, (descending, greatest) in zip(values, self._order, strict=True)
        )
        made = data, tuple(map(order_family, values))
        known = self._known_keys.get(made)
        if known is None:
            if len(self._known_keys) >= _MOST_KEYS:
                self._known_keys.clear()
            known = self._known_keys[made] = made
        return known

    def _replace(self, rows: OrderedList[Any], before: Sequence[Any], made: Sequence[Any]) -> None:
        """Replace rows. Their order keys are counted, because all of them must be comparable."""
        if len(before) == len(made) == 1 and before[0][0] == made[0][0]:
            key, given = made[0]
            rows.replace(key, given, len(given))
            return
        for key, _ in before:
            rows.remove(key)
            if self._columns:
                self._count(key[3], -1)
        for key, given in made:
            rows.add(key, given, len(given))
            if self._columns:
                self._count(key[3], 1)

    def _count(self, families: Sequence[str], sign: int) -> None:
        for counted, family in zip(self._families, families, strict=True):
            counted[family] += sign
            if not counted[family]:
                del counted[family]

    def end(self) -> bool:
        if self.siblings is not None or self._moved is not None:
            self._renumber()
        for families in self._families:
            if len(families) > 1 and len(families.keys() - {""}) > 1:
                raise DynamicError("XPTY0004", "order by: keys that have no common order")
        return super().end()


class RegionLoop(Turns, Live):
    """A loop whose rows are regions of the display.

    Holds:  the parts of each row, in order, and during a commit the old content of changed rows.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        described: plan.Loop = given[1]
        # Rows of units without order keys stand at the places of the units.
        are_placed = not (self._columns or described.windows or described.group)
        self.rows: OrderedList[Parts] = OrderedList(self.engine.units.order if are_placed else None)
        self._changed: dict[Any, Parts] | None = None
        """None until edits are requested."""
        self._visible = 0
        """Number of rows that have characters."""
        self.template: tuple[Function, plan.Template] | None = None
        """The template that writes the rows, if they are elements that need not be built."""

    def _given(self, unit: Unit) -> list[Any]:
        if self.template is None:
            return super()._given(unit)
        function, described = self.template
        found: list[Any] = []
        for row in self._turn(unit, function):
            text = self._written(described, row)
            if text is None:
                return super()._given(unit)
            found.append((*(row[column] for column in range(self._columns)), (text,)) if self._columns else text)
        return found

    def _written(self, described: plan.Template, row: Any) -> Written | None:
        """The element of a row; None if namespaces or attributes are involved."""
        content = ""
        column = self._columns
        for piece in described.pieces[:-1]:
            if piece is None:
                inside = self.writer.inside(row[column])
                if inside is None:
                    return None
                piece = inside
                column += 1
            content += piece
        return Written(f"{described.start}>{content}{described.pieces[-1]}" if content else f"{described.start}/>")

    def put(self, unit: Unit, found: list[Any]) -> None:
        before = unit.made or ()
        if not found and not before:
            return
        write, sequence = self.writer.parts, self.sequence
        made = [(key, write(items, sequence)) for key, items in self._rows(unit, found) if items]
        self.put_made(unit, made)

    def put_made(self, unit: Unit, made: Sequence[tuple[Any, Parts]]) -> None:
        """As `put`, of rows that are written."""
        before = unit.made or ()
        unit.made = made
        if before == made:
            return
        if self._changed is not None:
            for key, parts in before:
                self._changed.setdefault(key, parts)
            for key, _ in made:
                self._changed.setdefault(key, ())
        for _, parts in before:
            self._visible -= any(text for text, _ in parts)
        for _, parts in made:
            self._visible += any(text for text, _ in parts)
        self._replace(self.rows, before, made)
        self.changed_at = self.engine.number

    def row_key(self, unit: Unit, values: Sequence[Any], index: int) -> Any:
        """The key of a row of a unit, of the values of its order keys."""
        data, families = self._keys(values)
        return data, unit.place, index, families

    def put_row(self, unit: Unit, row: tuple[Any, Parts] | None) -> list[Edit]:
        """As `put_made` and `edits`, of a unit that gives one item at most, which is another than before."""
        rows = self.rows
        old = unit.made[0] if unit.made else None
        unit.made = None if row is None else [row]
        self.changed_at = self.engine.number
        if old is not None:
            self._visible -= bool(old[1][0][0])
        if row is None:
            assert old is not None
            if self._columns:
                self._count(old[0][3], -1)
            return [Edit(rows.take(old[0])[1], 1, ())]
        key, new = row
        self._visible += bool(new[0][0])
        if old is None or old[0] == key:
            if old is None and self._columns:
                self._count(key[3], 1)
            return [Edit(rows.put(key, new, is_new=old is None), old is not None, new)]
        if old[0][3] != key[3]:
            self._count(old[0][3], -1)
            self._count(key[3], 1)
        before = rows.take(old[0])[1]
        after = rows.put(key, new, is_new=True)
        if before == after:
            return [Edit(after, 1, new)]
        if before < after:
            return [Edit(before, 1, ()), Edit(after, 0, new)]
        return [Edit(after, 0, new), Edit(before + 1, 1, ())]

    @property
    def size(self) -> int:
        return self.rows.weight

    def parts(self) -> Iterable[Part]:
        return (part for row in self.rows for part in row)

    def is_blank(self) -> bool:
        return not self._visible and (self.rows.weight < 2 or super().is_blank())

    def edits(self) -> list[Edit]:
        """The edits of changed rows; a row replaced by another is one edit."""
        changed, self._changed = self._changed, {}
        if changed is None:
            return [Edit(0, 0, list(self.parts()))] if self.rows.weight else []
        found: list[Edit] = []
        for key in sorted(changed):
            old = changed[key]
            new = self.rows.get(key, ())
            if old == new:
                continue
            place = self.rows.before(key)[1]
            last = found[-1] if found else None
            if last is not None and place == last.place + len(last.parts):
                if not last.parts and not old and last.removed == len(new):
                    found[-1] = Edit(last.place, last.removed, new)
                    continue
                if not last.removed and not new and len(last.parts) == len(old):
                    found[-1] = Edit(last.place, len(old), last.parts)
                    continue
            found.append(Edit(place, len(old), new))
        return found


class ItemLoop(Turns, Compared):
    """A loop whose items other operators read.

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
        if len(before) != len(made) or not all(map(is_same, before, made)):
            self.accumulator.replace((unit.place,), before, made)
            self.changed_at = self.engine.number

    def values(self) -> list[Any]:
        return self.accumulator.result()
