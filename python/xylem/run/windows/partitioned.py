"""Windows by key: each value of a key has windows of its own, all over one pass of the items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from xylem.errors import DynamicError
from xylem.values.comparison import grouping_key

from .cursor import Window
from .feed import PAUSE


def of_one_key(key_of: Callable[[Any], Any], keeps_empty: bool) -> Callable[[Any], Iterable[Any]]:
    """The keys of an item that has at most one. `keeps_empty`: no key is a key, too."""

    def keys_of(item: Any) -> Iterable[Any]:
        key = key_of(item)
        return () if key is None and not keeps_empty else (key,)

    return keys_of


class PartitionedCursor:
    """The windows of all keys, each preceded by its key and the number of that key, as soon as they end.

    Holds:  a cursor for each key seen, or with `forgets` for each key with open windows; at most `limit`, XYDY0010
            beyond.
    Order:  that in which windows end; when the input ends, by the first items of the keys since they had no window.
    """

    def __init__(
        self,
        keys_of: Callable[[Any], Iterable[Any]],
        make: Callable[[Any], Any],
        limit: int | None,
        implicit_tz: int,
        forgets: bool = False,
    ) -> None:
        """`keys_of`: the keys of an item; None for an item without keys that still has windows."""
        self._keys_of = keys_of
        self._make = make
        self._limit = limit
        self._implicit_tz = implicit_tz
        self._forgets = forgets
        self._cursors: dict[Any, tuple[Any, int, Any]] = {}
        self._count = 0

    def push(self, item: Any) -> Iterator[Window]:
        """The windows that can be returned after this item."""
        groups: set[Any] = set()
        for key in self._keys_of(item):
            group = None if key is None else grouping_key(key, None, self._implicit_tz)
            if group in groups:
                continue
            groups.add(group)
            key, number, cursor = self._of(group, key)
            for window in cursor.push(item):
                yield (number, key, *window)
            if self._forgets and cursor.is_idle:
                del self._cursors[group]

    def _of(self, group: Any, key: Any) -> tuple[Any, int, Any]:
        cursors = self._cursors
        found = cursors.get(group)
        if found is None:
            if self._limit is not None and len(cursors) >= self._limit:
                raise DynamicError("XYDY0010", f"windows for more than {self._limit:,} different keys")
            self._count += 1
            found = cursors[group] = key, self._count, self._make(key)
        elif found[2].is_idle:
            # The key starts anew, after the others.
            cursors[group] = cursors.pop(group)
        return found

    def finish(self) -> Iterator[Window]:
        """The windows that the end of the input completes."""
        for key, number, cursor in self._cursors.values():
            for window in cursor.finish():
                yield (number, key, *window)

    def held(self) -> Iterable[Any]:
        """The items that the windows of all keys keep."""
        return chain.from_iterable(cursor.held() for _, _, cursor in self._cursors.values())

    def held_count(self) -> int:
        """Number of held items."""
        return sum(cursor.held_count() for _, _, cursor in self._cursors.values())

    def over(self, items: Iterable[Any]) -> Iterator[Window]:
        """The windows over a sequence, finite or not; pauses are passed on."""
        for item in items:
            if item is PAUSE:
                yield PAUSE
            else:
                yield from self.push(item)
        yield from self.finish()
