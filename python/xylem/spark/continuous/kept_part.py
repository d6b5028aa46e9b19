"""What a continuous query keeps of one of its parts until the stream ends: the state of the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from xylem.plan.distribution import Part, PartKind
from xylem.run.distributed.program import DistributedProgram
from xylem.run.distributed.rows import Row

ROW_BYTES = 32
"""What a row takes besides its key and its value."""


class KeptRows:
    """All rows of a part, for what needs them together: an order, groups, or results that stand behind others."""

    def __init__(self, program: DistributedProgram, part: Part, options: Mapping[str, Any]) -> None:
        self._program = program
        self._part = part
        self._options = options
        self._rows: list[Row] = []
        self.size = 0

    def add(self, rows: Iterable[Row]) -> None:
        """Rows of a later stretch of the stream."""
        for row in rows:
            self._rows.append(row)
            self.size += len(row.key) + len(row.value) + ROW_BYTES

    def rows(self) -> list[Row]:
        """What the part has as its value so far, as the answer takes it."""
        rows = sorted(self._rows, key=_order)
        if self._part.kind in (PartKind.GROUP, PartKind.JOIN):
            return sorted(self._reduced(rows), key=_order)
        return rows

    def _reduced(self, rows: list[Row]) -> Iterator[Row]:
        together: dict[bytes, list[Row]] = {}
        for row in rows:
            together.setdefault(row.key, []).append(row)
        for key, of_key in together.items():
            yield from self._program.reduce(self._part.number, key, of_key, **self._options)

    def saved(self) -> Any:
        return [tuple(row) for row in self._rows]

    def restore(self, saved: Any) -> None:
        self.add(Row(*row) for row in saved)


class KeptState:
    """The state of an aggregate: as small as the aggregate is, however long the stream."""

    def __init__(self, program: DistributedProgram, part: Part) -> None:
        self._program = program
        self._part = part
        self._state: bytes | None = None

    @property
    def size(self) -> int:
        return len(self._state or b"")

    def add(self, rows: Iterable[Row]) -> None:
        """States of later stretches of the stream."""
        for row in rows:
            if self._state is None:
                self._state = row.value
            else:
                self._state = self._program.merge(self._part.number, self._state, row.value)

    def rows(self) -> list[Row]:
        """What the part has as its value so far, as the answer takes it."""
        return [] if self._state is None else [Row(self._part.number, b"", 0, 0, self._state)]

    def saved(self) -> Any:
        return self._state

    def restore(self, saved: Any) -> None:
        self._state = saved


def kept_part(program: DistributedProgram, part: Part, options: Mapping[str, Any]) -> KeptRows | KeptState:
    """The place for what is kept of a part."""
    return KeptState(program, part) if part.kind is PartKind.AGGREGATE else KeptRows(program, part, options)


def _order(row: Row) -> tuple[bytes, int, int]:
    return row.key, row.range, row.ordinal
