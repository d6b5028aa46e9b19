"""Windows by key: each value of a key has windows of its own, all over one pass of the items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from xylem.errors import DynamicError
from xylem.values.comparison import grouping_key

from .cursor import Window


def partitioned(
    items: Iterable[Any],
    key_of: Callable[[Any], Any],
    make: Callable[[Any], Any],
    limit: int,
    implicit_tz: int,
    keeps_empty: bool = False,
    forgets: bool = False,
) -> Iterator[Window]:
    """The windows of all keys, each preceded by its key, as soon as they end. `keeps_empty`: no key is a key, too.

    Holds:  a cursor for each key that has come, or with `forgets` for those that have open windows; at most `limit`,
            XYDY0010 beyond.
    Order:  that in which windows end; when the input ends, by the first items of the keys since they had no window.
    """
    cursors: dict[Any, tuple[Any, Any]] = {}
    for item in items:
        key = key_of(item)
        if key is None and not keeps_empty:
            continue
        group = None if key is None else grouping_key(key, None, implicit_tz)
        found = cursors.get(group)
        if found is None:
            if len(cursors) >= limit:
                raise DynamicError("XYDY0010", f"windows for more than {limit:,} different keys")
            found = cursors[group] = key, make(key)
        elif found[1].is_idle:
            # It begins anew, behind the others.
            cursors[group] = cursors.pop(group)
        for window in found[1].push(item):
            yield (found[0], *window)
        if forgets and found[1].is_idle:
            del cursors[group]
    for key, cursor in cursors.values():
        for window in cursor.finish():
            yield (key, *window)
