"""Value comparisons: eq, ne, lt, le, gt, ge on two atomic values (XQuery 3.1 §3.7.1).

Two values of one family are turned into operands that Python's own operators compare rightly, NaN included.
A collation of None is the codepoint collation; xs:untypedAtomic counts as xs:string here.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from xylem.errors import DynamicError

from .arithmetic_numbers import DECIMAL, DOUBLE, NUMERIC_RANK
from .atomic import type_name
from .durations import Duration
from .families import CALENDAR, EQUALITY_ONLY, FAMILY_OF, Family
from .numbers import Float, to_double
from .strings import UntypedAtomic

if TYPE_CHECKING:
    from .collations import Collation

_PLAIN = frozenset({int, float, bool, Decimal})
"""Classes whose values Python compares like XQuery."""


def eq(a: Any, b: Any, collation: Collation | None = None, implicit_tz: int = 0) -> bool:
    cls = type(a)
    if cls is type(b) and (cls in _PLAIN or (cls is str and collation is None)):
        return a == b  # type: ignore[no-any-return]
    x, y = _operands(a, b, collation, implicit_tz)
    return x == y  # type: ignore[no-any-return]


def ne(a: Any, b: Any, collation: Collation | None = None, implicit_tz: int = 0) -> bool:
    cls = type(a)
    if cls is type(b) and (cls in _PLAIN or (cls is str and collation is None)):
        return a != b  # type: ignore[no-any-return]
    x, y = _operands(a, b, collation, implicit_tz)
    return x != y  # type: ignore[no-any-return]


def lt(a: Any, b: Any, collation: Collation | None = None, implicit_tz: int = 0) -> bool:
    cls = type(a)
    if cls is type(b) and (cls in _PLAIN or (cls is str and collation is None)):
        return a < b  # type: ignore[no-any-return]
    x, y = _ordered_operands(a, b, collation, implicit_tz)
    return x < y  # type: ignore[no-any-return]


def le(a: Any, b: Any, collation: Collation | None = None, implicit_tz: int = 0) -> bool:
    cls = type(a)
    if cls is type(b) and (cls in _PLAIN or (cls is str and collation is None)):
        return a <= b  # type: ignore[no-any-return]
    x, y = _ordered_operands(a, b, collation, implicit_tz)
    return x <= y  # type: ignore[no-any-return]


def gt(a: Any, b: Any, collation: Collation | None = None, implicit_tz: int = 0) -> bool:
    return lt(b, a, collation, implicit_tz)


def ge(a: Any, b: Any, collation: Collation | None = None, implicit_tz: int = 0) -> bool:
    return le(b, a, collation, implicit_tz)


Comparison = Callable[..., bool]

OPERATORS: dict[str, Comparison] = {"eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge}


def value_compare(op: str, a: Any, b: Any, collation: Collation | None = None, implicit_tz: int = 0) -> bool:
    """A comparison by the name of its operator."""
    return OPERATORS[op](a, b, collation, implicit_tz)


def _operands(a: Any, b: Any, collation: Collation | None, implicit_tz: int) -> tuple[Any, Any]:
    """Operands for Python's `==`, for values of any one family."""
    family = FAMILY_OF[type(a)]
    if family != FAMILY_OF[type(b)]:
        raise not_comparable(a, b)
    if family == Family.STRING:
        return (a, b) if collation is None else (collation.compare(a, b), 0)
    if family == Family.NUMBER:
        return number_operands(a, b)
    if family in CALENDAR:
        return a.compare_key(implicit_tz), b.compare_key(implicit_tz)
    return a, b


def _ordered_operands(a: Any, b: Any, collation: Collation | None, implicit_tz: int) -> tuple[Any, Any]:
    """Operands for Python's `<` and `<=`, if the family has an order."""
    family = FAMILY_OF[type(a)]
    if family == Family.STRING or family == Family.NUMBER:
        return _operands(a, b, collation, implicit_tz)
    if family != FAMILY_OF[type(b)] or family in EQUALITY_ONLY:
        raise not_comparable(a, b)
    if family in CALENDAR:
        return a.compare_key(implicit_tz), b.compare_key(implicit_tz)
    if family == Family.BOOLEAN:
        return a, b
    if family == Family.DURATION:
        # Months and seconds have no common measure: only equal subtypes have an order.
        if type(a) is not type(b) or type(a) is Duration:
            raise not_comparable(a, b)
        return (a.months, a.seconds), (b.months, b.seconds)
    return a.value, b.value


def number_operands(a: Any, b: Any) -> tuple[Any, Any]:
    """Two numbers promoted to their common type (XQuery 3.1 §B.1); integers and decimals compare exactly."""
    rank_a, rank_b = NUMERIC_RANK[type(a)], NUMERIC_RANK[type(b)]
    if rank_a == rank_b or (rank_a <= DECIMAL and rank_b <= DECIMAL):
        return a, b
    if rank_a == DOUBLE or rank_b == DOUBLE:
        return to_double(a), to_double(b)
    return Float(to_double(a)), Float(to_double(b))


def not_comparable(a: Any, b: Any) -> DynamicError:
    told = f"{type_name(a)} and {type_name(b)} cannot be compared this way"
    if UntypedAtomic in (type(a), type(b)):
        # eq, lt, … treat untyped content as a string, whatever it is compared with; =, <, … give it the other operand's
        # type.
        hint = "convert untyped content, as by xs:integer(…), or use = != < <= > >="
        return DynamicError("XPTY0004", told, hint=hint)
    return DynamicError("XPTY0004", told)
