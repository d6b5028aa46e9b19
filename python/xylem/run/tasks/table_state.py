"""The state of a table of accumulators over a stretch of the input, and how to merge two neighbouring stretches.

A state holds the first error of the whole table, if any, and for each cell with records the states of its aggregates.
An error of a single aggregate is its state, and is raised when the query reads that value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from xylem.values.saved_state import saved
from xylem.values.state_codec import register

from ..aggregates.state import AggregateState, Failed, Plain
from ..packing import pack_error, unpack_error
from ..stream.keyed_groups import KeyedGroups, normal_key
from .packed_state import StateKind, plain_state

Key = tuple[Any, ...]
Cells = dict[Key, list[Any]]


@dataclass(frozen=True)
class Broken:
    """An error in place of a value."""

    data: bytes

    def raised_when_read(self) -> Failed:
        return Failed.with_error(unpack_error(self.data))


@dataclass(frozen=True)
class MergedTable:
    """A complete table: plain values, which can travel."""

    kinds: tuple[str, ...]
    cells: Cells
    nothing: tuple[Sequence[Any], ...]
    """The value of each aggregate without records."""
    error: Broken | None

    def value(self, number: int, turn: Key) -> Sequence[Any]:
        """The value of an aggregate for the records with the keys of a turn."""
        if self.error is not None:
            return self.error.raised_when_read()
        key = tuple([normal_key(kind, value) for kind, value in zip(self.kinds, turn, strict=True)])
        cell = self.cells.get(key)
        found: Sequence[Any] | Broken = self.nothing[number] if cell is None else cell[number]
        return found.raised_when_read() if isinstance(found, Broken) else found


register(Broken, "broken", lambda value: (value.data,), Broken)
register(MergedTable, "merged-table", lambda value: (value.kinds, value.cells, value.nothing, value.error), MergedTable)


@saved("table", 1, fields=("broken", "plain_cells"))
class TableState(AggregateState):
    """A table of states by key.

    Holds:  the states of each cell that has records.
    """

    __slots__ = ("_cells", "_is_first", "_kinds", "_parts", "broken")

    def __init__(self, kinds: Sequence[str], parts: Sequence[StateKind], is_first: bool) -> None:
        """`parts` are the aggregates of a cell."""
        super().__init__()
        self._kinds = tuple(kinds)
        self._parts = tuple(parts)
        self._is_first = is_first
        self._cells: dict[Key, list[AggregateState]] = {}
        self.broken: Broken | None = None
        """The error of the whole table, which is raised when one of its values is read."""

    def add(self, values: Iterable[Any]) -> None:
        for table in values:
            assert isinstance(table, KeyedGroups)
            if table.error is not None:
                self._break(Broken(pack_error(table.error)))
                return
            for key, cell in table.all_cells():
                states = self._cells[key] = self._opened(map(plain_state, cell))
                for state in states if self._is_first else ():
                    state.begin()

    def _opened(self, cell: Iterable[Plain]) -> list[AggregateState]:
        return [kind.opened(plain) for kind, plain in zip(self._parts, cell, strict=True)]

    @property
    def plain_cells(self) -> dict[Key, list[Plain]]:
        """The cells as they travel."""
        return {key: list(map(plain_state, cell)) for key, cell in self._cells.items()}

    @plain_cells.setter
    def plain_cells(self, cells: dict[Key, list[Plain]]) -> None:
        self._cells = {key: self._opened(cell) for key, cell in cells.items()}

    def _break(self, broken: Broken) -> None:
        self.broken = broken
        self._cells = {}

    def _merge(self, following: TableState) -> None:
        broken = self.broken or following.broken
        if broken is not None:
            self._break(broken)
            return
        for key, cell in following._cells.items():
            known = self._cells.setdefault(key, cell)
            if known is not cell:
                for state, behind in zip(known, cell, strict=True):
                    state.merge(behind)

    def begin(self) -> None:
        for cell in self._cells.values():
            for state in cell:
                state.begin()

    def value(self) -> Sequence[Any]:
        nothing = tuple([tuple(kind.new(True).value()) for kind in self._parts])
        cells = {key: list(map(_travelling, cell)) for key, cell in self._cells.items()}
        return (MergedTable(self._kinds, cells, nothing, self.broken),)


def _travelling(state: AggregateState) -> Any:
    """The value of an aggregate, or its error."""
    found = state.result()
    return Broken(pack_error(found.error)) if isinstance(found, Failed) else tuple(found)
