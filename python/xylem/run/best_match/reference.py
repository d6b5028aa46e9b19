"""Find the pairs of a join over columns of numbers by trying all of them: the oracle for the kernel's search.

It has the contract of the kernel's `best_pairs` (`kernel/src/bindings/best_match.rs`) and replaces it if the kernel is
not built: terms are nested tuples with numbers for constants, values are xs:double, and NaN takes no part.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

from xylem.functions.sky_functions import separation

from .best_pairs import Candidate, Place, best_pairs

Columns = Sequence[Sequence[float]]
Pairs = tuple[Sequence[int], Sequence[int]]


def value_of(term: tuple[Any, ...], left: Columns, i: int, right: Columns, j: int) -> float:
    """The value of a term for a pair."""
    match term:
        case ("left", int() as column):
            return left[column][i]
        case ("right", int() as column):
            return right[column][j]
        case ("number", value):
            return float(value)
    found = [value_of(operand, left, i, right, j) for operand in term[1:]]
    match term[0]:
        case "+":
            return found[0] + found[1]
        case "-":
            return found[0] - found[1]
        case "*":
            return found[0] * found[1]
        case "div":
            return _quotient(*found)
        case "negate":
            return -found[0]
        case "abs":
            return abs(found[0])
        case "sqrt":
            return math.sqrt(found[0]) if found[0] >= 0 else math.nan
    return separation(*found)


def _quotient(a: float, b: float) -> float:
    if b:
        return a / b
    if a != a or not a:
        return math.nan
    return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


class _Least:
    """An order by numbers, least first."""

    def of(self, left: Any, right: Any) -> Any:
        raise NotImplementedError

    def is_as_good(self, one: Any, other: Any) -> bool:
        return bool(one <= other)


def reference_pairs(
    kind: str,
    best: int,
    orders: Sequence[tuple[tuple[Any, ...], bool, float | None]],
    conditions: Sequence[tuple[str, tuple[Any, ...], tuple[Any, ...]]],
    left: Columns,
    left_items: int,
    right: Columns,
    right_items: int,
    keys: tuple[Sequence[int], Sequence[int]] | None = None,
) -> Pairs:
    """The pairs in ascending order; kind `all` gives every pair that takes part."""
    candidates = []
    for i in range(left_items):
        for j in range(right_items):
            if keys is not None and keys[0][i] != keys[1][j]:
                continue
            values = _values(orders, left, i, right, j)
            if values is not None and all(_holds(one, left, i, right, j) for one in conditions):
                candidates.append(Candidate(i, j, values))
    criteria = [_Least() for _ in orders]
    found: list[Place] = [(one.left, one.right) for one in candidates]
    if kind != "all":
        found = sorted(best_pairs(candidates, criteria, kind, best))
    return array("I", (pair[0] for pair in found)), array("I", (pair[1] for pair in found))


def _values(
    orders: Sequence[tuple[tuple[Any, ...], bool, float | None]], left: Columns, i: int, right: Columns, j: int
) -> tuple[float, ...] | None:
    values = []
    for term, is_max, limit in orders:
        value = value_of(term, left, i, right, j)
        if value != value or (limit is not None and (value < limit if is_max else value > limit)):
            return None
        values.append(-value if is_max else value)
    return tuple(values)


def _holds(
    condition: tuple[str, tuple[Any, ...], tuple[Any, ...]], left: Columns, i: int, right: Columns, j: int
) -> bool:
    op, one, other = condition
    a, b = value_of(one, left, i, right, j), value_of(other, left, i, right, j)
    return {"eq": a == b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[op]
