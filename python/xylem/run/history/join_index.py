"""A hash index over the units of a source that remembers which units looked up which keys.

A lookup returns the units whose key may match; the loop then makes the query's own comparison. When units with a key
appear, disappear or change, the units that looked up the key are reevaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from xylem.plan.history import Source
from xylem.run.tasks.join_key import join_key, must_compare
from xylem.values.function_item import FunctionItem
from xylem.values.node import Node
from xylem.values.sequence_type import ANY_SEQUENCE

from .loops import LiveLoop
from .unit_notes import Unit

if TYPE_CHECKING:
    from .engine import Engine

__all__ = ["JoinedIndex"]

Key = tuple[Any, ...]
_ALL: Key = ("all",)
_place = attrgetter("place")


class JoinedIndex(LiveLoop):
    """The units of a source by their keys.

    Holds:  the keys of each unit, and the keys that each unit of an outer loop has looked up.
    """

    def __init__(self, engine: Engine, source: Source, function: Callable[..., Any], tests: int) -> None:
        super().__init__(engine)
        self.number = source.number
        self._keys_of = function
        self._units: dict[Key, dict[Unit, None]] = {}
        self._marks: list[set[str]] = [set() for _ in range(tests)]
        """The kinds of values seen as keys, for each test."""
        self._readers: dict[Key, dict[Unit, None]] = {}
        self._asked: dict[Unit, set[Key]] = {}
        self.reader: Unit | None = None
        """The unit under evaluation."""
        self.forget_native: Callable[[Unit], None] | None = None
        """Called for units that another unit looks up from now on, if the kernel answers updates of their texts."""
        self.function = (FunctionItem(None, (ANY_SEQUENCE,) * tests, ANY_SEQUENCE, self._matches),)

    # --- units

    def evaluate(self, unit: Unit) -> None:
        condition = unit.condition
        indexes: list[int] = []
        keys: dict[Key, None] = {}
        if condition is None or condition.made:
            for index, node in enumerate(self.engine.trees.nodes(unit)):
                for row in self._keys_of(node):
                    indexes.append(index)
                    keys.update(dict.fromkeys(product(*(self._column(*column) for column in enumerate(row)))))
        self._replace(unit, keys, indexes)

    def _column(self, number: int, values: Iterable[Any]) -> set[Any]:
        """The keys of the values of one test."""
        found = [join_key(value) for value in values]
        marks = {mark for _, mark in found}
        if not marks <= self._marks[number]:
            self._marks[number] |= marks
            # Earlier readers may have to compare with these, whatever their keys.
            for reader in self._asked:
                self.engine.units.touch(reader)
        return {key for key, _ in found}

    def remove(self, unit: Unit) -> None:
        if unit.made is not None:
            self._replace(unit, {}, [])

    def _replace(self, unit: Unit, keys: dict[Key, None], indexes: list[int]) -> None:
        before = unit.made[0] if unit.made is not None else {}
        unit.made = (keys, indexes)
        for key in before:
            if key not in keys:
                held = self._units[key]
                del held[unit]
                if not held:
                    del self._units[key]
        for key in keys:
            self._units.setdefault(key, {})[unit] = None
        touch = self.engine.units.touch
        for key in (*before, *keys, _ALL):
            for reader in self._readers.get(key, ()):
                touch(reader)

    # --- lookups

    def _matches(self, *asked: Sequence[Any]) -> list[Node]:
        """The nodes that may match, in document order."""
        columns = [[join_key(value) for value in values] for values in asked]
        if any(
            must_compare(self._marks[number], {mark for _, mark in column}) for number, column in enumerate(columns)
        ):
            self._note(_ALL)
            found: Iterable[Unit] = dict.fromkeys(unit for held in self._units.values() for unit in held)
        else:
            keys = list(product(*({key for key, _ in column} for column in columns)))
            for key in keys:
                self._note(key)
            found = dict.fromkeys(unit for key in keys for unit in self._units.get(key, ()))
        nodes: list[Node] = []
        for unit in sorted(found, key=_place):
            given = self.engine.trees.nodes(unit)
            nodes += [given[index] for index in dict.fromkeys(unit.made[1])]
        return nodes

    def _note(self, key: Key) -> None:
        reader = self.reader
        if reader is not None:
            self._readers.setdefault(key, {})[reader] = None
            self._asked.setdefault(reader, set()).add(key)
            if self.forget_native is not None:
                for unit in self._units.get(key, ()):
                    if unit.native is not None:
                        self.forget_native(unit)

    def readers_of(self, unit: Unit) -> Iterable[Unit] | None:
        """The units that looked up a key of a unit; None if some have to compare with all."""
        if _ALL in self._readers or unit.made is None:
            return None
        return dict.fromkeys(reader for key in unit.made[0] for reader in self._readers.get(key, ()))

    def found_by(self, reader: Unit) -> list[Unit] | None:
        """The units with a key that a unit has looked up, in document order; None if it looked up none, or all."""
        asked = self._asked.get(reader)
        if not asked or _ALL in asked:
            return None
        return sorted(dict.fromkeys(unit for key in asked for unit in self._units.get(key, ())), key=_place)

    def forget_reader(self, reader: Unit) -> None:
        """Drop the lookups of a unit that is reevaluated or gone."""
        for key in self._asked.pop(reader, ()):
            held = self._readers[key]
            del held[reader]
            if not held:
                del self._readers[key]
