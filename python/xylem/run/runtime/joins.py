"""The index behind a hash join on the general comparison `=`.

Strings and untyped values meet by their characters, numbers by their value, and an untyped value meets a number as
a double. Whatever else is compared falls back to comparing pair by pair, so the answer is always that
of the comparison itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from xylem.values.casting_numbers import parse_double
from xylem.values.general_comparison import pair_holds
from xylem.values.strings import AnyURI, UntypedAtomic
from xylem.values.value_comparison import eq

_STRINGS = frozenset({str, UntypedAtomic, AnyURI})
_TYPED_STRINGS = frozenset({str, AnyURI})
_EXACT = frozenset({int, Decimal})


class JoinIndex:
    """Items with their join keys, found again by key in the order they came."""

    __slots__ = ("_doubles", "_items", "_keys", "_kinds", "_numbers", "_strings", "built")

    def __init__(self) -> None:
        self.built = False
        self._items: list[Any] = []
        self._keys: list[Sequence[Any]] = []
        self._kinds: set[type] = set()
        self._strings: dict[str, list[int]] = {}
        self._numbers: dict[Any, list[int]] | None = None
        self._doubles: dict[float, list[int]] | None = None

    def build(self, rows: Iterable[tuple[Sequence[Any], Any]]) -> None:
        """Index (keys, item) rows."""
        strings = self._strings
        for index, (keys, item) in enumerate(rows):
            self._items.append(item)
            self._keys.append(keys)
            for key in keys:
                kind = type(key)
                self._kinds.add(kind)
                if kind in _STRINGS:
                    rows_of_key = strings.get(key)
                    if rows_of_key is None:
                        strings[key] = [index]
                    elif rows_of_key[-1] != index:
                        rows_of_key.append(index)
        self.built = True

    def matches(self, probes: Sequence[Any], implicit_timezone: int) -> Iterator[Any]:
        """The items with a key that equals one of the probes."""
        items = self._items
        return (items[row] for row in self._rows(probes, implicit_timezone))

    def positions_and_matches(self, probes: Sequence[Any], implicit_timezone: int) -> Iterator[tuple[int, Any]]:
        return ((row + 1, self._items[row]) for row in self._rows(probes, implicit_timezone))

    def _rows(self, probes: Sequence[Any], implicit_timezone: int) -> Sequence[int]:
        if len(probes) == 1:
            return self._rows_of(probes[0], implicit_timezone)
        found: set[int] = set()
        for probe in probes:
            found.update(self._rows_of(probe, implicit_timezone))
        return sorted(found)

    def _rows_of(self, probe: Any, implicit_timezone: int) -> Sequence[int]:
        kind = type(probe)
        if kind in _TYPED_STRINGS and self._kinds <= _STRINGS:
            return self._strings.get(probe, ())
        if kind is UntypedAtomic and self._kinds <= _STRINGS:
            return self._strings.get(probe, ())
        if kind is float and self._kinds <= {UntypedAtomic, float}:
            return self._by_double().get(probe, ()) if probe == probe else ()
        if kind in _EXACT and self._kinds <= _EXACT:
            return self._by_number().get(probe, ())
        return self._pair_by_pair(probe, implicit_timezone)

    def _by_double(self) -> dict[float, list[int]]:
        if self._doubles is None:
            self._doubles = self._table(lambda key: parse_double(key) if type(key) is UntypedAtomic else key)
        return self._doubles

    def _by_number(self) -> dict[Any, list[int]]:
        if self._numbers is None:
            self._numbers = self._table(lambda key: key)
        return self._numbers

    def _table(self, as_key: Any) -> dict[Any, list[int]]:
        table: dict[Any, list[int]] = {}
        for row, keys in enumerate(self._keys):
            for key in keys:
                rows = table.setdefault(as_key(key), [])
                if not rows or rows[-1] != row:
                    rows.append(row)
        return table

    def _pair_by_pair(self, probe: Any, implicit_timezone: int) -> list[int]:
        return [
            row
            for row, keys in enumerate(self._keys)
            if any(pair_holds(eq, key, probe, None, implicit_timezone) for key in keys)
        ]
