"""The state of one part of a continuous query, kept until the stream ends. All of it can be saved, or the changes since
the last save: with many groups or many rows, each batch saves only what it changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol

from xylem.plan.distribution import Part, PartKind
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row

ROW_BYTES = 32
"""Memory of a row besides its key and its value."""


class KeptPart(Protocol):
    """The state of one part."""

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        ...

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows of a later stretch of the stream, in order."""
        ...

    def rows(self) -> list[Row]:
        """The value of the part so far, in the answer's form."""
        ...

    def saved(self) -> Any:
        """The whole state, as plain values."""
        ...

    def changes(self) -> Any:
        """The changes since the last call of this or `saved`."""
        ...

    def restore(self, changes: Any) -> None:
        """Restore the output of `saved`, then the outputs of `changes` after it."""
        ...


class KeptRows:
    """All rows of a part, for uses that need them together: an order, a join, or results after others."""

    def __init__(self, program: DistributedProgram, part: Part, options: Mapping[str, Any]) -> None:
        self._program = program
        self._part = part
        self._options = options
        self._rows: list[Row] = []
        self._saved = 0
        self.size = 0

    def add(self, rows: Sequence[Row]) -> None:
        self._rows += rows
        self.size += sum(map(_size, rows))

    def rows(self) -> list[Row]:
        return sorted(self._rows, key=in_order)

    def saved(self) -> Any:
        self._saved = 0
        return self.changes()

    def changes(self) -> Any:
        first, self._saved = self._saved, len(self._rows)
        return [tuple(row) for row in self._rows[first:]]

    def restore(self, changes: Any) -> None:
        self.add([Row(*row) for row in changes])
        self._saved = len(self._rows)


class KeptGroups:
    """The groups of a part by their keys: aggregates as their states, other variables with their items."""

    def __init__(self, program: DistributedProgram, part: Part, options: Mapping[str, Any]) -> None:
        self._program = program
        self._part = part
        self._options = options
        self._groups: dict[bytes, list[Row]] = {}
        self._touched: set[bytes] = set()
        self.size = 0

    def add(self, rows: Sequence[Row]) -> None:
        for key, together in groupby(sorted(rows, key=in_order), lambda row: row.key):
            known = self._groups.get(key, [])
            combined = list(self._program.combine(self._part.number, [*known, *together], **self._options))
            self._put(key, combined)
            self._touched.add(key)

    def _put(self, key: bytes, rows: list[Row]) -> None:
        self.size += sum(map(_size, rows)) - sum(map(_size, self._groups.get(key, ())))
        self._groups[key] = rows

    def rows(self) -> list[Row]:
        reduce = self._program.reducer(self._part.number, **self._options)
        found = [row for rows in self._groups.values() for row in reduce(rows)]
        return sorted(found, key=in_order)

    def saved(self) -> Any:
        self._touched = set(self._groups)
        return self.changes()

    def changes(self) -> Any:
        touched, self._touched = self._touched, set()
        return {key: [tuple(row) for row in self._groups[key]] for key in sorted(touched)}

    def restore(self, changes: Any) -> None:
        for key, rows in changes.items():
            self._put(key, [Row(*row) for row in rows])


class KeptState:
    """The state of an aggregate: as small as the aggregate is, however long the stream."""

    def __init__(self, program: DistributedProgram, part: Part, options: Mapping[str, Any]) -> None:
        self._program = program
        self._part = part
        self._options = options
        self._state: bytes | None = None

    @property
    def size(self) -> int:
        return len(self._state or b"")

    def add(self, rows: Sequence[Row]) -> None:
        number, options = self._part.number, self._options
        for row in rows:
            if self._state is None:
                self._state = self._program.begun(number, row.value, **options)
            else:
                self._state = self._program.merge(number, self._state, row.value, **options)

    def rows(self) -> list[Row]:
        return [] if self._state is None else [Row(self._part.number, b"", 0, 0, self._state)]

    def saved(self) -> Any:
        return self._state

    changes = saved

    def restore(self, changes: Any) -> None:
        self._state = changes


def kept_part(program: DistributedProgram, part: Part, options: Mapping[str, Any]) -> KeptPart:
    """The state holder for a part."""
    if part.kind is PartKind.AGGREGATE or program.is_folded(part.number):
        return KeptState(program, part, options)
    if part.kind is PartKind.GROUP:
        return KeptGroups(program, part, options)
    return KeptRows(program, part, options)


def in_order(row: Row) -> tuple[bytes, int, int]:
    """The sort key for rows of one part."""
    return row.key, row.range, row.ordinal


def _size(row: Row) -> int:
    return len(row.key) + len(row.value) + ROW_BYTES
