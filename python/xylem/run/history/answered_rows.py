"""What the kernel writes for a unit (`plan/unit_rows.py`), as rows and values of the loop."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from xylem.plan.result_template import END_OF_CELL, END_OF_MEMBER, HOLE, NULL
from xylem.plan.unit_rows import Rows
from xylem.sink.display_edits import Edit
from xylem.values import atomic_type as at
from xylem.values.casting import cast
from xylem.values.strings import UntypedAtomic

from .engine import Engine
from .loops import FoldLoop, RegionLoop
from .parts import Parts
from .unit_notes import Unit

__all__ = ["AnsweredRows"]

Answer = tuple[str, int, bool]
"""As it is written, how many items that is, and whether the first is an atomic value."""


class AnsweredRows:
    """Takes answers of units to the only loop of an engine."""

    def __init__(self, engine: Engine, loop: RegionLoop | FoldLoop, rows: Rows) -> None:
        self._engine = engine
        self._loop = loop
        self._rows = rows

    def is_made(self, unit: Unit, answer: Answer) -> bool:
        """Whether the operator has made of a unit what the kernel makes of it."""
        if _is_left_out(unit):
            return not unit.made
        if isinstance(self._loop, FoldLoop):
            return _are_same(unit.made or (), tuple(self._values(answer[0])))
        row = self._row(self._loop, unit, answer)
        return (unit.made or []) == ([] if row is None else [row])

    def follow(self, unit: Unit, answer: Answer) -> list[Edit]:
        """A unit gives something else; the edits of the whole answer."""
        if _is_left_out(unit):
            return []
        if isinstance(self._loop, FoldLoop):
            return self._engine.follow_values(self._loop, unit, self._values(answer[0]))
        return self._engine.follow_row(self._loop, unit, self._row(self._loop, unit, answer))

    def _row(self, loop: RegionLoop, unit: Unit, answer: Answer) -> tuple[Any, Parts] | None:
        text, items, is_atomic = answer
        if not items:
            return None
        keys: Sequence[Any] = ()
        if self._rows is Rows.KEYED:
            _, hole, text = text.split(HOLE, 2)
            keys = _keys(hole)
        return loop.row_key(unit, keys), ((text, loop.sequence if is_atomic else 0),)

    def _values(self, text: str) -> list[Any]:
        if self._rows is Rows.ITEMS:
            return [int(text)]
        return [value for hole in text.split(HOLE)[1::2] for value in _cell(hole[1:-1])]


def _is_left_out(unit: Unit) -> bool:
    """Whether an element around a unit does not hold. When that flips, code evaluates the unit."""
    return unit.condition is not None and not unit.condition.made


def _are_same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return a == b and [*map(type, a)] == [*map(type, b)]


@lru_cache(maxsize=4096)
def _keys(hole: str) -> tuple[Any, ...]:
    """The order keys that a hole holds behind its number; None for the empty sequence."""
    return tuple(found[0] if (found := _cell(cell)) else None for cell in hole[1:-1].split(END_OF_CELL))


def _cell(cell: str) -> list[Any]:
    if not cell:
        return []
    members = cell[:-1].split(END_OF_MEMBER)
    return [_TYPED[one[1]](one[2:]) if one[:1] == NULL else UntypedAtomic(one) for one in members]


_TYPED: dict[str, Any] = {
    "s": str,
    "i": int,
    "d": Decimal,
    "f": lambda text: cast(text, at.DOUBLE),
    "b": "true".__eq__,
    "D": lambda text: cast(text, at.DATE),
    "t": lambda text: cast(text, at.DATE_TIME),
    "p": lambda text: cast(text, at.DAY_TIME_DURATION),
}
"""By the letters of types, as the kernel has them."""
