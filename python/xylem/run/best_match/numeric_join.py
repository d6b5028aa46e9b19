"""Joins over columns: compute the terms that are arithmetic of xs:double on whole columns, and find the pairs.

A column computes a term only if it gives the values that the query would: xs:double throughout, or integers that
xs:double holds exactly. Query functions compute everything else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from copy import copy
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import isfinite
from typing import Any, NamedTuple

from xylem.plan.best_match_plan import Term
from xylem.source.kernel import kernel_pairs
from xylem.values.atomic_type import DOUBLE
from xylem.values.casting import cast
from xylem.values.datetimes import Date, DateTime
from xylem.values.durations import DayTimeDuration
from xylem.values.strings import UntypedAtomic

from .join_spec import ConditionSpec, JoinSpec
from .reference import reference_pairs
from .side_rows import EXACT, Column, Irregular, SideRows, microseconds

Key = tuple[str, ...]
NumericOrder = tuple[Term, bool, float | None]
NumericCondition = tuple[str, Term, Term]


class Numeric(NamedTuple):
    """The result of a term: its kind, and for integers a bound on their absolute value."""

    term: Term
    kind: str
    most: float = 0.0
    scale: Decimal = Decimal(1)
    """For a ratio of durations: the number of microseconds that count as one."""


class IrregularLeaf(Exception):
    """A value that no column can hold; the query's own expression raises the error."""

    def __init__(self, side: str, row: int) -> None:
        super().__init__(side, row)
        self.side = side
        self.row = row


class NumericJoin:
    """The parts of a join that are arithmetic of columns."""

    def __init__(
        self,
        spec: JoinSpec,
        left: SideRows,
        right: SideRows,
        limits: Sequence[Any],
        constants: Sequence[Sequence[Any]],
        timezone: int = 0,
        coming: str = "",
    ) -> None:
        """`coming` names the side (or sides) that will receive further rows, which must fit, too."""
        self.timezone = timezone
        self.coming = coming
        self._sizes: dict[tuple[str, int], tuple[str, float]] = {}
        """The kinds of the leaves of arriving rows, and the largest size of their integers."""
        self.sides = {"left": left, "right": right}
        self.used: dict[str, dict[int, int]] = {"left": {}, "right": {}}
        self.columns: dict[str, list[Any]] = {"left": [], "right": []}
        self._constants = constants
        self.orders: list[NumericOrder | None] = [
            None if order.term is None else self._order(order.term, order.direction == "max", limit)
            for order, limit in zip(spec.orders, limits, strict=True)
        ]
        self.keys: list[tuple[int, int]] = []
        self.conditions: list[NumericCondition] = []
        self.left_to_test: list[int] = []
        """The conditions that only query functions can test."""
        for number, condition in enumerate(spec.tests):
            if not self._condition(condition):
                self.left_to_test.append(number)

    @property
    def is_whole(self) -> bool:
        """Whether columns alone answer the join."""
        return not self.left_to_test and all(order is not None for order in self.orders)

    @property
    def narrows(self) -> bool:
        """Whether columns rule out pairs."""
        has_limit = any(order is not None and order[2] is not None for order in self.orders)
        return has_limit or bool(self.conditions or self.keys)

    def pairs(self, kind: str, best: int) -> tuple[Sequence[int], Sequence[int]]:
        """The pairs in ascending order; kind `all`: every pair that nothing rules out."""
        orders = [order for order in self.orders if order is not None]
        left, right = self.sides["left"], self.sides["right"]
        asked = kind, best, orders, self.conditions
        keys = self._key_numbers() if self.keys else None
        found = kernel_pairs(*asked, self.columns["left"], len(left), self.columns["right"], len(right), keys)
        if found is not None:
            return found
        return reference_pairs(*asked, self.columns["left"], len(left), self.columns["right"], len(right), keys)

    def numeric(self, term: Term) -> Numeric | None:
        """A term over columns; None if columns cannot compute it."""
        try:
            return self._numeric(term)
        except IrregularLeaf:
            return None

    # --- rows that arrive later

    def fits(self, side: str, rows: SideRows) -> bool:
        """Whether the facts found about a side also hold for these rows of it."""
        for (one, leaf), (kind, most) in self._sizes.items():
            if one == side:
                column = rows.column(leaf, self.timezone)
                if isinstance(column, Irregular) or column.kind != kind or column.most > most:
                    return False
        place = 0 if side == "left" else 1
        return all(_is_key(rows, pair[place]) for pair in self.keys)

    def again(self, left: SideRows, right: SideRows) -> NumericJoin | None:
        """The same join for other rows of both sides; None if they are not alike."""
        if not (self.fits("left", left) and self.fits("right", right)):
            return None
        made = copy(self)
        made.sides = {"left": left, "right": right}
        made.columns = {
            side: [rows.column(leaf, self.timezone).numbers for leaf in self.used[side]]  # type: ignore[union-attr]
            for side, rows in made.sides.items()
        }
        return made

    # --- orders

    def _order(self, term: Term, is_max: bool, limit: Any) -> NumericOrder | None:
        found = self._numeric(term)
        if found is None:
            return None
        if limit is None:
            return found.term, is_max, None
        if found.kind not in _NUMBERS:
            moved = self._limit_in_time(found, limit, is_max)
            return None if moved is None else (found.term, is_max, moved)
        if isinstance(limit, bool) or not isinstance(limit, (int, float, Decimal)):
            return None
        if found.kind == "integer" and isinstance(limit, (int, Decimal)):
            # Integers compare with decimals exactly, and lie on the same side of the next whole number.
            rounding = ROUND_CEILING if is_max else ROUND_FLOOR
            whole = int(Decimal(limit).to_integral_value(rounding))
            limit = max(-EXACT, min(EXACT, whole))
        return found.term, is_max, float(limit)

    def _limit_in_time(self, found: Numeric, limit: Any, is_max: bool) -> float | None:
        """A limit on values in microseconds, which are integers; rounding the limit keeps every comparison."""
        if found.kind == "duration" and type(limit) is DayTimeDuration:
            size = limit.seconds * 1_000_000
        elif found.kind == "ratio" and isinstance(limit, (int, Decimal)) and not isinstance(limit, bool):
            size = limit * found.scale
        elif found.kind == _KIND_IN_TIME.get(type(limit)):
            return microseconds(limit, self.timezone)
        else:
            return None
        whole = int(Decimal(size).to_integral_value(ROUND_CEILING if is_max else ROUND_FLOOR))
        return float(max(-EXACT, min(EXACT, whole)))

    # --- conditions

    def _condition(self, condition: ConditionSpec) -> bool:
        if not condition.op:
            return False
        one, other = condition.left, condition.right
        sides = {one[0]: one, other[0]: other}
        is_key = condition.op == "eq" and sides.keys() == {"left", "right"}
        if is_key and self._key(sides["left"][1], sides["right"][1]):
            return True
        try:
            a, b = self._numeric(one), self._numeric(other)
        except IrregularLeaf:
            # Texts are compared, too.
            return False
        if a is None or b is None:
            return False
        if a.kind != b.kind and not (a.kind in _NUMBERS and b.kind in _NUMBERS):
            return False
        if "ratio" in (a.kind, b.kind):
            return False
        untyped = [part for part in (a, b) if part.kind == "untyped"]
        if len(untyped) == 2 or (untyped and not condition.is_general):
            # Compared as strings, or an error.
            return False
        self.conditions.append((condition.op, a.term, b.term))
        return True

    def _key(self, left: int, right: int) -> bool:
        """Equality of texts, at most one per item: pairs are looked for among items that share a text."""
        if not (_is_key(self.sides["left"], left) and _is_key(self.sides["right"], right)):
            return False
        self.keys.append((left, right))
        return True

    def _key_numbers(self) -> tuple[array[int], array[int]]:
        known: dict[Key, int] = {}

        def number(key: Key) -> int:
            return known.setdefault(key, len(known))

        return self.keys_of("left", self.sides["left"], number), self.keys_of("right", self.sides["right"], number)

    def keys_of(self, side: str, rows: SideRows, number: Callable[[Key], int]) -> array[int]:
        """The numbers of the keys of some rows."""
        place = 0 if side == "left" else 1
        leaves = [rows.values(pair[place]) for pair in self.keys]
        numbers = array("I")
        for texts in zip(*leaves, strict=True):
            if all(texts):
                numbers.append(number(tuple(str(text[0]) for text in texts)))
            else:
                # A missing value equals nothing.
                numbers.append(2**32 - 1 - place)
        return numbers

    # --- terms

    def _numeric(self, term: Term) -> Numeric | None:
        match term:
            case ("left" | "right" as side, int() as leaf):
                return self._leaf(side, leaf)
            case ("constant", int() as place):
                return _constant(self._constants[place])
        operands = [self._numeric(operand) for operand in term[1:]]
        if any(operand is None for operand in operands):
            return None
        return _operation(term[0], operands)  # type: ignore[arg-type]

    def _leaf(self, side: str, leaf: int) -> Numeric | None:
        column = self.sides[side].column(leaf, self.timezone)
        if isinstance(column, Irregular):
            if column.row is not None:
                raise IrregularLeaf(side, column.row)
            return None
        used = self.used[side]
        if leaf not in used:
            used[leaf] = len(self.columns[side])
            self.columns[side].append(column.numbers)
        most = column.most
        if self.coming in (side, "both"):
            # Other constants may be larger, within reason: these decide which terms are exact.
            most = 0.0 if column.kind != "integer" else 2.0 ** max(20, int(most).bit_length())
            self._sizes[side, leaf] = column.kind, most
        return Numeric((side, used[leaf]), column.kind, most)


def _is_key(rows: SideRows, leaf: int) -> bool:
    """Whether a leaf gives at most one text per row."""
    return all(
        not found or (len(found) == 1 and type(found[0]) in (str, UntypedAtomic)) for found in rows.values(leaf)
    )


def _constant(values: Sequence[Any]) -> Numeric | None:
    if len(values) != 1:
        return None
    value = values[0]
    if type(value) is UntypedAtomic:
        return Numeric(("number", cast(value, DOUBLE)), "double")
    if type(value) is float:
        return Numeric(("number", value), "double")
    if type(value) is int and abs(value) < EXACT:
        return Numeric(("number", float(value)), "integer", abs(value))
    if type(value) is DayTimeDuration:
        size = value.seconds * 1_000_000
        return Numeric(("number", float(size)), "duration", 1) if size == int(size) and abs(size) < EXACT else None
    return Numeric(("number", float(value)), "decimal") if isinstance(value, Decimal) else None


_AS_DOUBLE = ("double", "untyped")
_NUMBERS = ("double", "untyped", "integer", "decimal")
_KIND_IN_TIME: dict[type, str] = {DateTime: "dateTime", Date: "date"}


def _in_time(op: str, term: Term, operands: Sequence[Numeric]) -> Numeric | None:
    """Differences of dates and times, and the number of times a duration fits into one, in whole microseconds."""
    match op, *(operand.kind for operand in operands):
        case ("-", "dateTime", "dateTime") | ("-", "date", "date"):
            return Numeric(term, "duration")
        case ("div", "duration", "duration") if operands[1].term[0] == "number" and operands[1].term[1] > 0:
            return Numeric(operands[0].term, "ratio", scale=Decimal(int(operands[1].term[1])))
        case ("distance", "duration"):
            return Numeric(("abs", operands[0].term), "duration")
        case ("abs", "ratio"):
            return Numeric(term, "ratio", scale=operands[0].scale)
    return None


def _operation(op: str, operands: Sequence[Numeric]) -> Numeric | None:
    term = (op, *(operand.term for operand in operands))
    kinds = [operand.kind for operand in operands]
    if any(kind not in _NUMBERS for kind in kinds):
        return _in_time(op, term, operands)
    if op == "distance":
        op, term = "abs", ("abs", operands[0].term)
    if op in ("sqrt", "sky", "double"):
        if not all(kind in ("double", "untyped", "integer") for kind in kinds):
            return None
        return Numeric(operands[0].term if op == "double" else term, "double")
    if any(kind in _AS_DOUBLE for kind in kinds):
        # The other operand is promoted to xs:double, whatever its numeric type.
        return Numeric(term, "double")
    if any(kind != "integer" for kind in kinds) or op == "div":
        return None
    sizes = [operand.most for operand in operands]
    most = sizes[0] if len(sizes) == 1 else sizes[0] * sizes[1] if op == "*" else sizes[0] + sizes[1]
    return Numeric(term, "integer", most) if most < EXACT and isfinite(most) else None


__all__ = ["Column", "IrregularLeaf", "NumericJoin"]
