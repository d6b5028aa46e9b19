"""fn:max and fn:min (F&O 3.1 §14.4.3, §14.4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from xylem.errors import DynamicError
from xylem.values import atomic_type as at
from xylem.values.atomic import promote
from xylem.values.casting_numbers import parse_double
from xylem.values.collations import CODEPOINT
from xylem.values.datetimes import Date
from xylem.values.description import describe_item
from xylem.values.families import Family
from xylem.values.numbers import Float
from xylem.values.saved_state import saved
from xylem.values.strings import AnyURI, UntypedAtomic

from .comparing_strings import chosen_collation
from .context import Context
from .order_keys import ORDER_FAMILY, OrderFamily, key_of_family
from .registry import function

_RUN = 4096
"""Number of values processed together: enough for Python's own loops, too few to matter in memory."""

Choose = Callable[..., Any]
"""Python's max or min: of equal values both keep the first."""


@function("fn:max", "xs:anyAtomicType*, xs:string", "xs:anyAtomicType?", lazy="values", context=True)
def max_(ctx: Context, values: Iterable[Any], uri: str | None = None) -> Any:
    if type(values) is range and values:
        return max(values[0], values[-1])
    if uri is None and type(values) in (list, tuple):
        found = _of_few(values, max)  # type: ignore[arg-type]  # asked before
        if found is not NotImplemented:
            return found
    return Extreme(ctx, uri, max, "fn:max").of(values)


@function("fn:min", "xs:anyAtomicType*, xs:string", "xs:anyAtomicType?", lazy="values", context=True)
def min_(ctx: Context, values: Iterable[Any], uri: str | None = None) -> Any:
    if type(values) is range and values:
        return min(values[0], values[-1])
    if uri is None and type(values) in (list, tuple):
        found = _of_few(values, min)  # type: ignore[arg-type]  # asked before
        if found is not NotImplemented:
            return found
    return Extreme(ctx, uri, min, "fn:min").of(values)


def _of_few(values: Sequence[Any], choose: Choose) -> Any:
    """The extreme in simple cases: none, one value, integers, dates without timezone; or NotImplemented."""
    if len(values) < 2:
        if not values:
            return None
        kind = type(values[0])
        return values[0] if kind is not UntypedAtomic and kind in ORDER_FAMILY else NotImplemented
    kinds = set(map(type, values))
    if kinds == _INTEGERS:
        return choose(values)
    if kinds == _DAYS and [value.timezone_minutes for value in values].count(None) == len(values):
        return choose(values, key=_DAY)
    return NotImplemented


_INTEGERS, _DAYS = {int}, {Date}
_DAY = attrgetter("year", "month", "day")


@saved("extreme", 1, fields=("best", "family", "kinds", "has_nan"), afterwards="choose_key")
class Extreme:
    """The largest or smallest value so far, with the facts found on the way."""

    def __init__(self, ctx: Context, uri: str | None, choose: Choose, name: str) -> None:
        collation = chosen_collation(ctx, uri)
        self.collation = None if collation is CODEPOINT else collation
        self.implicit_tz = ctx.run.implicit_timezone_minutes
        self.choose = choose
        self.name = name
        self.best: Any = None
        self.family: OrderFamily | None = None
        self.key: Callable[[Any], Any] | None = None
        self.kinds: set[type] = set()
        self.has_nan = False

    def choose_key(self) -> None:
        """The comparison of values, which follows from their family."""
        self.key = None if self.family is None else key_of_family(self.family, self.collation, self.implicit_tz)

    def of(self, values: Iterable[Any]) -> Any:
        rest = iter(values)
        while run := list(islice(rest, _RUN)):
            self.take(run)
        return self.result()

    def result(self) -> Any:
        """The extreme value of all values taken."""
        if self.family is Family.NUMBER:
            return self.as_common_number()
        if type(self.best) is AnyURI and len(self.kinds) > 1:
            return str(self.best)
        return self.best

    def take(self, run: list[Any]) -> None:
        kinds = set(map(type, run))
        if UntypedAtomic in kinds:
            run = [parse_double(value) if type(value) is UntypedAtomic else value for value in run]
            kinds = set(map(type, run))
        if self.family is None:
            self.begin(run[0])
        for kind in kinds:
            if ORDER_FAMILY.get(kind) is not self.family:
                raise self.incomparable(run)
        self.kinds |= kinds
        if kinds == _INTEGERS:
            run = [self.choose(run)]
        elif self.family is Family.NUMBER:
            numbers = [value for value in run if value == value]
            self.has_nan = self.has_nan or len(numbers) < len(run)
            run = numbers
        if run:
            best = self.choose(run, key=self.key)
            self.best = best if self.best is None else self.choose(self.best, best, key=self.key)

    def begin(self, first: Any) -> None:
        self.family = ORDER_FAMILY.get(type(first))
        if self.family is None:
            raise DynamicError("FORG0006", f"{self.name}: {describe_item(first)} has no order")
        self.key = key_of_family(self.family, self.collation, self.implicit_tz)

    def incomparable(self, run: list[Any]) -> DynamicError:
        odd = next(value for value in run if ORDER_FAMILY.get(type(value)) is not self.family)
        first = run[0] if self.best is None else self.best
        return DynamicError("FORG0006", f"{self.name}: {describe_item(odd)} among values like {describe_item(first)}")

    def as_common_number(self) -> Any:
        """The result in the type that all the numbers are promoted to."""
        best = float("nan") if self.has_nan else self.best
        if float in self.kinds:
            return promote(best, at.DOUBLE)
        if Float in self.kinds:
            return Float(best) if self.has_nan else promote(best, at.FLOAT)
        return best
