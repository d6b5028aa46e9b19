"""The answer of a best-match join of two streams: the results of each item when no better partner can arrive.

Holds:  the items of both streams that wait, or may still be partners: windows of the value by which the streams are
        ordered, as far as the slower stream has come.
Order:  that of the first loop, then that of the second.
End:    when the streams have ended, all waiting items get their results.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.functions.late_items import LateItems
from xylem.pipeline import Program
from xylem.result import Result
from xylem.run.best_match.carried_sweep import CarriedSide, CarriedSweep, HeldItem
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.sink.serialize import serialize
from xylem.values.arriving import Arriving
from xylem.values.state_values import encoded

from .answers import Answer, Rows, state_in

ITEM_BYTES = 100


class _HeldSide:
    """The items of one stream that its sweep holds, in the form that tasks returned."""

    def __init__(self, stream: str, variable: str, program: DistributedProgram) -> None:
        self.stream = stream
        self.variable = variable
        self._program = program
        self._part = program.distribution.parts[0].number
        self._values: dict[int, bytes] = {}
        self._added: list[int] = []
        self._dropped: list[int] = []
        self.size = 0

    def take(self, rows: Sequence[Row], first: int) -> list[Any]:
        """Add items, numbered from the first one."""
        for number, row in enumerate(rows, first):
            self._add(number, row.value)
        return [self._item(row.value) for row in rows]

    def _item(self, value: bytes) -> Any:
        (item,) = self._program.items_of(Row(self._part, b"", 0, 0, value))
        return item

    def _add(self, number: int, value: bytes) -> None:
        self._values[number] = value
        self._added.append(number)
        self.size += len(value) + ITEM_BYTES

    def keep_only(self, numbers: set[int]) -> None:
        """Drop items that the sweep has dropped."""
        for number in [number for number in self._values if number not in numbers]:
            self._dropped.append(number)
            self.size -= len(self._values.pop(number)) + ITEM_BYTES

    def saved(self, is_whole: bool) -> tuple[list[tuple[int, bytes]], list[int]]:
        """Items, and numbers of dropped ones: all, or the changes since the last call."""
        added, dropped, self._added, self._dropped = self._added, self._dropped, [], []
        if is_whole:
            return list(self._values.items()), []
        # Items that came and went since then were never saved.
        known = [number for number in dropped if not added or number < added[0]]
        return [(number, self._values[number]) for number in added if number in self._values], known

    def restore(self, items: Sequence[tuple[int, bytes]], dropped: Sequence[int]) -> None:
        """Restore the output of `saved`."""
        for number, value in items:
            self._add(number, value)
        for number in dropped:
            self.size -= len(self._values.pop(number)) + ITEM_BYTES
        self._added = []

    def items(self) -> list[HeldItem]:
        return [HeldItem(number, self._item(value)) for number, value in self._values.items()]


class MatchAnswer(Answer):
    """Pairs of the items of two streams that fit best. Rows of part 0 are of the first input, those of part 1 of the
    second.
    """

    ends_lines = True

    def __init__(
        self,
        sides: Sequence[tuple[str, str, DistributedProgram]],
        match: Program,
        options: Mapping[str, Any],
        output: Mapping[str, str],
        late_items: LateItems,
        *,
        state_limit_bytes: int,
        keeps_late: bool = False,
        saved: Sequence[bytes] = (),
    ) -> None:
        """`sides`: for each input the stream, the variable and the query for its items."""
        self._given = sides
        self._match = match
        self._options = dict(options)
        self._output = dict(output)
        self._state_limit_bytes = state_limit_bytes
        self._late_items = late_items
        self._letters: list[str] = []
        late_items.keep = self._bury if keeps_late else None
        self._begin()
        if saved:
            self._restore(saved)

    def _begin(self) -> None:
        self._sides = [_HeldSide(*side) for side in self._given]
        self._sweep = CarriedSweep()

    @property
    def state_bytes(self) -> int:  # type: ignore[override]  # it is computed
        return sum(side.size for side in self._sides)

    @property
    def held_items(self) -> int:  # type: ignore[override]  # it is computed
        return sum(1 for side in self._sides for _ in self._of(side).numbers)

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        self._late_items.by_side.clear()
        self._letters = []
        messages = self._run({number: rows.get(number, ()) for number in range(len(self._sides))})
        if self.state_bytes > self._state_limit_bytes:
            allowed = f"{self.state_bytes:,} bytes where {self._state_limit_bytes:,} are allowed"
            raise DynamicError("XYRT0023", f"{allowed}, for items that may still find a partner")
        return messages

    def finish(self) -> list[str]:
        self._sweep.is_last = True
        messages = self._run({})
        self._begin()
        return messages

    def _run(self, rows: Rows) -> list[str]:
        """The results that items complete, and the new state."""
        streams = {}
        for number, side in enumerate(self._sides):
            known = self._of(side)
            came = side.take(rows.get(number, ()), known.taken)
            streams[side.stream] = Arriving([came] if came else [])
        items = self._match.evaluate(**self._options, streams=streams, sweep=self._sweep)
        for number, side in enumerate(self._sides):
            known = self._of(side)
            known.taken += len(rows.get(number, ()))
            side.keep_only(set(known.numbers))
        return [Result([item], self._match.output).serialize(**self._output) for item in items]

    def _of(self, side: _HeldSide) -> CarriedSide:
        return self._sweep.side(side.variable)

    # --- late items

    @property
    def late(self) -> dict[str, int]:  # type: ignore[override]  # it is computed
        return dict(self._late_items.by_side)

    def late_letters(self) -> list[str]:
        return self._letters

    def _bury(self, item: Any, why: str) -> None:
        text = serialize((item,), SerializationParameters(method="adaptive"))
        letter = {"code": "XYDY0012", "message": f"an item came too late: {why}", "record": text}
        self._letters.append(json.dumps(letter))

    # --- the state

    def save(self, is_whole: bool) -> bytes:
        sides = []
        for side in self._sides:
            known = self._of(side)
            sides.append((known.taken, known.progress, *side.saved(is_whole)))
        return encoded((self._sweep.given, sides))

    def _restore(self, saved: Sequence[bytes]) -> None:
        for data in saved:
            self._sweep.given, sides = state_in(data)
            for side, (taken, progress, items, dropped) in zip(self._sides, sides, strict=True):
                known = self._of(side)
                known.taken, known.progress = taken, progress
                side.restore(items, dropped)
        for side in self._sides:
            self._of(side).items = side.items()
