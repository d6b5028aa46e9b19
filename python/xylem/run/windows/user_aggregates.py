"""User-defined aggregates over overlapping windows: by retracting values, or by merging the states of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.values.saved_state import saved

from ..aggregates.one_by_one import OneByOne
from .value_column import ValueColumn


@saved("inverted-range", 1, fields=("_state", "_from"), parts=("_column",))
class InvertedRange(OneByOne):
    """An aggregate that can take its oldest value back: one state moves along with the windows.

    A window that started before the one requested last is computed from its values.
    """

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._column = ValueColumn()
        self._state = protocol.init()
        self._from = 0
        """The number of the first value in the state."""

    def add(self, values: Sequence[Any]) -> None:
        self._column.add(values)
        for value in values:
            self._state = self._protocol.step(self._state, value)

    def result(self, start: int) -> Any:
        begin = self._column.begin(start)
        if begin < self._from:
            return self._protocol.finish(self._folded(self._column.values(start)))
        self._take_back(begin)
        return self._protocol.finish(self._state)

    def _take_back(self, before: int) -> None:
        for value in self._column.between(self._from, before):
            self._state = self._protocol.invert(self._state, value)
        self._from = before

    def _folded(self, values: Sequence[Any]) -> Any:
        state = self._protocol.init()
        for value in values:
            state = self._protocol.step(state, value)
        return state

    def forget(self, before: int) -> None:
        begin = self._column.begin(before)
        if begin > self._from:
            # Values about to leave are retracted while they are known.
            self._take_back(begin)
        self._column.forget(before)

    def clear(self, following: int) -> None:
        self._column.clear(following)
        self._state = self._protocol.init()
        self._from = 0


@saved("merged-range", 1, fields=("_levels", "_forgotten"), parts=("_column",))
class MergedRange(OneByOne):
    """An aggregate whose states can be merged: blocks of 1, 2, 4, … values; a window needs few of them.

    Holds:  the values of the open windows and about as many states.
    """

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._column = ValueColumn()
        self._levels: list[dict[int, Any]] = []
        """By level, the states of aligned blocks of 2^level values, by the number of the block."""
        self._forgotten = 0

    def add(self, values: Sequence[Any]) -> None:
        number = self._column.total
        self._column.add(values)
        for value in values:
            self._put(0, number, self._protocol.step(self._protocol.init(), value))
            number += 1

    def _put(self, level: int, block: int, state: Any) -> None:
        if level == len(self._levels):
            self._levels.append({})
        states = self._levels[level]
        states[block] = state
        if block % 2 and block - 1 in states:
            self._put(level + 1, block // 2, self._protocol.merge(states[block - 1], state))

    def result(self, start: int) -> Any:
        state = None
        at, total = self._column.begin(start), self._column.total
        while at < total:
            level = 0
            # The largest block that begins here and is complete.
            while at % (2 << level) == 0 and at + (2 << level) <= total and level + 1 < len(self._levels):
                level += 1
            found = self._levels[level][at >> level]
            state = found if state is None else self._protocol.merge(state, found)
            at += 1 << level
        return self._protocol.finish(self._protocol.init() if state is None else state)

    def forget(self, before: int) -> None:
        begin = self._column.begin(before)
        self._column.forget(before)
        if begin - self._forgotten < 512:
            return
        for level, states in enumerate(self._levels):
            for block in [block for block in states if (block + 1) << level <= begin]:
                del states[block]
        self._forgotten = begin

    def clear(self, following: int) -> None:
        self._column.clear(following)
        self._levels.clear()
        self._forgotten = 0


@saved("folded-range", 1, parts=("_column",))
class FoldedRange(OneByOne):
    """An aggregate with neither: it is recomputed from the values of each window."""

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._column = ValueColumn()

    def add(self, values: Sequence[Any]) -> None:
        self._column.add(values)

    def result(self, start: int) -> Any:
        state = self._protocol.init()
        for value in self._column.values(start):
            state = self._protocol.step(state, value)
        return self._protocol.finish(state)

    def forget(self, before: int) -> None:
        self._column.forget(before)

    def clear(self, following: int) -> None:
        self._column.clear(following)
