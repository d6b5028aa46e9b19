"""The arithmetic operators on atomic values (XQuery 3.1 §3.5, F&O 3.1 §4.2, §8.4, §9.7).

Two integers or two doubles are answered at once. Otherwise xs:untypedAtomic becomes xs:double, two numbers
are promoted to their common type, and dates and durations are looked up by their pair of classes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from xylem.errors import DynamicError

from . import arithmetic_numbers as numbers
from .arithmetic_numbers import NUMERIC_RANK
from .atomic import type_name
from .casting_numbers import parse_double
from .datetimes import CalendarValue
from .strings import UntypedAtomic
from .temporal_arithmetic import ADD, DIVIDE, MULTIPLY, SUBTRACT, difference

Operation = Callable[[Any, Any], Any]
Pairs = dict[tuple[type, type], Operation]


def add(a: Any, b: Any) -> Any:
    """a + b"""
    cls = type(a)
    if cls is type(b) and (cls is int or cls is float):
        return a + b
    return _apply("+", numbers.add, ADD, a, b)


def subtract(a: Any, b: Any, implicit_timezone_minutes: int = 0) -> Any:
    """a - b. The implicit timezone counts where only one of two dates or times has a timezone."""
    cls = type(a)
    if cls is type(b) and (cls is int or cls is float):
        return a - b
    if isinstance(a, CalendarValue) and isinstance(b, CalendarValue):
        return difference(a, b, implicit_timezone_minutes)
    return _apply("-", numbers.subtract, SUBTRACT, a, b)


def multiply(a: Any, b: Any) -> Any:
    """a * b"""
    cls = type(a)
    if cls is type(b):
        if cls is int:
            return numbers.multiply_integers(a, b)
        if cls is float:
            return a * b
    return _apply("*", numbers.multiply, MULTIPLY, a, b)


def divide(a: Any, b: Any) -> Any:
    """a div b"""
    return _apply("div", numbers.divide, DIVIDE, a, b)


def integer_divide(a: Any, b: Any) -> Any:
    """a idiv b"""
    if type(a) is int and type(b) is int and a >= 0 and b > 0:
        return a // b
    return _apply("idiv", numbers.integer_divide, _NONE, a, b)


def modulo(a: Any, b: Any) -> Any:
    """a mod b"""
    if type(a) is int and type(b) is int and a >= 0 and b > 0:
        return a % b
    return _apply("mod", numbers.modulo, _NONE, a, b)


def negate(a: Any) -> Any:
    """-a"""
    if type(a) is UntypedAtomic:
        a = parse_double(a)
    if type(a) not in NUMERIC_RANK:
        raise DynamicError("XPTY0004", f"unary minus needs a number, not {type_name(a)}")
    return numbers.negate(a)


def plus(a: Any) -> Any:
    """+a: the number itself, an integer subtype as xs:integer."""
    if type(a) is UntypedAtomic:
        return parse_double(a)
    rank = NUMERIC_RANK.get(type(a))
    if rank is None:
        raise DynamicError("XPTY0004", f"unary plus needs a number, not {type_name(a)}")
    return int(a) if rank == 0 else a


_NONE: Pairs = {}
_OF_DOUBLES: dict[str, Operation] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
"""Operations that Python performs like XQuery."""


def _apply(sign: str, on_numbers: Operation, on_others: Pairs, a: Any, b: Any) -> Any:
    if type(a) is UntypedAtomic:
        a = parse_double(a)
    if type(b) is UntypedAtomic:
        b = parse_double(b)
    if type(a) is float and type(b) is float and sign in _OF_DOUBLES:
        return _OF_DOUBLES[sign](a, b)
    if type(a) in NUMERIC_RANK and type(b) in NUMERIC_RANK:
        return on_numbers(a, b)
    operation = on_others.get((type(a), type(b)))
    if operation is None:
        raise DynamicError("XPTY0004", f"{type_name(a)} {sign} {type_name(b)} is not defined")
    return operation(a, b)
