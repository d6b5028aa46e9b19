"""fn:distinct-values and fn:index-of (F&O 3.1 §14.2): values that are equal, of whatever types."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from xylem.values.collations import CODEPOINT
from xylem.values.comparison import grouping_key
from xylem.values.strings import UntypedAtomic

from .comparing_strings import chosen_collation
from .context import Context
from .registry import function

KeyFunction = Callable[[Any], Hashable]

_STRINGS = frozenset((str, UntypedAtomic))
"""Values that Python distinguishes like the codepoint collation."""


@function("fn:distinct-values", "xs:anyAtomicType*, xs:string", "xs:anyAtomicType*", lazy="values", context=True)
def distinct_values(ctx: Context, values: Iterable[Any], uri: str | None = None) -> Iterable[Any]:
    is_plain = chosen_collation(ctx, uri) is CODEPOINT
    if type(values) is range:
        return values
    if is_plain and type(values) in (list, tuple) and _STRINGS.issuperset(map(type, values)):
        return list(dict.fromkeys(values))
    return _first_occurrences(values, key_function(ctx, uri))


def key_function(ctx: Context, uri: str | None) -> KeyFunction:
    """The key by which values are distinguished in a collation."""
    chosen = chosen_collation(ctx, uri)
    collation = None if chosen is CODEPOINT else chosen
    timezone = ctx.run.implicit_timezone_minutes
    return lambda value: grouping_key(value, collation, timezone)


def _first_occurrences(values: Iterable[Any], key_of: KeyFunction) -> Iterator[Any]:
    seen = set()
    for value in values:
        key = key_of(value)
        if key not in seen:
            seen.add(key)
            yield value


@function("fn:index-of", "xs:anyAtomicType*, xs:anyAtomicType, xs:string", "xs:integer*", lazy="values", context=True)
def index_of(ctx: Context, values: Iterable[Any], search: Any, uri: str | None = None) -> Iterable[int]:
    key_of = key_function(ctx, uri)
    if search != search:  # NaN equals nothing here, unlike in fn:distinct-values.
        return ()
    if type(values) is range and type(search) is int:
        return (values.index(search) + 1,) if search in values else ()
    wanted = key_of(search)
    return (position for position, value in enumerate(values, 1) if key_of(value) == wanted)
