"""The constants of a condition, and the exact number that a comparison uses for each."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import isfinite

from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast
from xylem.values.numbers import to_double

from .moments import Moment, moment

Number = int | Decimal | float
Constant = Number | str | Moment
MOST_CONSTANTS = 32
"""Ranges of more integers are not compared one by one."""


def constants_of(expr: ast.Expr) -> list[Constant] | None:
    """The constants of one side of a comparison; None if it is not constant."""
    text = constant_text(expr)
    if text is not None:
        return [text]
    if isinstance(expr, ast.Range):
        ends = constant_number(expr.left), constant_number(expr.right)
        if isinstance(ends[0], int) and isinstance(ends[1], int) and ends[1] - ends[0] < MOST_CONSTANTS:
            return list(range(ends[0], ends[1] + 1))
        return None
    if isinstance(expr, ast.SequenceExpr):
        found = [constants_of(item) for item in expr.items]
        return None if None in found else [one for part in found if part is not None for one in part]
    number = constant_number(expr)
    if number is not None:
        return [number]
    at = moment(expr)
    return None if at is None else [at]


def constant_text(expr: ast.Expr) -> str | None:
    """A literal, or literals put together by concat() or ||."""
    match expr:
        case ast.StringLiteral(value=value):
            return value
        case ast.StringConcat(left=left, right=right):
            parts = [constant_text(left), constant_text(right)]
        case ast.FunctionCall(name=name, arguments=arguments) if name.expanded == (FN, "concat"):
            parts = [constant_text(one) for one in arguments]
        case _:
            return None
    return None if None in parts else "".join(one for one in parts if one is not None)


def constant_number(expr: ast.Expr) -> Number | None:
    """The value of a numeric constant, and of sums and products of constants."""
    match expr:
        case ast.IntegerLiteral(value=value) | ast.DecimalLiteral(value=value) | ast.DoubleLiteral(value=value):
            return value
        case ast.SequenceExpr(items=(item,)):
            return constant_number(item)
        case ast.Unary(op=op, operand=operand):
            inner = constant_number(operand)
            return None if inner is None else -inner if op.count("-") % 2 else inner
        case ast.Arithmetic(op=op, left=left, right=right):
            return _computed(op, constant_number(left), constant_number(right))
        case ast.CastAs(operand=argument, type=ast.SingleType(name=ast.Name() as name)):
            return constant_number(ast.FunctionCall(name, (argument,)))
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(argument,)) if uri == PREFIXES["xs"]:
            inner = constant_number(argument)
            if local == "double":
                return None if inner is None else to_double(inner)
            return inner if local == "decimal" and not isinstance(inner, float) else None
    return None


def _computed(op: str, left: Number | None, right: Number | None) -> Number | None:
    if left is None or right is None or op not in ("+", "-", "*", "div"):
        return None
    if isinstance(left, float) or isinstance(right, float):
        one, other = to_double(left), to_double(right)
        if op == "div":
            return one / other if other else None
        return one + other if op == "+" else one - other if op == "-" else one * other
    if op == "div":
        # Only values that a decimal represents exactly: the rounding of quotients is not known here.
        if not right:
            return None
        quotient = Fraction(left) / Fraction(right)
        return _short_decimal(quotient)
    exact = (Fraction(left), Fraction(right))
    total = exact[0] + exact[1] if op == "+" else exact[0] - exact[1] if op == "-" else exact[0] * exact[1]
    if isinstance(left, int) and isinstance(right, int):
        return int(total)
    return _short_decimal(total)


def _short_decimal(value: Fraction) -> Decimal | None:
    """A number of few digits as a decimal; None for one with infinitely many, or too many."""
    scaled = value * 10**15
    if scaled.denominator != 1 or abs(scaled.numerator) >= 10**27:
        return None
    return Decimal(scaled.numerator).scaleb(-15)


def in_view(constant: Constant, view: str) -> Fraction | None:
    """The number that values of a view are compared with; None if the comparison would change the values."""
    if isinstance(constant, (str, Moment)):
        return None
    if view == "double":
        number = to_double(constant)
        return Fraction(number) if isfinite(number) else None
    if isinstance(constant, float):
        # Exact values would become doubles.
        return None
    return Fraction(constant)
