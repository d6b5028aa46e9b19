"""Compare two pairs by one order, whatever the types of its values: the definition, without any index.

By `min`, a pair is as good as another one if its value is not greater; by a function, if the function returns true or a
number that is not positive. A pair with an empty value or NaN is no candidate (thesis, 4.2.1; docs/best-match.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from xylem.errors import DynamicError, XylemError
from xylem.values.atomic import type_name
from xylem.values.atomic_type import DOUBLE
from xylem.values.atomize import atomize
from xylem.values.casting import cast
from xylem.values.comparison import grouping_key
from xylem.values.families import CALENDAR, FAMILY_OF, Family
from xylem.values.ordering import order_key
from xylem.values.strings import UntypedAtomic
from xylem.values.value_comparison import value_compare

NO_CANDIDATE = None
Row = Sequence[Any]
"""The variables of one side of a pair."""


class Criterion(Protocol):
    """One order of a join."""

    def of(self, left: Row, right: Row) -> Any:
        """The compared values of a pair; None if it is no candidate."""

    def is_as_good(self, one: Any, other: Any) -> bool:
        """Whether the pair of `one` is as good as the pair of `other`."""


def order_value(value: Any) -> Any:
    """The value that an order compares: a number, a duration, a date or time; None for the empty sequence and NaN."""
    if value is None:
        return None
    if type(value) is UntypedAtomic:
        value = cast(value, DOUBLE)
    family = FAMILY_OF[type(value)]
    if family == Family.NUMBER:
        return value if value == value else None
    if family in CALENDAR or family == Family.DURATION:
        return value
    raise DynamicError("FORG0001", f"an order compares numbers, durations, dates or times, not {type_name(value)}")


def checked_limit(values: Iterable[Any], what: str) -> Any:
    """The limit of an order; XYDY0013 if the value cannot be a limit."""
    found = list(atomize(values))
    if len(found) != 1:
        raise DynamicError("XYDY0013", f"{what} is {'empty' if not found else f'{len(found)} values'}")
    value = order_value(found[0])
    if value is None:
        raise DynamicError("XYDY0013", f"{what} is NaN")
    family = FAMILY_OF[type(value)]
    is_negative = value < 0 if family == Family.NUMBER else family == Family.DURATION and _is_negative(value)
    if is_negative:
        raise DynamicError("XYDY0013", f"{what} is negative")
    return value


def _is_negative(duration: Any) -> bool:
    return bool(duration.months < 0 or duration.seconds < 0)


HINTS = {
    "XPTY0004": "an order compares one value of each pair: choose one of several, as in $r/t[1] or min($r/t)",
    "FORG0001": "an order compares numbers, durations, dates or times; number($r/t) makes NaN of other texts, and a"
    " pair with NaN does not take part",
}


class Measured:
    """`(E) min` or `(E) max`, perhaps with a limit."""

    def __init__(self, value: Callable[[Row, Row], Any], direction: str, limit: Any, timezone: int) -> None:
        self._value = value
        self._is_min = direction == "min"
        self._limit = limit
        self._timezone = timezone
        self._family: Any = None

    def of(self, left: Row, right: Row) -> Any:
        try:
            value = order_value(self._value(left, right))
        except XylemError as error:
            error.hint = error.hint or HINTS.get(error.code, "")
            raise
        if value is None:
            return NO_CANDIDATE
        family = FAMILY_OF[type(value)]
        if self._family is None:
            self._family = family
        elif self._family != family:
            hint = "convert the values of all items to one type, such as number($r/t) or xs:dateTime($r/t)"
            raise DynamicError("XPTY0004", "the values of an order are not of one kind", hint=hint)
        if self._limit is not None:
            op = "le" if self._is_min else "ge"
            if not value_compare(op, value, self._limit, None, self._timezone):
                return NO_CANDIDATE
        return order_key(value, None, self._timezone)

    def is_as_good(self, one: Any, other: Any) -> bool:
        return bool(one <= other if self._is_min else one >= other)


class Compared:
    """`($r/a, $s/b) function`: a comparison by a user's function. Operands are computed once for each item."""

    is_transitive = False

    def __init__(
        self,
        left: Callable[[Row], Sequence[Any]] | None,
        right: Callable[[Row], Sequence[Any]] | None,
        compare: Callable[[Any, Any, Any, Any], Any],
        what: str,
    ) -> None:
        self._left = _remembered(left)
        self._right = _remembered(right)
        self._compare = compare
        self._what = what

    def of(self, left: Row, right: Row) -> Any:
        return self._left(left), self._right(right)

    def is_as_good(self, one: Any, other: Any) -> bool:
        found = list(atomize(self._compare(*one, *other)))
        if not found:
            return False
        if len(found) > 1 or not isinstance(found[0], (bool, int)):
            told = f"{len(found)} values" if len(found) > 1 else type_name(found[0])
            hint = "return true() where the first pair is as good as the second, or an integer up to 0"
            raise DynamicError("XPTY0004", f"{self._what} gives {told}, not xs:boolean?, or xs:integer?", hint=hint)
        return found[0] if isinstance(found[0], bool) else found[0] <= 0


class Subset:
    """`($r/a, $s/b) subset`: a pair is as good as another one whose common values it has too (definition 4.2.2)."""

    is_transitive = True

    def __init__(
        self, left: Callable[[Row], Sequence[Any]], right: Callable[[Row], Sequence[Any]], timezone: int
    ) -> None:
        def keys(of: Callable[[Row], Sequence[Any]]) -> Callable[[Row], frozenset[Any]]:
            return _remembered(lambda row: frozenset(grouping_key(one, None, timezone) for one in atomize(of(row))))

        self._left = keys(left)
        self._right = keys(right)

    def of(self, left: Row, right: Row) -> Any:
        return self._left(left) & self._right(right)

    def is_as_good(self, one: Any, other: Any) -> bool:
        return bool(other <= one)


_MOST_REMEMBERED = 1 << 17


def _remembered(of: Callable[[Row], Any] | None) -> Callable[[Row], Any]:
    """Caches a function of one side: it is called once for each row, up to a number of rows."""
    if of is None:
        return lambda row: ()
    known: dict[int, tuple[Row, Any]] = {}

    def once(row: Row) -> Any:
        found = known.get(id(row))
        if found is None or found[0] is not row:
            if len(known) >= _MOST_REMEMBERED:
                known.clear()
            # Keeping the row prevents another row from getting the same id().
            found = known[id(row)] = row, of(row)
        return found[1]

    return once
