"""General comparisons: =, !=, <, <=, >, >= between two sequences of atomic values (XQuery 3.1 §3.7.2).

They hold if some pair does; pairs are tried until one does. An xs:untypedAtomic takes the type of the other value: a
number makes it xs:double, a string or another untyped value xs:string.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .atomic import CLASS_OF, NUMERIC_CLASSES, TYPE_OF_CLASS
from .atomic_type import AtomicType
from .casting import cast
from .casting_numbers import parse_double
from .durations import DayTimeDuration, YearMonthDuration
from .numbers import to_double
from .strings import UntypedAtomic
from .value_comparison import Comparison, eq, ge, gt, le, lt, ne

if TYPE_CHECKING:
    from .collations import Collation

Test = Callable[[Any, Any], bool]

_OPERATORS: dict[str, tuple[Comparison, Test, str]] = {
    "=": (eq, operator.eq, "="),
    "!=": (ne, operator.ne, "!="),
    "<": (lt, operator.lt, ">"),
    "<=": (le, operator.le, ">="),
    ">": (gt, operator.gt, "<"),
    ">=": (ge, operator.ge, "<="),
}
"""For each operator: the value comparison, Python's own, and the operator for swapped sides."""

_STRINGS = frozenset({str, UntypedAtomic})
_SET_PAYS_FROM = 5


def general_compare(
    op: str,
    left: Iterable[Any],
    right: Iterable[Any],
    collation: Collation | None = None,
    implicit_tz: int = 0,
) -> bool:
    """Whether some pair of the two sides compares this way. Both sides are atomized already; one may be lazy."""
    if not isinstance(right, (list, tuple, range)):
        if isinstance(left, (list, tuple, range)):
            return _compare(_OPERATORS[op][2], right, left, collation, implicit_tz)
        right = list(right)
    return _compare(op, left, right, collation, implicit_tz)


def _compare(op: str, left: Iterable[Any], right: Sequence[Any], collation: Collation | None, implicit_tz: int) -> bool:
    if not right:
        return False
    if len(right) == 1:
        return _with_one(op, left, right[0], collation, implicit_tz)
    if isinstance(left, (list, tuple)) and len(left) == 1:
        return _with_one(_OPERATORS[op][2], right, left[0], collation, implicit_tz)
    if op == "=" and collation is None and len(right) >= _SET_PAYS_FROM and _all_strings(right):
        return _meets_strings(left, right, implicit_tz)
    compare = _OPERATORS[op][0]
    return any(pair_holds(compare, a, b, collation, implicit_tz) for a in left for b in right)


def _with_one(op: str, many: Iterable[Any], one: Any, collation: Collation | None, implicit_tz: int) -> bool:
    """Some item compared with one: by far the most frequent case."""
    compare, test, _ = _OPERATORS[op]
    cls = type(one)
    if cls is int or cls is float:
        if cls is int and type(many) is range and op == "=":
            return one in many
        return _with_number(compare, test, many, one, implicit_tz)
    if cls in _STRINGS and collation is None:
        for item in many:
            if type(item) in _STRINGS:
                if test(item, one):
                    return True
            elif pair_holds(compare, item, one, None, implicit_tz):
                return True
        return False
    return any(pair_holds(compare, item, one, collation, implicit_tz) for item in many)


def _with_number(compare: Comparison, test: Test, many: Iterable[Any], one: Any, implicit_tz: int) -> bool:
    cls = type(one)
    double = to_double(one)
    for item in many:
        if type(item) is UntypedAtomic:
            if test(parse_double(item), double):
                return True
        elif type(item) is float:
            if test(item, double):
                return True
        elif type(item) is cls:
            if test(item, one):
                return True
        elif compare(item, one, None, implicit_tz):
            return True
    return False


def _all_strings(items: Sequence[Any]) -> bool:
    return not isinstance(items, range) and all(type(item) in _STRINGS for item in items)


def _meets_strings(left: Iterable[Any], right: Sequence[Any], implicit_tz: int) -> bool:
    """`=` against many strings: one lookup for each item instead of a comparison for each pair."""
    wanted = set(right)
    for item in left:
        if type(item) in _STRINGS:
            if item in wanted:
                return True
        elif any(pair_holds(eq, item, other, None, implicit_tz) for other in right):
            return True
    return False


def pair_holds(compare: Comparison, a: Any, b: Any, collation: Collation | None, implicit_tz: int) -> bool:
    """One pair, after the conversions of xs:untypedAtomic."""
    if type(a) is UntypedAtomic:
        if type(b) is not UntypedAtomic:
            a = _as_type_of(b, a)
    elif type(b) is UntypedAtomic:
        b = _as_type_of(a, b)
    return compare(a, b, collation, implicit_tz)


def _as_type_of(model: Any, untyped: UntypedAtomic) -> Any:
    cls = type(model)
    if cls is str:
        return untyped
    if cls in NUMERIC_CLASSES:
        return parse_double(untyped)
    return cast(untyped, _target(cls))


def _target(cls: type) -> AtomicType:
    """The two durations with an order keep their type, others go to their primitive type."""
    type_ = TYPE_OF_CLASS[cls]
    return type_ if cls in (YearMonthDuration, DayTimeDuration) else type_.primitive


def join_key(value: Any) -> Any:
    """A hash key that is equal for strings and untyped values that are `=`; None: compare pair by pair.

    Only for sides with nothing but strings and untyped values: against a number, an untyped value is a number.
    """
    return value if type(value) in _STRINGS or CLASS_OF.get(TYPE_OF_CLASS[type(value)].primitive) is str else None
