"""A join by several conditions at once: equalities find rows, orders narrow them.

Holds:  a table of key combinations if all equality keys are strings, otherwise one index per key; for the orders, an
        index of rows between bounds: over all rows, or over the equal rows if they are many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from xylem.errors import DynamicError

from .bounds import Bounds
from .joins import STRINGS, JoinIndex, Rows

_EQUALITIES = frozenset({"=", "eq"})
_FEW = 8
"""This many rows are compared one by one."""

Asked = tuple[Sequence[Any], ...]


class FailedKeys(tuple[Any, ...]):
    """Keys whose computation raised an error: the error counts if all conditions before it hold."""

    error: DynamicError

    def __new__(cls, error: DynamicError) -> FailedKeys:
        if error.code.startswith("XY"):
            raise error  # A limit has been met.
        made = super().__new__(cls)
        made.error = error
        return made


class ManyKeysIndex:
    """Items by several comparisons; none of them is negated or an inequality."""

    __slots__ = ("_combined", "_equal", "_failed", "_indexes", "_is_one_key", "_items", "_narrowed", "_orders", "built")

    def __init__(self, ops: tuple[str, ...], *, is_one_key: bool = False) -> None:
        """`is_one_key` means that the first two orders compare the same key."""
        self.built = False
        self._is_one_key = is_one_key
        self._indexes = [JoinIndex(op) for op in ops]
        self._equal = [number for number, op in enumerate(ops) if op in _EQUALITIES]
        self._orders = [number for number, op in enumerate(ops) if op not in _EQUALITIES]
        self._items: list[Any] = []
        self._failed: list[tuple[int, int, DynamicError]] = []
        """Rows with the number of the failed key and its error."""
        self._combined: dict[tuple[Any, ...], list[int]] | None = None
        self._narrowed: dict[tuple[Any, ...], Bounds] = {}
        """By the values that must be equal."""

    @property
    def size(self) -> int:
        """Number of items held."""
        return len(self._items)

    def build(self, rows: Iterable[tuple[Asked, Any]]) -> ManyKeysIndex:
        """Index (keys, item) rows, with a sequence for each key."""
        found = list(rows)
        for number, index in enumerate(self._indexes):
            index.build((keys[number], row) for row, (keys, _) in enumerate(found))
        if self._equal and all(self._indexes[number].has_strings_only for number in self._equal):
            combined: dict[tuple[Any, ...], list[int]] = {}
            for row, (keys, _) in enumerate(found):
                for key in set(product(*(keys[number] for number in self._equal))):
                    combined.setdefault(key, []).append(row)
            self._combined = combined
        self._items = [item for _, item in found]
        self._failed = [
            (row, number, key.error)
            for row, (keys, _) in enumerate(found)
            for number, key in enumerate(keys)
            if isinstance(key, FailedKeys)
        ]
        self.built = True
        return self

    def matches(self, asked: Asked, implicit_timezone: int) -> Iterator[Any]:
        """The items whose keys all compare this way with one of the requested values."""
        return map(self._items.__getitem__, self._rows(asked, implicit_timezone))

    def positions_and_matches(self, asked: Asked, implicit_timezone: int) -> Iterator[tuple[int, Any]]:
        return ((row + 1, self._items[row]) for row in self._rows(asked, implicit_timezone))

    def count(self, asked: Asked, implicit_timezone: int) -> int:
        if len(self._orders) not in (1, 2):
            return len(self._rows(asked, implicit_timezone))
        self._fail_if_asked(asked, implicit_timezone)
        rows = self._equal_rows(asked, implicit_timezone)
        if len(rows) <= _FEW:
            return len(self._in_orders(rows, self._orders, asked, implicit_timezone))
        return self._ordered(asked, rows).count([asked[number] for number in self._orders], implicit_timezone)

    def any(self, asked: Asked, implicit_timezone: int) -> bool:
        return self.count(asked, implicit_timezone) > 0

    def match_at(self, place: int, asked: Asked, implicit_timezone: int) -> Any:
        """The first match (0) or the last (-1), or None; if one order leaves a run of rows, only its end is read."""
        self._fail_if_asked(asked, implicit_timezone)
        rows = self._equal_rows(asked, implicit_timezone)
        if len(rows) > _FEW and len(self._orders) == 1:
            row = self._ordered(asked, rows).row_at(place, asked[self._orders[0]], implicit_timezone)
            return None if row is None else self._items[row]
        found = self._rows(asked, implicit_timezone)
        return self._items[found[place]] if found else None

    def _rows(self, asked: Asked, implicit_timezone: int) -> Rows:
        self._fail_if_asked(asked, implicit_timezone)
        rows = self._equal_rows(asked, implicit_timezone)
        orders = self._orders
        if orders and len(rows) > _FEW:
            rows = self._ordered(asked, rows).rows([asked[number] for number in orders[:2]], implicit_timezone)
            orders = orders[2:]
        return self._in_orders(rows, orders, asked, implicit_timezone)

    def _in_orders(self, rows: Rows, orders: Sequence[int], asked: Asked, implicit_timezone: int) -> Rows:
        """The rows for which some orders hold, checked one by one."""
        for number in orders:
            index = self._indexes[number]
            rows = [row for row in rows if index.holds(row, asked[number], implicit_timezone)]
        return rows

    def _fail_if_asked(self, asked: Asked, implicit_timezone: int) -> None:
        """Raise the error of a key that is compared, because all conditions before it hold."""
        for row, number, error in self._failed:
            if all(self._indexes[n].holds(row, asked[n], implicit_timezone) for n in range(number)):
                raise error

    def _equal_rows(self, all_asked: Asked, implicit_timezone: int) -> Rows:
        if not self._equal:
            return range(len(self._items))
        asked = [all_asked[number] for number in self._equal]
        indexes = [self._indexes[number] for number in self._equal]
        if self._combined is not None and all(type(value) in STRINGS for values in asked for value in values):
            if any(index.is_strict and len(values) > 1 for index, values in zip(indexes, asked, strict=True)):
                raise DynamicError("XPTY0004", "an operand of eq is several items; it takes one")
            if all(len(values) == 1 for values in asked):
                return self._combined.get(tuple([values[0] for values in asked]), ())
            found: set[int] = set()
            for key in product(*asked):
                found.update(self._combined.get(key, ()))
            return sorted(found)
        each = [set(index.matches(values, implicit_timezone)) for index, values in zip(indexes, asked, strict=True)]
        return sorted(set.intersection(*each))

    def _ordered(self, asked: Asked, rows: Rows) -> Bounds:
        """Equal rows, by their orders."""
        equal = tuple((type(value), value) for number in self._equal for value in (*asked[number], ()))
        known = self._narrowed.get(equal)
        if known is None:
            indexes = [self._indexes[number].of_rows(rows) for number in self._orders[:2]]
            known = self._narrowed[equal] = Bounds(indexes, self._is_one_key)
        return known
