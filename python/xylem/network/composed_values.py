"""Functions of one number that keep or turn the order of numbers: a bound on the result is a bound on the number.

        $record/ra - 1 > 1       1 - $record/ra < -1       round($record/ra * 2) > 4

Arithmetic of doubles rounds, and rounding keeps the order: the numbers whose result is above a bound are all those from
a least one on. That one is found by trying, with the very operations of the engine, so no rounding is ever guessed.
"""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from xylem.functions.numeric_functions import ceiling, floor, round_half_up
from xylem.functions.registry import FN
from xylem.syntax import ast
from xylem.values.numbers import to_double

from .constants import Number, constant_number
from .measured_values import Measured, measured
from .record_facts import RecordFacts

Step = tuple[str, float]
"""An operation on a number, and its other operand."""

_ROUNDED = {"round": round_half_up, "floor": floor, "ceiling": ceiling}


def composed(expr: ast.Expr, facts: RecordFacts) -> tuple[Measured, tuple[Step, ...]] | None:
    """A number of the record and what is done to it, in order; None for anything else, and if nothing is done."""
    operand, steps = operations(expr)
    found = measured(operand, facts) if steps else None
    if found is None or found.variable.view != "double":
        return None
    # What comes out of an operation is a number, whatever was put in.
    return replace(found, is_typed=True), steps


def operations(expr: ast.Expr) -> tuple[ast.Expr, tuple[Step, ...]]:
    """What operations with constants begin with, and these in order: each is an error for several values."""
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return operations(item)
        case ast.Unary(op=op, operand=operand):
            return _then(operand, ("turn" if op.count("-") % 2 else "+", 0.0))
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(argument,)) if uri == FN:
            return _then(argument, (local, 0.0)) if local in _ROUNDED else (expr, ())
        case ast.Arithmetic(op="+" | "-" | "*" | "div" as op, left=left, right=right):
            number = constant_number(right)
            if number is not None:
                return _with_number(expr, left, op, number)
            number = constant_number(left)
            if number is not None and op != "div":
                # 5 - x is -x + 5.
                return _with_number(expr, right, "from" if op == "-" else op, number)
    return expr, ()


def _with_number(expr: ast.Expr, operand: ast.Expr, op: str, number: Number) -> tuple[ast.Expr, tuple[Step, ...]]:
    other = to_double(number)
    if not math.isfinite(other) or (op in ("*", "div") and other == 0):
        return expr, ()
    return _then(operand, (op, other))


def _then(operand: ast.Expr, step: Step) -> tuple[ast.Expr, tuple[Step, ...]]:
    start, steps = operations(operand)
    return start, (*steps, step)


def result_of(steps: tuple[Step, ...], value: float) -> float:
    """The result for one number."""
    for op, other in steps:
        match op:
            case "+":
                value = value + other
            case "-":
                value = value - other
            case "turn":
                value = -value
            case "from":
                value = other - value
            case "*":
                value = value * other
            case "div":
                value = value / other
            case _:
                found = _ROUNDED[op](value)
                assert found is not None
                value = to_double(found)
    return value


@lru_cache(1 << 12)
def bounds_of(steps: tuple[Step, ...], op: str, number: Fraction) -> tuple[str, Fraction] | bool:
    """The numbers whose result compares with a number this way, as a comparison; or whether all or none of them do.

    `op` is one of < <= > >=.
    """
    limit = float(number)
    turns = sum(step in ("turn", "from") or (other < 0 and step in ("*", "div")) for step, other in steps)
    rises = turns % 2 == 0
    if op in ("<", "<="):
        above = bounds_of(steps, ">=" if op == "<" else ">", number)
        if isinstance(above, bool):
            return not above
        return {">": "<=", ">=": "<", "<": ">=", "<=": ">"}[above[0]], above[1]

    def is_above(value: float) -> bool:
        made = result_of(steps, value if rises else -value)
        return made > limit if op == ">" else made >= limit

    if is_above(-math.inf):
        return True
    if not is_above(math.inf):
        return False
    low, high = _rank(-math.inf), _rank(math.inf)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_above(_of_rank(middle)) else (middle, high)
    below, least = _of_rank(low), _of_rank(high)
    # From the least one on, or above the one before it: in the shorter words, which other queries use too.
    is_strict = math.isinf(least) or (not math.isinf(below) and len(repr(below)) <= len(repr(least)))
    at = Fraction(below if is_strict else least)
    if rises:
        return (">" if is_strict else ">="), at
    return ("<" if is_strict else "<="), -at


def _rank(value: float) -> int:
    """The place of a double among all of them."""
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    return int(bits) if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF)


def _of_rank(rank: int) -> float:
    (value,) = struct.unpack("<d", struct.pack("<q", abs(rank)))
    return float(value) if rank >= 0 else -float(value)
