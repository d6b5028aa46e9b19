"""Windows over the items of a loop: when an item is added, removed or changed, the windows that reach it are formed
again.

Tumbling windows are formed again from the one that reaches the changed item, until one begins where an old one began.
Sliding windows are formed again if they begin beside the item, or reach it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from operator import attrgetter
from typing import Any, NamedTuple

from xylem.plan import history as plan

from .loops import Read, Turns
from .ordered_list import OrderedList
from .unit_notes import Unit

__all__ = ["WindowFunctions", "WindowLoop"]

Function = Callable[..., Any]
Key = Any
_key, _place = attrgetter("key"), attrgetter("place")


class WindowFunctions(NamedTuple):
    """The functions of the clause: whether a window starts at an item, whether it ends at one, and its result."""

    start: Function
    end: Function | None
    result: Function


class _Item(NamedTuple):
    key: Key
    value: Any


class _Moved(NamedTuple):
    """Items whose positions shift, from one place to another; None means the end."""

    first: Key
    last: Key | None

    def __contains__(self, key: object) -> bool:
        return bool(self.first <= key and (self.last is None or key <= self.last))


class _Window:
    """One window, at the place of its first item."""

    __slots__ = ("is_open", "last", "made", "place")

    condition = None

    def __init__(self, place: Key) -> None:
        self.place = place
        self.last: Key = place
        """The key of its last item."""
        self.is_open = False
        """Whether the items ended before the window did."""
        self.made: Any = None


class _Seen(NamedTuple):
    """An item among its neighbours, as the variables of a condition have it."""

    item: _Item
    variables: tuple[list[Any], list[Any], list[Any], list[Any]]
    """The item, its position, the previous and the next item."""


class WindowLoop(Turns):
    """A loop that puts its items into windows and passes the rows of each window to a sink.

    Holds:  the items in order, and the first and last item of each window.
    """

    def __init__(
        self, *given: Any, functions: WindowFunctions, window_holes: Sequence[Read], sink: Turns, windows: plan.Windows
    ) -> None:
        super().__init__(*given)
        self._functions = functions
        self._window_holes = window_holes
        self._sink = sink
        self._described = windows
        self._items: OrderedList[_Item] = OrderedList()
        self._windows: OrderedList[_Window] = OrderedList()
        self._open: dict[_Window, None] = {}
        self._longest = 1
        """The most items of a window that has ended."""
        self._changed: set[Key] = set()
        """Places where items were added, removed or changed."""
        self._shifts: dict[Key, int] = {}
        """By how much an added or removed item shifts the positions of later items."""
        self._are_all_changed = False

    def begin(self) -> bool:
        if any(hole.changed_at == self.engine.number for hole in self._window_holes):
            self._are_all_changed = True
        return super().begin()

    def put(self, unit: Unit, found: list[Any]) -> None:
        known: tuple[list[Key], dict[Key, Any]] = unit.made or ([], {})
        row_keys, before = known
        rows = self._rows(unit, found)
        made = {(key, index): item for key, items in rows for index, item in enumerate(items)}
        for key in before:
            if key not in made:
                self._items.remove(key)
                self._note_shift(key, -1)
        for key, item in made.items():
            if key in before:
                self._items.replace(key, _Item(key, item), 1)
            else:
                self._items.add(key, _Item(key, item))
                self._note_shift(key, 1)
        if self._columns:
            for key in row_keys:
                self._count(key[3], -1)
            for key, _ in rows:
                self._count(key[3], 1)
        self._changed.update(before, made)
        unit.made = [key for key, _ in rows], made

    def _note_shift(self, key: Key, by: int) -> None:
        self._shifts[key] = self._shifts.get(key, 0) + by

    def _moved_items(self) -> list[_Moved]:
        """The items whose positions have changed."""
        shifts, self._shifts = self._shifts, {}
        if not self._described.has_positions:
            return []
        found: list[_Moved] = []
        by = 0
        for key in sorted(shifts):
            was, by = by, by + shifts[key]
            if by and not was:
                found.append(_Moved(key, None))
            elif was and not by:
                found[-1] = _Moved(found[-1].first, key)
        return found

    def end(self) -> bool:
        super().end()
        if self._changed or self._are_all_changed:
            self._form_again()
        self._sink.end()
        return self._sink.changed_at == self.engine.number

    def _form_again(self) -> None:
        changed, self._changed = sorted(self._changed), set()
        moved = self._moved_items()
        are_all, self._are_all_changed = self._are_all_changed, False
        first = self._items.first_key()
        if are_all and first is not None:
            changed = sorted({*changed, first})
            moved = [_Moved(changed[0], None)]
        if not changed:
            return
        if self._described.is_sliding:
            self._slide(changed, moved)
        else:
            self._tumble(changed, moved)

    # --- items

    def _from(self, index: int) -> Iterator[_Seen]:
        """The items from one on, each with its neighbours."""
        first = max(index - 1, 0)
        before: list[Any] = []
        current: _Item | None = None
        number = first
        for entry, _ in self._items.from_item(first):
            if current is not None:
                if number > index:
                    yield _Seen(current, ([current.value], [number], before, [entry.value]))
                before = [current.value]
            current = entry
            number += 1
        if current is not None:
            yield _Seen(current, ([current.value], [number], before, []))

    def _index(self, key: Key) -> int:
        """Number of items before a place."""
        return self._items.before(key)[1]

    def _key_at(self, index: int) -> Key | None:
        return next((entry.key for entry, _ in self._items.from_item(index)), None)

    def _holds(self, function: Function, *given: Any) -> bool:
        found = function(*given, *(hole.values() for hole in self._window_holes))
        return bool(found if isinstance(found, bool) else next(iter(found)))

    # --- tumbling windows

    def _tumble(self, changed: Sequence[Key], moved: Sequence[_Moved]) -> None:
        at = 0
        while at < len(changed):
            reached = self._tumbled(changed[at], changed, moved)
            if reached is None:
                return
            at = bisect_left(changed, reached, at)

    def _resumed(self, key: Key) -> Key:
        """The place from which to form windows again when an item has changed."""
        beside = self._key_at(max(self._index(key) - 1, 0))
        low = key if beside is None else min(beside, key)
        window = self._window_until(low)
        if window is None:
            return low
        if self._functions.end is not None:
            return window.place if window.last >= low else low
        # The start of this window has ended the previous one.
        earlier: _Window | None = self._windows.before(window.place)[0]
        return window.place if earlier is None else earlier.place

    def _window_until(self, key: Key) -> _Window | None:
        """The last window that begins at a place, or before it."""
        return self._window(key) or self._windows.before(key)[0]

    def _window(self, key: Key) -> _Window | None:
        none: Any = None
        found: _Window | None = self._windows.get(key, none)
        return found

    def _is_there(self, key: Key) -> bool:
        none: Any = None
        return self._items.get(key, none) is not None

    def _tumbled(self, first: Key, changed: Sequence[Key], moved: Sequence[_Moved]) -> Key | None:
        """Form windows from a change until they match the old ones; return the place of the match, None at the end."""
        functions = self._functions
        low = self._resumed(first)
        formed: dict[Key, tuple[_Seen, list[Any], _Seen, bool]] = {}
        start: _Seen | None = None
        items: list[Any] = []
        seen: _Seen | None = None
        reached: Key | None = None
        for following in self._from(self._index(low)):
            before, seen = seen, following
            key = seen.item.key
            is_as_it_was = before is not None and key > first and not any(key in one for one in moved)
            if is_as_it_was and before is not None:
                nearest = bisect_left(changed, before.item.key)
                is_as_it_was = nearest == len(changed) or changed[nearest] > key
            if start is None:
                if is_as_it_was and not self._was_inside(key):
                    reached = key
                    break
                if self._holds(functions.start, *seen.variables):
                    start, items = seen, []
            elif functions.end is None and self._holds(functions.start, *seen.variables):
                assert before is not None
                formed[start.item.key] = start, items, before, False
                start, items = seen, []
                if is_as_it_was and self._window(key) is not None:
                    start, reached = None, key
                    break
            if start is None:
                continue
            items.append(seen.item.value)
            if functions.end is not None and self._holds(functions.end, *start.variables, *seen.variables):
                formed[start.item.key] = start, items, seen, False
                start = None
        if start is not None:
            assert seen is not None
            formed[start.item.key] = start, items, seen, True
        self._take_out(low, reached, formed)
        for begun, inside, last, is_open in formed.values():
            self._give(begun, inside, last, is_open)
        return reached

    def _was_inside(self, key: Key) -> bool:
        """Whether an item was in a window that began before it."""
        window = self._windows.before(key)[0]
        return window is not None and (window.last >= key or self._functions.end is None)

    def _take_out(self, low: Key, until: Key | None, formed: dict[Key, Any]) -> None:
        """Drop the windows that began between two places and are not formed again."""
        gone = []
        for window, _ in self._windows.from_item(self._windows.before(low)[1]):
            if until is not None and window.place >= until:
                break
            if window.place not in formed:
                gone.append(window)
        for window in gone:
            self._drop(window)

    def _drop(self, window: _Window) -> None:
        self._windows.remove(window.place)
        self._open.pop(window, None)
        if window.made is not None:
            self._sink.put(window, [])  # type: ignore[arg-type]  # it has what a unit has

    # --- sliding windows

    def _slide(self, changed: Sequence[Key], moved: Sequence[_Moved]) -> None:
        again: set[Key] = set()
        for key in changed:
            if not any(key in one and key != one.first for one in moved):
                again.update(self._reaching(key))
        again.update(window.place for window in self._open if window.place <= changed[-1])
        for one in moved:
            again.update(self._starts(self._windows.from_item(self._windows.before(one.first)[1]), one, _place))
            again.update(self._starts(self._items.from_item(self._index(one.first)), one, _key))
            if one.last is not None:
                again.update(self._reaching(one.last))
        for key in sorted(again):
            if self._is_there(key):
                self._slid(key)
            elif (window := self._window(key)) is not None:
                self._drop(window)

    @staticmethod
    def _starts(entries: Iterator[tuple[Any, int]], moved: _Moved, key_of: Callable[[Any], Key]) -> Iterator[Key]:
        return takewhile(lambda key: key in moved, (key_of(entry) for entry, _ in entries))

    def _reaching(self, key: Key) -> Iterator[Key]:
        """The range in which windows may begin that see the item at a place, or the item that was there."""
        beside = max(self._index(key) - 1, 0)
        near = [entry.key for entry, _ in islice(self._items.from_item(beside), 3)]
        yield key
        yield from near
        before = min(near[0], key) if near else key
        low = self._key_at(max(beside - self._longest, 0))
        low = before if low is None else min(low, before)
        for window, _ in self._windows.from_item(self._windows.before(low)[1]):
            if window.place > key:
                break
            if window.last >= before:
                yield window.place

    def _slid(self, key: Key) -> None:
        """Form the window that begins at an item, if one does."""
        functions = self._functions
        start: _Seen | None = None
        items: list[Any] = []
        last: _Seen | None = None
        is_open = True
        for seen in self._from(self._index(key)):
            if start is None:
                if not self._holds(functions.start, *seen.variables):
                    break
                start = seen
            items.append(seen.item.value)
            last = seen
            if functions.end is not None and self._holds(functions.end, *start.variables, *seen.variables):
                is_open = False
                break
        if start is None or last is None:
            window = self._window(key)
            if window is not None:
                self._drop(window)
            return
        self._give(start, items, last, is_open)

    # --- results of windows

    def _give(self, first: _Seen, items: list[Any], last: _Seen, is_open: bool) -> None:
        key = first.item.key
        window = self._window(key)
        if window is None:
            window = _Window(key)
            self._windows.add(key, window)
        window.last = last.item.key
        if is_open:
            self._open[window] = None
        else:
            self._open.pop(window, None)
            self._longest = max(self._longest, len(items))
        if is_open and self._described.drops_open:
            if window.made is not None:
                self._sink.put(window, [])  # type: ignore[arg-type]
            return
        end = last.variables if self._functions.end is not None else ()
        holes = (hole.values() for hole in self._window_holes)
        found = list(self._functions.result(items, *first.variables, *end, *holes))
        self._sink.put(window, found)  # type: ignore[arg-type]  # it has what a unit has
