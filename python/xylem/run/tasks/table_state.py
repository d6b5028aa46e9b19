"""The state of a table of accumulators over a stretch of the input, and how to merge two neighbouring stretches.

A state holds the first error of the whole table, if any, and for each cell with records the states of its aggregates
(`aggregate_state.py`). An error of a single aggregate replaces its state and is raised when the query reads that
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from xylem.values.state_codec import register

from ..packing import pack_error, unpack_error
from ..stream.accumulator import Accumulator, Counter, Failed, Folder, Joiner
from ..stream.keyed_groups import KeyedGroups, normal_key
from .aggregate_state import AggregateState

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
register(
    MergedTable, "merged-table", lambda value: (value.kinds, value.cells, value.nothing, value.error), MergedTable
)


class TableState(AggregateState):
    """A table; `parts` are its aggregates: the function, and the kind of its states."""

    def __init__(self, kinds: Sequence[str], parts: Sequence[tuple[str, AggregateState]]) -> None:
        self._kinds = tuple(kinds)
        self._parts = tuple(parts)

    def of(self, items: Iterable[Any], is_first: bool) -> tuple[Broken | None, Cells]:
        cells: Cells = {}
        for table in items:
            assert isinstance(table, KeyedGroups)
            if table.error is not None:
                return Broken(pack_error(table.error)), {}
            for key, cell in table.all_cells():
                cells[key] = [
                    _state(function, state, accumulator, is_first)
                    for (function, state), accumulator in zip(self._parts, cell, strict=True)
                ]
        return None, cells

    def merged(self, a: tuple[Broken | None, Cells], b: tuple[Broken | None, Cells]) -> tuple[Broken | None, Cells]:
        if a[0] is not None or b[0] is not None:
            return a[0] or b[0], {}
        # In place: neither state is used again.
        cells = a[1]
        for key, cell in b[1].items():
            known = cells.get(key)
            if known is None:
                cells[key] = cell
            else:
                pairs = zip(self._parts, known, cell, strict=True)
                cells[key] = [_merged(function, state, x, y) for (function, state), x, y in pairs]
        return None, cells

    def begun(self, state: tuple[Broken | None, Cells]) -> tuple[Broken | None, Cells]:
        error, cells = state
        for cell in cells.values():
            cell[:] = [
                x if isinstance(x, Broken) else part.begun(x) for (_, part), x in zip(self._parts, cell, strict=True)
            ]
        return error, cells

    def value(self, state: tuple[Broken | None, Cells]) -> Sequence[Any]:
        error, cells = state
        nothing = tuple(tuple(part.value(part.of((), True))) for _, part in self._parts)
        made = {
            key: [
                x if isinstance(x, Broken) else tuple(part.value(x))
                for (_, part), x in zip(self._parts, cell, strict=True)
            ]
            for key, cell in cells.items()
        }
        return (MergedTable(self._kinds, made, nothing, error),)


def _state(function: str, state: AggregateState, accumulator: Accumulator, is_first: bool) -> Any:
    """The value of an accumulator as a state."""
    result = accumulator.result()
    if isinstance(result, Failed):
        return Broken(pack_error(result.error))
    if isinstance(accumulator, Counter):
        return accumulator.count
    if isinstance(accumulator, Joiner):
        return result[0] if accumulator.has_any else None
    if function in ("sum", "avg") and isinstance(accumulator, Folder):
        return accumulator.count, is_first, list(result) if accumulator.count else []
    return state.of(result, is_first)


def _merged(function: str, state: AggregateState, a: Any, b: Any) -> Any:
    if isinstance(a, Broken):
        return a
    if isinstance(b, Broken):
        # If one item decides the result, later items are ignored.
        return a if function in ("exists", "empty") and a else b
    return state.merged(a, b)
