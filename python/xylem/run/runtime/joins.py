"""The index behind a join on a general comparison.

For `=`, strings and untyped values meet by their characters, numbers by their value, and an untyped value meets a
number as a double: look-ups in a hash table. For <, <=, > and >= between numbers, the rows that match are a run of
the rows sorted by key. Whatever else is compared falls back to comparing pair by pair, so the answer is always
that of the comparison itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from xylem.values.casting_numbers import parse_double
from xylem.values.general_comparison import pair_holds
from xylem.values.strings import AnyURI, UntypedAtomic
from xylem.values.value_comparison import OPERATORS

_STRINGS = frozenset({str, UntypedAtomic, AnyURI})
_EXACT = frozenset({int, Decimal})
_AS_DOUBLES = frozenset({UntypedAtomic, float})
_VALUE_OPERATORS = {"=": "eq", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


class JoinIndex:
    """Items with their join keys, found again by comparison in the order they came."""

    __slots__ = ("_compare", "_items", "_keys", "_kinds", "_op", "_strings", "_tables", "built")

    def __init__(self, op: str = "=") -> None:
        self.built = False
        self._op = op
        self._compare = OPERATORS[_VALUE_OPERATORS[op]]
        self._items: list[Any] = []
        self._keys: list[Sequence[Any]] = []
        self._kinds: set[type] = set()
        self._strings: dict[str, list[int]] = {}
        self._tables: dict[str, Any] = {}
        """Made when first needed, by the kind of key they hold."""

    def build(self, rows: Iterable[tuple[Sequence[Any], Any]]) -> None:
        """Index (keys, item) rows."""
        for keys, item in rows:
            self._items.append(item)
            self._keys.append(keys)
            self._kinds.update(map(type, keys))
        if self._op == "=":
            self._strings = self._table("strings", lambda key: key if type(key) in _STRINGS else None)
        self.built = True

    def matches(self, probes: Sequence[Any], implicit_timezone: int) -> Iterator[Any]:
        """The items with a key that compares so with one of the probes."""
        return map(self._items.__getitem__, self._rows(probes, implicit_timezone))

    def positions_and_matches(self, probes: Sequence[Any], implicit_timezone: int) -> Iterator[tuple[int, Any]]:
        return ((row + 1, self._items[row]) for row in self._rows(probes, implicit_timezone))

    def _rows(self, probes: Sequence[Any], implicit_timezone: int) -> Sequence[int]:
        find = self._equal if self._op == "=" else self._in_range
        if len(probes) == 1:
            return find(probes[0], implicit_timezone)
        found: set[int] = set()
        for probe in probes:
            found.update(find(probe, implicit_timezone))
        return sorted(found)

    def _equal(self, probe: Any, implicit_timezone: int) -> Sequence[int]:
        kind = type(probe)
        if kind in _STRINGS and self._kinds <= _STRINGS:
            return self._strings.get(probe, ())
        if kind is float and self._kinds <= _AS_DOUBLES:
            table: dict[Any, list[int]] = self._table("doubles", _double)
            return table.get(probe, ()) if probe == probe else ()
        if kind in _EXACT and self._kinds <= _EXACT:
            table = self._table("numbers", lambda key: key)
            return table.get(probe, ())
        return self._pair_by_pair(probe, implicit_timezone)

    def _in_range(self, probe: Any, implicit_timezone: int) -> Sequence[int]:
        kind = type(probe)
        kinds = self._kinds
        if kind is UntypedAtomic and kinds <= {float}:
            return self._between(parse_double(probe), "doubles", _double)
        if kind is float and kinds <= _AS_DOUBLES:
            return self._between(probe, "doubles", _double)
        if kind in _EXACT and kinds <= _EXACT:
            return self._between(probe, "numbers", lambda key: key)
        if kind in _EXACT and kinds <= {UntypedAtomic}:
            return self._between(float(probe), "doubles", _double)
        return self._pair_by_pair(probe, implicit_timezone)

    def _between(self, probe: Any, name: str, as_key: Callable[[Any], Any]) -> Sequence[int]:
        """The rows with a key on the right side of the probe, in their own order."""
        if probe != probe:
            return ()
        values, rows = self._sorted(name, as_key)
        match self._op:
            case "<":
                found = rows[: bisect_left(values, probe)]
            case "<=":
                found = rows[: bisect_right(values, probe)]
            case ">":
                found = rows[bisect_right(values, probe) :]
            case _:
                found = rows[bisect_left(values, probe) :]
        return sorted(set(found))

    def _sorted(self, name: str, as_key: Callable[[Any], Any]) -> tuple[list[Any], list[int]]:
        known: tuple[list[Any], list[int]] | None = self._tables.get(name)
        if known is None:
            pairs = [(as_key(key), row) for row, keys in enumerate(self._keys) for key in keys]
            pairs = sorted(pair for pair in pairs if pair[0] == pair[0])
            known = self._tables[name] = ([value for value, _ in pairs], [row for _, row in pairs])
        return known

    def _table(self, name: str, as_key: Callable[[Any], Any]) -> dict[Any, list[int]]:
        """Rows by key; a key that is None is left out."""
        known: dict[Any, list[int]] | None = self._tables.get(name)
        if known is None:
            known = self._tables[name] = {}
            for row, keys in enumerate(self._keys):
                for key in keys:
                    key = as_key(key)
                    if key is None:
                        continue
                    rows = known.setdefault(key, [])
                    if not rows or rows[-1] != row:
                        rows.append(row)
        return known

    def _pair_by_pair(self, probe: Any, implicit_timezone: int) -> list[int]:
        compare = self._compare
        return [
            row
            for row, keys in enumerate(self._keys)
            if any(pair_holds(compare, key, probe, None, implicit_timezone) for key in keys)
        ]


def _double(key: Any) -> float:
    return parse_double(key) if type(key) is UntypedAtomic else float(key)
