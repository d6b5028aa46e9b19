"""The open windows of sliding and landmark windows, and which of them an item may end (windows paper, 6.3.3).

There are three ways: test each window; look its key up in a hash table; take a run of windows sorted by key. Each
returns windows that certainly satisfy the indexed part of the end condition, and windows for which the whole condition
must be tested.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from xylem.values.saved_state import saved

from .cursor import Condition, Place
from .index_keys import (
    NEVER,
    UNSURE,
    UNTYPED_NUMBER,
    Key,
    NoKey,
    comparable,
    difference_key,
    equality_kind,
    hash_key,
    moved_key,
    order_key,
    untyped_number,
)


class Open:
    """An open window. `end` is set when it is closed; a hopeless one is `is_over` without an end."""

    __slots__ = ("end", "is_over", "place", "results", "start")

    def __init__(self, place: Place, start: int) -> None:
        self.place = place
        self.start = start
        self.end: Place | None = None
        self.is_over = False
        self.results: tuple[Any, ...] = ()


def by_start(window: Open) -> int:
    return window.start


class OpenWindows(Protocol):
    """A set of open windows."""

    def add(self, window: Open) -> None: ...

    def ended(self, end: Place, remove: bool) -> Sequence[Open]:
        """The windows that the item at this place ends, by their starts; closed ones are removed on request."""

    def drop_over(self) -> None:
        """Drop the windows that are over."""


@saved("each-window", 1, fields=("_windows",))
class EachWindow:
    """Tests every open window. `test` None: the condition always holds."""

    def __init__(self, test: Condition | None) -> None:
        self._test = test
        self._windows: list[Open] = []

    def add(self, window: Open) -> None:
        self._windows.append(window)

    def ended(self, end: Place, remove: bool) -> Sequence[Open]:
        test = self._test
        if test is None:
            found = [window for window in self._windows if not window.is_over]
        else:
            found = [window for window in self._windows if not window.is_over and test(*window.place, *end)]
        if remove and found:
            if len(found) == len(self._windows):
                self._windows = []
            else:
                gone = set(map(id, found))
                self._windows = [window for window in self._windows if id(window) not in gone]
        return found

    def drop_over(self) -> None:
        self._windows = [window for window in self._windows if not window.is_over]

    def __len__(self) -> int:
        return len(self._windows)


@saved("hashed-windows", 1, fields=("_windows", "_kind"), parts=("_unsure",))
class HashedWindows:
    """Windows by a key of their starts, found by the same key of an item.

    Values of one kind compare as in grouping, so the table returns exactly the windows for which the comparison holds.
    If kinds differ, all windows are tested: for the general `=` an untyped value may also be a number, and incomparable
    values are an error.
    """

    def __init__(
        self,
        start_key: Callable[..., Any],
        end_key: Callable[..., Any],
        residual: Condition | None,
        whole: Condition,
        implicit_tz: int,
        *,
        is_general: bool = False,
        offset: tuple[Any] | None = None,
    ) -> None:
        """`residual`: the rest of the condition. `offset`: added to the keys of starts."""
        self.start_key = start_key
        self.end_key = end_key
        self.residual = residual
        self._implicit_tz = implicit_tz
        self._is_general = is_general
        self.offset = offset
        self._windows: dict[Any, list[Open]] = {}
        self._unsure = EachWindow(whole)
        self._whole = whole
        self._kind: int | None = None
        """Kind of the keys of starts; `_MIXED` if there are several."""

    @property
    def is_plain(self) -> bool:
        """Whether integer or string keys are compared directly."""
        return not self._is_general and (self.offset is None or _is_small(self.offset[0]))

    def add(self, window: Open) -> None:
        value = self.start_key(*window.place)
        if self.offset is not None:
            offset = self.offset[0]
            if type(value) is int and type(offset) is int:
                self._windows.setdefault(value + offset, []).append(window)
            else:
                self._put(window, moved_key(value, offset, self._implicit_tz))
            return
        if self._is_general:
            values = value
            if len(values) != 1:
                if values:
                    self._unsure.add(window)
                return
            value = values[0]
        key = value if type(value) is str else hash_key(value, self._implicit_tz)
        if value is not None:
            kind = equality_kind(value, self._is_general)
            if kind != self._kind:
                self._kind = kind if self._kind is None else _MIXED
        if key is not None:
            bucket = self._windows.get(key)
            if bucket is None:
                self._windows[key] = [window]
            else:
                bucket.append(window)

    def _put(self, window: Open, key: Key | NoKey) -> None:
        if isinstance(key, Key):
            self._windows.setdefault(_hashed(key), []).append(window)
        elif key is UNSURE:
            self._unsure.add(window)

    def ended(self, end: Place, remove: bool) -> Sequence[Open]:
        probe = self._probe(end)
        if probe is UNSURE:
            found = self._one_by_one(end, remove)
        else:
            found = self._in_bucket(probe, end, remove)
        if self._unsure:
            found = sorted([*found, *self._unsure.ended(end, remove)], key=by_start)
        return found

    def _probe(self, end: Place) -> Any:
        value = self.end_key(*end)
        if self.offset is not None:
            if type(value) is int:
                return value
            key = difference_key(value, self._implicit_tz)
            return _hashed(key) if isinstance(key, Key) else None if key is NEVER else key
        if self._is_general:
            if len(value) > 1:
                return UNSURE
            if not value:
                return None
            value = value[0]
        if value is not None and self._kind is not None and equality_kind(value, self._is_general) != self._kind:
            return UNSURE
        return hash_key(value, self._implicit_tz)

    def _in_bucket(self, probe: Any, end: Place, remove: bool) -> list[Open]:
        bucket = self._windows.get(probe) if probe is not None else None
        if bucket is None:
            return []
        residual = self.residual
        if len(bucket) <= 2 and remove and not bucket[0].is_over:
            # Most items end the one open window of their key, and may open the next.
            first = bucket[0]
            if residual is None or residual(*first.place, *end):
                if len(bucket) == 1:
                    del self._windows[probe]
                    return bucket
                second = bucket[1]
                if not second.is_over and residual is not None and not residual(*second.place, *end):
                    del bucket[0]
                    return [first]
        found = [
            window for window in bucket if not window.is_over and (residual is None or residual(*window.place, *end))
        ]
        if remove:
            if len(found) == len(bucket):
                del self._windows[probe]
            elif found:
                gone = set(map(id, found))
                self._windows[probe] = [window for window in bucket if id(window) not in gone]
        return found

    def _one_by_one(self, end: Place, remove: bool) -> list[Open]:
        found = [
            window
            for bucket in self._windows.values()
            for window in bucket
            if not window.is_over and self._whole(*window.place, *end)
        ]
        found.sort(key=by_start)
        if remove and found:
            self._keep(set(map(id, found)))
        return found

    def _keep(self, gone: set[int]) -> None:
        kept = {key: [w for w in bucket if id(w) not in gone] for key, bucket in self._windows.items()}
        self._windows = {key: bucket for key, bucket in kept.items() if bucket}

    def drop_over(self) -> None:
        self._keep({id(window) for bucket in self._windows.values() for window in bucket if window.is_over})
        self._unsure.drop_over()


_MIXED = -3


def _hashed(key: Key) -> Any:
    """Numbers are their own keys: equal ones have equal hashes, whatever their types."""
    return key.value if key.kind == "number" else key


SMALL = 1 << 30
"""Integers below this are added and compared exactly, whatever they are compared with."""


def _is_small(value: Any) -> bool:
    return type(value) is int and -SMALL < value < SMALL


@saved("sorted-windows", 1, fields=("_kind", "_keys", "_windows", "_begin"), parts=("_unsure",))
class SortedWindows:
    """Windows sorted by a key of their starts: an item ends a run of them, at one end or the other.

    Keys that do not decrease, such as positions and times, are appended; others are sorted in.
    """

    def __init__(
        self,
        op: str,
        start_key: Callable[..., Any],
        end_key: Callable[..., Any],
        residual: Condition | None,
        whole: Condition,
        implicit_tz: int,
        *,
        is_general: bool = False,
        offset: tuple[Any] | None = None,
    ) -> None:
        """`op`: an item ends the windows for which `end key op start key` holds."""
        self.op = op
        self.start_key = start_key
        self.end_key = end_key
        self._residual = residual
        self._whole = whole
        self._implicit_tz = implicit_tz
        self._is_general = is_general
        self._offset = offset
        offset_value = 0 if offset is None else offset[0]
        self.small: int | None = offset_value if _is_small(offset_value) else None
        """The offset, if integers shifted by it are certain to be compared exactly."""
        self._takes_oldest = op in ("gt", "ge")
        self._kind = ""
        self._keys: list[Any] = []
        self._windows: list[Open] = []
        self._begin = 0
        """Places before it are empty."""
        self._unsure = EachWindow(whole)

    @property
    def is_queue(self) -> bool:
        """Whether its windows can be found by non-decreasing integers alone."""
        return self.small is not None and self._takes_oldest and self._residual is None and not self._is_general

    def add(self, window: Open) -> None:
        value = self.start_key(*window.place)
        key: Key | NoKey
        if type(value) is int and -SMALL < value < SMALL and self._kind == "number" and self.small is not None:
            moved = value + self.small
            keys = self._keys
            if keys and moved >= keys[-1]:
                keys.append(moved)
                self._windows.append(window)
            else:
                self._insert(moved, window)
            return
        if self._offset is not None:
            key = moved_key(value, self._offset[0], self._implicit_tz)
        elif self._is_general and len(value) != 1:
            key = UNSURE if value else NEVER
        else:
            key = order_key(value[0] if self._is_general else value, self._implicit_tz)
        if not isinstance(key, Key) or key.value != key.value:
            if key is UNSURE:
                self._unsure.add(window)
            return
        if self._kind == UNTYPED_NUMBER and key.kind == "untyped":
            key = untyped_number(key)
        if not self._kind or len(self._keys) == self._begin:
            self._kind = key.kind
        elif key.kind != self._kind:
            self._unsure.add(window)
            return
        self._insert(key.value, window)

    def _insert(self, key: Any, window: Open) -> None:
        keys = self._keys
        if len(keys) == self._begin or not key < keys[-1]:
            keys.append(key)
            self._windows.append(window)
            return
        place = bisect_right(keys, key, self._begin)
        insort(keys, key, self._begin)
        self._windows.insert(place, window)

    def ended(self, end: Place, remove: bool) -> Sequence[Open]:
        begin, keys = self._begin, self._keys
        if begin < len(keys) and self._takes_oldest and self._kind == "number" and not self._unsure:
            value = self.end_key(*end)
            if type(value) is int and -SMALL < value < SMALL:
                # Most items end no window or the oldest.
                oldest = keys[begin]
                if oldest > value or (oldest == value and self.op == "gt"):
                    return ()
                found = self._among(begin, self._run(value)[1], self._residual, end, remove)
                return sorted(found, key=by_start) if len(found) > 1 else found
            bounds = self._bounds(value)
        else:
            bounds = self._bounds(self.end_key(*end))
        if bounds is None:
            found = self._among(self._begin, len(self._keys), self._whole, end, remove)
        else:
            found = self._among(*bounds, self._residual, end, remove)
        if self._unsure:
            found.extend(self._unsure.ended(end, remove))
        if len(found) > 1:
            found.sort(key=by_start)
        return found

    def _bounds(self, value: Any) -> tuple[int, int] | None:
        """The run of places that an item with this key ends; None if each must be tested."""
        key: Key | NoKey
        if type(value) is int and self._kind == "number" and abs(value) < SMALL:
            return self._run(value)
        if self._offset is not None:
            key = difference_key(value, self._implicit_tz)
        elif self._is_general and len(value) != 1:
            key = UNSURE if value else NEVER
        else:
            key = order_key(value[0] if self._is_general else value, self._implicit_tz)
        begin, keys = self._begin, self._keys
        if key is NEVER or begin == len(keys):
            return begin, begin
        if self._is_general and self._kind == "untyped" and isinstance(key, Key) and key.kind == "number":
            self._read_as_numbers()
            begin, keys = self._begin, self._keys
        probe = UNSURE if not isinstance(key, Key) else comparable(self._kind, key, self._is_general)
        if probe is UNSURE:
            return None
        if probe != probe:
            return begin, begin
        return self._run(probe)

    def _read_as_numbers(self) -> None:
        """Sort untyped keys as numbers: `=`, `<` and the like convert them if they are compared with one."""
        read = [(untyped_number(Key("untyped", key)), window) for key, window in self._sorted()]
        for key, window in read:
            if key.kind == "untyped":
                # Not a number. The comparison is an error, to be reported when it is made.
                self._unsure.add(window)
        numbers = sorted(((key.value, n) for n, (key, _) in enumerate(read) if key.kind == UNTYPED_NUMBER))
        self._keys, self._windows = [key for key, _ in numbers], [read[n][1] for _, n in numbers]
        self._begin, self._kind = 0, UNTYPED_NUMBER

    def _sorted(self) -> Iterator[tuple[Any, Open]]:
        return zip(self._keys[self._begin :], self._windows[self._begin :], strict=True)

    def _run(self, probe: Any) -> tuple[int, int]:
        begin, keys = self._begin, self._keys
        match self.op:
            case "gt":
                return begin, bisect_left(keys, probe, begin)
            case "ge":
                return begin, bisect_right(keys, probe, begin)
            case "lt":
                return bisect_right(keys, probe, begin), len(keys)
        return bisect_left(keys, probe, begin), len(keys)

    def _among(self, low: int, high: int, test: Condition | None, end: Place, remove: bool) -> list[Open]:
        if low >= high:
            return []
        if high == low + 1 and test is None and remove and low == self._begin and not self._windows[low].is_over:
            oldest = self._windows[low]
            self._windows[low] = _GONE
            self._cut(high)
            return [oldest]
        run = self._windows[low:high]
        found = [window for window in run if not window.is_over and (test is None or test(*window.place, *end))]
        if remove and found:
            self._take_out(low, high, found)
        return found

    def _take_out(self, low: int, high: int, found: Sequence[Open]) -> None:
        if len(found) == high - low and low == self._begin:
            # The usual case: the oldest go. Their places are emptied now and cut off from time to time.
            self._windows[low:high] = [_GONE] * (high - low)
            self._cut(high)
            return
        gone = set(map(id, found))
        kept = [place for place in range(low, high) if id(self._windows[place]) not in gone]
        self._keys[low:high] = [self._keys[place] for place in kept]
        self._windows[low:high] = [self._windows[place] for place in kept]

    def _cut(self, begin: int) -> None:
        if begin >= 512 and begin * 2 >= len(self._keys):
            del self._keys[:begin], self._windows[:begin]
            begin = 0
        self._begin = begin

    def drop_over(self) -> None:
        kept = [place for place in range(self._begin, len(self._keys)) if not self._windows[place].is_over]
        self._keys = [self._keys[place] for place in kept]
        self._windows = [self._windows[place] for place in kept]
        self._begin = 0
        self._unsure.drop_over()


_GONE = Open((None, 0, None, None), 0)


__all__ = ["SMALL", "EachWindow", "HashedWindows", "Open", "OpenWindows", "SortedWindows"]
