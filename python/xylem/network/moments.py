"""Dates and times of a record: constants, and the values that they are compared with.

        xs:date($record/when) >= xs:date("2024-01-01")      $record/when > xs:dateTime("2024-01-01T00:00:00Z")

Values of one type are in one order, whatever the implicit timezone is. Where that lies decides only how constants with
a timezone stand to those without: they count as different *views* of a value, which are not compared with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from xylem.errors import XylemError
from xylem.functions.constructors import constructor
from xylem.functions.registry import PREFIXES
from xylem.syntax import ast
from xylem.values.atomic_type import ATOMIC_TYPES

TYPES = ("date", "dateTime", "time")


@dataclass(frozen=True)
class Moment:
    """A constant of one of the types."""

    type: str
    text: str
    """As it is written in a query."""
    at: Fraction
    """Seconds from a fixed moment, if without a timezone in whatever timezone there is."""
    has_timezone: bool

    @property
    def view(self) -> str:
        return f"{self.type} with a timezone" if self.has_timezone else self.type


def moment(expr: ast.Expr) -> Moment | None:
    """xs:date("2024-01-01") as a constant."""
    found = constructed(expr)
    if found is None or not isinstance(found[1], ast.StringLiteral):
        return None
    kind, text = found[0], found[1].value
    try:
        value = constructor(ATOMIC_TYPES[kind])(text)
    except XylemError:
        return None
    assert value is not None
    minutes, seconds = value.compare_key()
    return Moment(kind, text, minutes * 60 + Fraction(seconds), value.timezone_minutes is not None)


def literal_of(constant: Moment) -> ast.Expr:
    return ast.FunctionCall(ast.Name(constant.type, None, PREFIXES["xs"]), (ast.StringLiteral(constant.text),))


def constructed(expr: ast.Expr) -> tuple[str, ast.Expr, bool] | None:
    """The type, the value, and whether there may be none, of xs:date(E) and E cast as xs:date."""
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return constructed(item)
        case ast.FunctionCall(name=name, arguments=(argument,)):
            may_miss = True
        case ast.CastAs(operand=argument, type=kind):
            name, may_miss = kind.name, kind.optional
        case _:
            return None
    return (name.local, argument, may_miss) if name.uri == PREFIXES["xs"] and name.local in TYPES else None
