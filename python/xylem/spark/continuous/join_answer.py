"""The answer of two streams joined: each pair once, when the later of its items has come.

Holds:  the items of both streams for as long as a partner may come: two items join if they arrived no further apart
        than the bound. Older items, measured by the slower stream, are dropped.
Order:  by the arrival of the later item, then by that of the earlier one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from xylem.errors import DynamicError
from xylem.pipeline import Program
from xylem.result import Result
from xylem.run.tasks.group_key import group_key
from xylem.run.tasks.join_key import OTHER, join_key, must_compare
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row
from xylem.values.array import XArray
from xylem.values.atomic import type_name
from xylem.values.state_values import encoded

from .answers import Answer, Rows, state_in

Stamp = tuple[int, int, int, int]
"""Arrival in milliseconds, side, range, ordinal: the order of items."""
ITEM_BYTES = 100


class _Held:
    """The items of one side that may still find a partner."""

    def __init__(self) -> None:
        self.by_key: dict[Hashable, list[tuple[Stamp, bytes]]] = {}
        self.marks: set[str] = set()
        """The kinds of keys seen (`run/tasks/join_key.py`)."""
        self.latest_ms = 0
        self.size = 0

    def plain(self) -> tuple[Any, ...]:
        """The state as plain values."""
        return self.by_key, self.marks, self.latest_ms, self.size

    @classmethod
    def of(
        cls, by_key: dict[Hashable, list[tuple[Stamp, bytes]]], marks: set[str], latest_ms: int, size: int
    ) -> _Held:
        """Restore the state from `plain`."""
        held = cls()
        held.by_key, held.marks, held.latest_ms, held.size = by_key, marks, latest_ms, size
        return held

    def add(self, stamp: Stamp, keys: Sequence[_Key], value: bytes) -> None:
        self.latest_ms = max(self.latest_ms, stamp[0])
        self.marks.update(mark for _, mark in keys)
        for key in {key for key, _ in keys if key is not None}:
            self.by_key.setdefault(key, []).append((stamp, value))
            self.size += len(value) + ITEM_BYTES

    def drop_before(self, ms: int) -> None:
        for key, items in list(self.by_key.items()):
            kept = [one for one in items if one[0][0] >= ms]
            if len(kept) < len(items):
                self.size -= sum(len(value) + ITEM_BYTES for stamp, value in items if stamp[0] < ms)
                self.by_key[key] = kept
            if not kept:
                del self.by_key[key]


class JoinAnswer(Answer):
    """Pairs of the items of two streams. Rows of part 0 are of the left stream, those of part 1 of the right."""

    ends_lines = True
    keeps_state = True

    def __init__(
        self,
        sides: tuple[DistributedProgram, DistributedProgram],
        variables: tuple[tuple[str, str], tuple[str, str]],
        pair: Program,
        options: Mapping[str, Any],
        output: Mapping[str, str],
        *,
        within_ms: int,
        state_limit_bytes: int,
        saved: Sequence[bytes] = (),
    ) -> None:
        """`variables` are the names of the items in `pair`, the query for each pair."""
        self._sides = sides
        self._variables = variables
        self._pair = pair
        self._options = dict(options)
        now = self._options.get("now")
        self._timezone = (now.timezone_minutes if now is not None else None) or 0
        self._output = dict(output)
        self._within_ms = within_ms
        self._state_limit_bytes = state_limit_bytes
        self._held = (_Held(), _Held())
        if saved:
            left, right = state_in(saved[-1])
            self._held = (_Held.of(*left), _Held.of(*right))

    @property
    def state_bytes(self) -> int:  # type: ignore[override]  # it is computed
        return self._held[0].size + self._held[1].size

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        come = sorted(
            ((int.from_bytes(row.key), side, row.range, row.ordinal), row)
            for side in (0, 1)
            for row in rows.get(side, ())
        )
        messages: list[str] = []
        for stamp, row in come:
            messages += self._join(stamp, row)
        horizon_ms = min(held.latest_ms for held in self._held) - self._within_ms
        for held in self._held:
            held.drop_before(horizon_ms)
        if self.state_bytes > self._state_limit_bytes:
            allowed = f"{self.state_bytes:,} bytes where {self._state_limit_bytes:,} are allowed"
            raise DynamicError("XYRT0023", f"{allowed}, for items that may still find a partner")
        return messages

    def save(self, is_whole: bool) -> bytes:
        return encoded([held.plain() for held in self._held])

    def _join(self, stamp: Stamp, row: Row) -> list[str]:
        """The results of an item with all earlier ones of the other side."""
        side = stamp[1]
        keys, _ = self._keys_and_item(side, row.value)
        own, other = self._held[side], self._held[1 - side]
        found: dict[Stamp, bytes] = {}
        self._check_kinds({mark for _, mark in keys}, other)
        for key, _ in keys:
            # On a lagging stream, an item may be older than its partner.
            near = (one for one in other.by_key.get(key, ()) if abs(one[0][0] - stamp[0]) <= self._within_ms)
            found.update(near)
        own.add(stamp, keys, row.value)
        texts: list[str] = []
        for before in sorted(found):
            texts += self._results((row.value, found[before]) if side == 0 else (found[before], row.value))
        return texts

    def _results(self, pair: tuple[bytes, bytes]) -> list[str]:
        items = [self._keys_and_item(side, value)[1] for side, value in enumerate(pair)]
        variables = dict(self._options.get("variables") or {})
        variables |= {name: [item] for name, item in zip(self._variables, items, strict=True)}
        options = self._options | {"variables": variables}
        results = self._pair.evaluate(**options)
        return [Result([item], self._pair.output).serialize(**self._output) for item in results]

    def _keys_and_item(self, side: int, value: bytes) -> tuple[list[_Key], Any]:
        part = self._sides[side].distribution.parts[0].number
        (array,) = self._sides[side].items_of(Row(part, b"", 0, 0, value))
        assert isinstance(array, XArray)
        members = [item for member in array for item in member]
        return list(dict.fromkeys(_key(value, self._timezone) for value in members[:-1])), members[-1]

    def _check_kinds(self, marks: set[str], other: _Held) -> None:
        """Refuse values that keys do not bring together: an error is better than a missed pair."""
        for mark in marks:
            for another in other.marks:
                is_alike = mark == another and mark.startswith(_TYPED)
                if not is_alike and must_compare((_plain(mark),), (_plain(another),)):
                    kinds = f"a {mark.removeprefix(_TYPED)}, the other by a {another.removeprefix(_TYPED)}"
                    raise DynamicError("XYRT0027", f"one stream is joined by {kinds}")


_Key = tuple[Hashable, str]
"""A key (None if the value equals nothing), and its mark."""
_TYPED = "typed "


def _key(value: Any, implicit_timezone: int) -> _Key:
    """Values that are equal in the query have equal keys; the query itself makes the final comparison.

    Dates and similar values are only found by values of the same kind.
    """
    key, mark = join_key(value)
    if mark != OTHER:
        return key, mark
    own = group_key((value,), (None,), implicit_timezone)
    return own, f"{_TYPED}{type_name(value)}"


def _plain(mark: str) -> str:
    return OTHER if mark.startswith(_TYPED) else mark
