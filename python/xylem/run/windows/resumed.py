"""Windows over a stream that arrives in batches: open windows are kept from one batch to the next.

A program over such a stream runs once per batch. Its window clause gets the windows that the items of the batch
complete; the cursor continues from that of the previous batch (`saved_cursor.py`). When the stream ends, one last run
gives the windows that are still open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from xylem.errors import DynamicError
from xylem.values.comparison import grouping_key
from xylem.values.saved_state import layout
from xylem.values.state_codec import CannotSave

from .cursor import Window
from .kept_items import KeptItems
from .saved_cursor import SavedCursor, load, save

Order = bytes
"""Place of an item in the stream; compared as bytes."""
AT_THE_END: Order = b"\xff" * 8
"""Sorts before the first item of a key: windows completed by the end of the stream come after all others."""
LIVE_CURSORS = 50_000
"""Most cursors kept in memory per state; those of other keys are rebuilt when an item arrives."""
WHOLE_STREAM = ()
"""The key of windows that are not by key."""


@dataclass
class KeyState:
    """The state of one key."""

    key: Any
    """Its value in the query's form."""
    first: Order
    """The place of its first item."""
    cursor: SavedCursor
    live: Any = None
    """The cursor itself, if it holds no items of the stream, which would keep their whole batch."""


@dataclass
class WindowState:
    """The state of some keys from batch to batch.

    Holds:  for each key a cursor, with the items of its open windows; at most `limit` keys, XYDY0010 beyond.
    """

    items: KeptItems = field(default_factory=KeptItems)
    keys: dict[Any, KeyState] = field(default_factory=dict)
    touched: set[Any] = field(default_factory=set)
    """The keys that have changed since the last save."""
    layout: str = ""
    """The layout of its cursors: cursors of another version are refused."""
    is_checked: bool = False
    saved_until: int = 0
    """The number of the first unsaved item."""
    event_time: Any = None
    """Items that wait for their turn in event time."""
    counts: dict[int, int] = field(default_factory=dict)
    """The state of each `count` clause."""
    live: int = 0
    """Number of cursors in memory."""

    def restored(self, group: Any, make: Callable[[], Any]) -> Any:
        """The cursor of a key, which continues from the previous batch."""
        found = self.keys.get(group)
        if found is not None and found.live is not None:
            return found.live
        fresh = make()
        if not self.is_checked:
            self._check_layout(fresh)
        if found is not None:
            load(found.cursor, fresh, self.items)
        return fresh

    def keep(self, group: Any, key: Any, first: Order, cursor: Any) -> None:
        """Keep a cursor until the next batch."""
        before = self.keys.get(group)
        saved = save(cursor, self.items)
        if before is not None:
            self._drop(before, saved.items)
        made = self.keys[group] = KeyState(key, first, saved)
        if not saved.items and self.live < LIVE_CURSORS:
            made.live = cursor
            self.live += 1
        self.touched.add(group)

    def forget(self, group: Any) -> None:
        """Drop all state of a key."""
        before = self.keys.pop(group, None)
        if before is not None:
            self._drop(before)
            self.touched.add(group)

    def _drop(self, before: KeyState, still: Iterable[int] = ()) -> None:
        if before.cursor.items:
            self.items.forget(set(before.cursor.items).difference(still))
        if before.live is not None:
            self.live -= 1

    def _check_layout(self, fresh: Any) -> None:
        try:
            found = layout(fresh)
        except CannotSave as reason:
            raise DynamicError("XYRT0028", str(reason)) from reason
        if self.keys and self.layout != found:
            why = f"another version of Xylem saved its open windows as {self.layout}; this version reads {found}"
            raise DynamicError("XYRT0020", why)
        self.layout, self.is_checked = found, True


@dataclass
class ResumedWindows:
    """Serves the windows of a program over one batch."""

    state: WindowState
    items: Iterable[tuple[Order, Any]]
    is_end: bool = False
    limit: int = 1_000_000
    """Most keys."""
    order: Order = b""
    """The place of the item that completed the window returned last."""

    def over(self, cursor: Any) -> Iterator[Any]:
        """The windows that the items of the batch complete."""
        cursor = self.state.restored(WHOLE_STREAM, lambda: cursor)
        for order, item in self.items:
            self.order = order
            yield from cursor.push(item)
        if self.is_end:
            self.order = AT_THE_END
            yield from cursor.finish()
        else:
            self.state.keep(WHOLE_STREAM, None, b"", cursor)

    def counter(self, number: int) -> Iterator[int]:
        """The numbers of a `count` clause, continuing from the previous batch."""
        counts = self.state.counts
        while True:
            counts[number] = counts.get(number, 0) + 1
            yield counts[number]

    def by_key(
        self,
        key_of: Callable[[Any], Any],
        make: Callable[[Any], Any],
        implicit_tz: int,
        keeps_empty: bool = False,
        forgets: bool = False,
    ) -> Iterator[Window]:
        """The windows of all keys, each preceded by its key, as soon as they end (in the form of `partitioned.py`)."""
        state = self.state
        touched: dict[Any, tuple[Any, Order, Any]] = {}
        for order, item in self.items:
            self.order = order
            key = key_of(item)
            if key is None and not keeps_empty:
                continue
            group = None if key is None else grouping_key(key, None, implicit_tz)
            found = touched.get(group)
            if found is None:
                found = touched[group] = self._key(group, key, make)
            cursor = found[2]
            if cursor.is_idle:
                # The key starts anew, after the others.
                found = touched[group] = found[0], order, found[2]
            for window in cursor.push(item):
                yield (found[0], *window)
            if forgets and cursor.is_idle:
                del touched[group]
                state.forget(group)
        if not self.is_end:
            for group, (key, first, cursor) in touched.items():
                state.keep(group, key, first, cursor)
            return
        for group, known in state.keys.items():
            if group not in touched:
                touched[group] = known.key, known.first, state.restored(group, partial(make, known.key))
        for key, first, cursor in sorted(touched.values(), key=lambda one: one[1]):
            self.order = AT_THE_END + first
            for window in cursor.finish():
                yield (key, *window)

    def _key(self, group: Any, key: Any, make: Callable[[Any], Any]) -> tuple[Any, Order, Any]:
        known = self.state.keys.get(group)
        if known is not None:
            return known.key, known.first, self.state.restored(group, partial(make, known.key))
        if len(self.state.keys) >= self.limit:
            raise DynamicError("XYDY0010", f"windows for more than {self.limit:,} different keys")
        return key, self.order, self.state.restored(group, partial(make, key))
