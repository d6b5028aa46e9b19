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

    def __init__(self, engine: Engine, loop: RegionLoop | FoldLoop, rows: Rows, *, has_one_row: bool) -> None:
        """`has_one_row`: whether a unit never gives more than one row, of one item."""
        self._engine = engine
        self._loop = loop
        self._rows = rows
        self._has_one_row = has_one_row

    def is_made(self, unit: Unit, answer: Answer) -> bool:
        """Whether the operator has made of a unit what the kernel makes of it."""
        if _is_left_out(unit):
            return not unit.made
        if isinstance(self._loop, FoldLoop):
            return _are_same(unit.made or (), tuple(self._values(answer[0])))
        return list(unit.made or ()) == self._made(self._loop, unit, answer)

    def follow(self, answers: Sequence[tuple[Unit, Answer]]) -> list[Edit]:
        """Units give something else; the edits of the whole answer."""
        engine, loop = self._engine, self._loop
        answers = [one for one in answers if not _is_left_out(one[0])]
        if not answers:
            return []
        if isinstance(loop, FoldLoop):
            return engine.follow_values(loop, [(unit, self._values(answer[0])) for unit, answer in answers])
        return engine.follow_rows(loop, [(unit, self._made(loop, unit, answer)) for unit, answer in answers])

    def follow_one(self, unit: Unit, answer: Answer) -> list[Edit]:
        """As `follow`, of one unit."""
        loop = self._loop
        if unit.condition is not None and not unit.condition.made:
            return []
        if isinstance(loop, FoldLoop):
            return self._engine.follow_values(loop, ((unit, self._values(answer[0])),))
        if not self._has_one_row:
            return self._engine.follow_rows(loop, ((unit, self._made(loop, unit, answer)),))
        if not answer[1]:
            return self._engine.follow_row(loop, unit, None)
        if self._rows is Rows.ITEM:
            text, _, is_atomic = answer
            return self._engine.follow_row(loop, unit, (unit.place, ((text, loop.sequence if is_atomic else 0),)))
        return self._engine.follow_row(loop, unit, self._made(loop, unit, answer)[0])

    def _made(self, loop: RegionLoop, unit: Unit, answer: Answer) -> list[tuple[Any, Parts]]:
        text, items, is_atomic = answer
        if not items:
            return []
        rows = self._rows
        if rows is Rows.KEYED:
            _, *pieces = text.split(HOLE)
            atomic = loop.sequence if is_atomic else 0
            return [
                (loop.row_key(unit, _keys(pieces[at]), at // 2), ((pieces[at + 1], atomic),))
                for at in range(0, len(pieces), 2)
            ]
        if rows is Rows.SEVERAL:
            return [(unit.place, tuple((piece, 0) for piece in text.split(HOLE)[2::2]))]
        return [(unit.place, ((text, loop.sequence if is_atomic else 0),))]

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
