"""The index behind a join: it finds items by comparing their keys with requested values.

Holds:  the items with their keys, and a table for each kind of comparison used so far.
Order:  items keep the order in which they were added; each is found once, however many of its keys match.

For equality, values of one family meet in a hash table: strings and untyped values by their characters, numbers and
values cast to numbers by their value, dates by their instant. For an order, the matches are a run of the rows sorted by
key. All other values are compared pair by pair, so the answer, and the error, is always that of the comparison itself.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from xylem.errors import DynamicError
from xylem.values.casting_numbers import parse_double
from xylem.values.comparison_keys import grouping_key
from xylem.values.durations import DayTimeDuration, YearMonthDuration
from xylem.values.families import CALENDAR, EQUALITY_ONLY, FAMILY_OF, Family
from xylem.values.general_comparison import pair_holds
from xylem.values.node import Node
from xylem.values.strings import AnyURI, UntypedAtomic
from xylem.values.value_comparison import OPERATORS

STRINGS = frozenset({str, UntypedAtomic, AnyURI})
_EXACT = frozenset({int, Decimal})
_AS_DOUBLES = frozenset({UntypedAtomic, float})
_VALUE_OPERATORS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_GENERAL = {value: general for general, value in _VALUE_OPERATORS.items()}
_NODE_ORDERS = {"<<": "<", ">>": ">"}
"""For places in document order (`order_keys`)."""
_PLACE_ORDERS = {"<": operator.lt, ">": operator.gt}

STARTS_WITH = "starts-with"
BEGINS = "begins"
"""For strings: the key starts with the requested value, or the value with the key."""
_ORDERS = frozenset({"<", "<=", ">", ">=", STARTS_WITH})
_ON_TIME_LINE = CALENDAR - EQUALITY_ONLY
_DURATIONS = frozenset({YearMonthDuration, DayTimeDuration})

Rows = Sequence[int]


class Run(NamedTuple):
    """Rows sorted by a key, and which of them match."""

    places: list[int]
    """Of the rows."""
    values: list[Any]
    """Their keys."""
    asked: Any
    """The values that keys are compared with, in the form used for sorting."""
    start: int
    end: int


class JoinIndex:
    """Items with their join keys, by one comparison, the key on its left.

    `op` is a general comparison, or a value comparison, whose sides are single values. With `negated`, it finds items
    for which the comparison is not true: `every … satisfies $x/key != $asked` needs these.
    """

    __slots__ = (
        "_compare", "_is_complement", "_is_of_places", "_items", "_keys", "_kinds", "_tables", "built", "folds",
        "is_single", "is_strict", "op",
    )  # fmt: skip

    def __init__(self, op: str = "=", negated: bool = False) -> None:
        self.built = False
        self.is_strict = op in _GENERAL
        self.op = _GENERAL.get(op) or _NODE_ORDERS.get(op, op)
        self._is_complement = negated != (self.op == "!=")
        """Whether it finds the items that the lookup does not return: for `!=`, the lookup is by equality."""
        self._compare = OPERATORS[_VALUE_OPERATORS.get(self.op, "eq")]
        self._is_of_places = op in _NODE_ORDERS
        self._items: list[Any] = []
        self._keys: list[Sequence[Any]] = []
        self._kinds: set[type] = set()
        self.is_single = True
        """Whether no item has two keys."""
        self._tables: dict[str, Any] = {}
        """Created on demand, by the kind of key they hold."""
        self.folds: dict[int, Any] = {}
        """Aggregates of the first rows, by the list that sorts the rows (running_folds.py)."""

    def build(self, rows: Iterable[tuple[Sequence[Any], Any]]) -> JoinIndex:
        """Index (keys, item) rows. If one of them fails, the index stays empty."""
        items: list[Any] = []
        all_keys: list[Sequence[Any]] = []
        kinds: set[type] = set()
        for keys, item in rows:
            if self.is_strict:
                keys = self._strict(keys)
            items.append(item)
            all_keys.append(keys)
            if len(keys) == 1:
                kinds.add(type(keys[0]))
            elif keys:
                self.is_single = False
                kinds.update(map(type, keys))
        self._items, self._keys, self._kinds = items, all_keys, kinds
        self.built = True
        return self

    @property
    def size(self) -> int:
        """Number of items held."""
        return len(self._items)

    @property
    def has_strings_only(self) -> bool:
        return self._kinds <= STRINGS

    def matches(self, asked: Sequence[Any], implicit_timezone: int) -> Iterator[Any]:
        """The items with a key that compares this way with one of the requested values."""
        return map(self._items.__getitem__, self._rows(asked, implicit_timezone))

    def positions_and_matches(self, asked: Sequence[Any], implicit_timezone: int) -> Iterator[tuple[int, Any]]:
        return ((row + 1, self._items[row]) for row in self._rows(asked, implicit_timezone))

    def count(self, asked: Sequence[Any], implicit_timezone: int) -> int:
        """Number of matching items."""
        found = self._number(asked, implicit_timezone)
        return len(self._items) - found if self._is_complement else found

    def any(self, asked: Sequence[Any], implicit_timezone: int) -> bool:
        """Whether some item matches."""
        if self._is_complement:
            return self._number(asked, implicit_timezone) < len(self._items)
        if self.op in _ORDERS:
            runs = [self.run(one, implicit_timezone) for one in self.as_asked(asked)]
            known = [run for run in runs if run is not None]
            if len(known) == len(runs):
                return any(run.start < run.end for run in known)
        return bool(self._found(asked, implicit_timezone))

    def _number(self, asked: Sequence[Any], implicit_timezone: int) -> int:
        """Number of rows that the lookup returns."""
        run = self.one_run(asked, implicit_timezone)
        return len(self._found(asked, implicit_timezone)) if run is None else run.end - run.start

    def one_run(self, asked: Sequence[Any], implicit_timezone: int) -> Run | None:
        """The matching rows as one run of sorted rows; None if they are not one run."""
        if len(asked) == 1 and self.op in _ORDERS and self.is_single:
            return self.run(self.as_asked(asked)[0], implicit_timezone)
        return None

    @property
    def items(self) -> Sequence[Any]:
        return self._items

    # --- which rows match

    def _rows(self, asked: Sequence[Any], implicit_timezone: int) -> Rows:
        found = self._found(asked, implicit_timezone)
        if not self._is_complement:
            return found
        given = set(found)
        return [row for row in range(len(self._items)) if row not in given]

    def _found(self, asked: Sequence[Any], implicit_timezone: int) -> Rows:
        if self.is_strict and self._items:
            asked = self._strict(asked)
        if self.op == "!=":
            return self._rows_unlike(asked, implicit_timezone)
        find = self._equal if self.op == "=" else self._beginnings if self.op == BEGINS else self._in_range
        if len(asked) == 1:
            return find(asked[0], implicit_timezone)
        found: set[int] = set()
        for one in asked:
            found.update(find(one, implicit_timezone))
        return sorted(found)

    def _rows_unlike(self, asked: Sequence[Any], implicit_timezone: int) -> Rows:
        """The rows without a key that is unequal to a requested value: `!=` holds for no pair."""
        if not asked:
            return range(len(self._items))
        without = self._tables.get("without")
        if without is None:
            without = self._tables["without"] = [row for row, keys in enumerate(self._keys) if not keys]
        candidates = self._equal(asked[0], implicit_timezone)
        if len(asked) > 1 or not self.is_single:
            compare = self._compare
            candidates = [
                row
                for row in candidates
                if not any(
                    pair_holds(compare, key, one, None, implicit_timezone) for key in self._keys[row] for one in asked
                )
            ]
        return sorted([*candidates, *without]) if without else candidates

    def _strict(self, values: Sequence[Any]) -> Sequence[Any]:
        """The single operand of a value comparison: untyped values count as strings."""
        if len(values) > 1:
            name = _VALUE_OPERATORS[self.op]
            raise DynamicError("XPTY0004", f"an operand of {name} is {len(values)} items; it takes one")
        return [str(value) if type(value) is UntypedAtomic else value for value in values]

    def _equal(self, asked: Any, implicit_timezone: int) -> Rows:
        kind, kinds = type(asked), self._kinds
        if kind in STRINGS and kinds <= STRINGS:
            return self._table("strings", _itself).get(asked, ())
        if kind is float and kinds <= _AS_DOUBLES:
            return self._table("doubles", _double).get(asked, ()) if asked == asked else ()
        if kind in _EXACT and kinds <= _EXACT:
            return self._table("numbers", _itself).get(asked, ())
        family = FAMILY_OF.get(kind)
        if kind is UntypedAtomic and _families(kinds) <= {Family.NUMBER}:
            asked, family = parse_double(asked), Family.NUMBER
        if family == Family.NUMBER and _families(kinds - {UntypedAtomic}) <= {Family.NUMBER}:
            return self._table("any number", _number).get(_number(asked), ()) if asked == asked else ()
        if family is not None and UntypedAtomic not in kinds and _families(kinds) <= {family}:
            by_value = self._table("values", lambda key: grouping_key(key, None, implicit_timezone))
            return by_value.get(grouping_key(asked, None, implicit_timezone), ())
        return self._pair_by_pair(asked, implicit_timezone)

    def _beginnings(self, asked: Any, implicit_timezone: int) -> Rows:
        """The rows whose key is a prefix of a string: one lookup for each key length."""
        by_key = self._table("strings", _itself)
        lengths = self._tables.get("lengths")
        if lengths is None:
            lengths = self._tables["lengths"] = {len(key) for key in by_key}
        found: set[int] = set()
        for length in lengths:
            if length <= len(asked):
                found.update(by_key.get(asked[:length], ()))
        return sorted(found)

    def _in_range(self, asked: Any, implicit_timezone: int) -> Rows:
        run = self.run(asked, implicit_timezone)
        if run is None:
            return self._pair_by_pair(asked, implicit_timezone)
        return sorted(set(run.places[run.start : run.end]))

    def run(self, asked: Any, implicit_timezone: int) -> Run | None:
        """The rows with a key on the right side of a value, as a run of sorted rows; None if there is no order."""
        kind, kinds = type(asked), self._kinds
        if kind in STRINGS and kinds <= STRINGS:
            return self._between(asked, "strings in order", _itself)
        if kind is UntypedAtomic and kinds <= {float}:
            return self._between(parse_double(asked), "doubles in order", _double)
        if kind is float and kinds <= _AS_DOUBLES:
            return self._between(asked, "doubles in order", _double)
        if kind in _EXACT and kinds <= _EXACT:
            return self._between(asked, "numbers in order", _itself)
        if (kind in _EXACT and kinds <= _AS_DOUBLES) or (kind is float and kinds <= _AS_DOUBLES | _EXACT):
            try:
                return self._between(float(asked), "doubles in order", _double)
            except OverflowError:
                return None  # An integer with no double near it.
        if FAMILY_OF.get(kind) in _ON_TIME_LINE and _families(kinds) <= {FAMILY_OF[kind]}:

            def place(key: Any) -> Any:
                return key.compare_key(implicit_timezone)

            return self._between(place(asked), "times in order", place)
        if kind is tuple and kinds <= {tuple}:
            return self._between(asked, "document order", _itself)
        if kind in _DURATIONS and kinds <= {kind}:
            return self._between(_length(asked), "durations in order", _length)
        return None

    def _between(self, asked: Any, name: str, as_key: Callable[[Any], Any]) -> Run:
        values, rows = self._sorted(name, as_key)
        start, end = 0, len(rows)
        if asked != asked:
            end = 0
        elif self.op == STARTS_WITH:
            start = bisect_left(values, asked)
            end = bisect_right(values, asked, start, key=lambda value: value[: len(asked)])
        elif self.op in ("<", "<="):
            end = bisect_left(values, asked) if self.op == "<" else bisect_right(values, asked)
        else:
            start = bisect_right(values, asked) if self.op == ">" else bisect_left(values, asked)
        return Run(rows, values, asked, start, end)

    # --- together with another condition

    def share_keys(self, other: JoinIndex) -> None:
        """Share the tables of an index that holds the same keys."""
        self._tables = other._tables

    def holds(self, row: int, asked: Sequence[Any], implicit_timezone: int) -> bool:
        """Whether one row matches."""
        compare, values = self._compare, self.as_asked(asked)
        if self._is_of_places:
            return any(_PLACE_ORDERS[self.op](key, one) for key in self._keys[row] for one in values)
        return any(pair_holds(compare, key, one, None, implicit_timezone) for key in self._keys[row] for one in values)

    def as_asked(self, values: Sequence[Any]) -> Sequence[Any]:
        """Values in the form that the comparison takes."""
        return self._strict(values) if self.is_strict else values

    def item(self, row: int) -> Any:
        return self._items[row]

    def of_rows(self, rows: Iterable[int]) -> JoinIndex:
        """The same comparison for some rows, which are its items."""
        op = _VALUE_OPERATORS[self.op] if self.is_strict else self.op
        return JoinIndex(op).build((self._keys[row], row) for row in rows)

    def _sorted(self, name: str, as_key: Callable[[Any], Any]) -> tuple[list[Any], list[int]]:
        known: tuple[list[Any], list[int]] | None = self._tables.get(name)
        if known is None:
            values = [as_key(key) for keys in self._keys for key in keys]
            rows = [row for row, keys in enumerate(self._keys) for _ in keys]
            # Only keys are compared, in Python's way for values of one type; equal ones stay in the order of rows.
            places = sorted((n for n, value in enumerate(values) if value == value), key=values.__getitem__)
            known = self._tables[name] = ([values[n] for n in places], [rows[n] for n in places])
        return known

    def _table(self, name: str, as_key: Callable[[Any], Any]) -> dict[Any, list[int]]:
        """Rows by key."""
        known: dict[Any, list[int]] | None = self._tables.get(name)
        if known is None:
            made: dict[Any, list[int]] = {}
            for row, keys in enumerate(self._keys):
                for key in keys:
                    rows = made.setdefault(as_key(key), [])
                    if not rows or rows[-1] != row:
                        rows.append(row)
            known = self._tables[name] = made
        return known

    def _pair_by_pair(self, asked: Any, implicit_timezone: int) -> list[int]:
        compare = OPERATORS["eq"] if self.op == "!=" else self._compare
        return [
            row
            for row, keys in enumerate(self._keys)
            if any(pair_holds(compare, key, asked, None, implicit_timezone) for key in keys)
        ]


def order_keys(nodes: Sequence[Any], op: str) -> Sequence[Any]:
    """The document-order place of the node that `<<` or `>>` compares; empty if there is no node."""
    if len(nodes) > 1 or (nodes and type(nodes[0]) is not Node):
        raise DynamicError("XPTY0004", f"an operand of {op} is not one node")
    return [nodes[0].order_key] if nodes else ()


def _itself(key: Any) -> Any:
    return key


def _double(key: Any) -> float:
    return parse_double(key) if type(key) is UntypedAtomic else float(key)


def _number(key: Any) -> Any:
    return grouping_key(parse_double(key) if type(key) is UntypedAtomic else key)


def _length(key: Any) -> Any:
    return key.months, key.seconds


def _families(kinds: Iterable[type]) -> set[int | None]:
    return {FAMILY_OF.get(kind) for kind in kinds}
