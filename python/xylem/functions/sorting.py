"""fn:sort (F&O 3.1 §16.2.6) and array:sort (§17.3.17): stable, by sequences of atomic keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key
from typing import Any

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.atomize import atomize
from xylem.values.collations import CODEPOINT
from xylem.values.comparison import grouping_key
from xylem.values.description import describe_item
from xylem.values.families import Family
from xylem.values.function_item import FunctionItem

from .comparing_strings import chosen_collation
from .context import Context
from .order_keys import ORDER_FAMILY, key_of_family
from .registry import function

_STRINGS = {str}
"""Values that Python sorts like the codepoint collation."""

Keys = list[Any]
"""A sort key: atomic values, compared from the first on; a prefix comes first."""


@function("fn:sort", "item()*, xs:string?, function(item()) as xs:anyAtomicType*", "item()*", context=True)
def sort(ctx: Context, sequence: Sequence[Any], uri: str | None = None, key: FunctionItem | None = None) -> list[Any]:
    order = _Order(ctx, uri)
    if key is None:
        if order.collation is None and set(map(type, sequence)) == _STRINGS:
            return sorted(sequence)
        return order.sorted_by([list(atomize((item,))) for item in sequence], sequence)
    call = key.call
    return order.sorted_by([list(call(item)) for item in sequence], sequence)


@function("array:sort", "array(*), xs:string?, function(item()*) as xs:anyAtomicType*", "array(*)", context=True)
def array_sort(ctx: Context, array: XArray, uri: str | None = None, key: FunctionItem | None = None) -> XArray:
    order = _Order(ctx, uri)
    key_of: Callable[[Sequence[Any]], Iterable[Any]] = atomize if key is None else key.call
    members = array.members()
    return XArray(order.sorted_by([list(key_of(member)) for member in members], members))


class _Order:
    """The order of sort keys under a collation and an implicit timezone."""

    def __init__(self, ctx: Context, uri: str | None) -> None:
        collation = chosen_collation(ctx, uri)
        self.collation = None if collation is CODEPOINT else collation
        self.implicit_tz = ctx.run.implicit_timezone_minutes

    def sorted_by(self, keys: list[Keys], things: Sequence[Any]) -> list[Any]:
        """Things sorted by their keys."""
        if len(things) < 2:
            return list(things)
        plain = self.plain_keys(keys)
        if plain is None:
            comparable = cmp_to_key(self.compare)
            plain = [comparable(key) for key in keys]
        order = sorted(range(len(things)), key=plain.__getitem__)
        return [things[i] for i in order]

    def plain_keys(self, keys: list[Keys]) -> list[Any] | None:
        """Keys that Python sorts directly; None if lengths differ, or families of values at one position."""
        width = len(keys[0])
        if width == 0 or any(len(key) != width for key in keys):
            return None
        columns = []
        for i in range(width):
            column = self.plain_column([key[i] for key in keys])
            if column is None:
                return None
            columns.append(column)
        return columns[0] if width == 1 else list(zip(*columns, strict=True))

    def plain_column(self, values: list[Any]) -> list[Any] | None:
        families = {ORDER_FAMILY.get(kind) for kind in set(map(type, values))}
        family = families.pop()
        if families or family is None:
            return None
        if family is Family.NUMBER:
            if all(value == value for value in values):
                return values
            # NaN comes before all other numbers.
            return [(value == value, value if value == value else 0) for value in values]
        key = key_of_family(family, self.collation, self.implicit_tz)
        return values if key is None else [key(value) for value in values]

    def compare(self, a: Keys, b: Keys) -> int:
        """-1, 0 or 1; XPTY0004 if the deciding comparison is between values without a common order."""
        for x, y in zip(a, b, strict=False):
            if grouping_key(x, self.collation, self.implicit_tz) != grouping_key(y, self.collation, self.implicit_tz):
                return self.compare_unequal(x, y)
        return (len(a) > len(b)) - (len(a) < len(b))

    def compare_unequal(self, x: Any, y: Any) -> int:
        family = ORDER_FAMILY.get(type(x))
        if family is None or ORDER_FAMILY.get(type(y)) is not family:
            raise DynamicError("XPTY0004", f"{describe_item(x)} and {describe_item(y)} have no common order to sort by")
        if x != x or y != y:
            return -1 if x != x else 1
        key = key_of_family(family, self.collation, self.implicit_tz)
        less = x < y if key is None else key(x) < key(y)
        return -1 if less else 1
