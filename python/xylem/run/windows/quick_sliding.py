"""Sliding windows by dedicated loops, as long as the compared values are plain integers or strings.

    for sliding window $w in E start $a when … end $b when $b/@time - $a/@time ge 60 …
    for sliding window $w in E start $a when … end $b when $b/@id eq $a/@id …

Each loop is one function instead of the several of the cursor and its index. At the first value of another kind, or the
first out of order if the loop uses a queue, the cursor takes over all open windows and continues.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from .cursor import Place, Window
from .feed import PAUSE
from .open_windows import SMALL, HashedWindows, Open, SortedWindows

if TYPE_CHECKING:
    from .sliding import SlidingCursor

Loop = Callable[["SlidingCursor", Iterable[Any]], Iterator[Window]]


class _NoValue:
    """The class of no value."""


def quick_loop(cursor: SlidingCursor) -> Loop | None:
    """The loop for a cursor without special needs."""
    index = cursor.index
    if isinstance(index, SortedWindows):
        return queued if index.is_queue else None
    if isinstance(index, HashedWindows):
        return hashed if index.is_plain and cursor.by_start else None
    return None


def queued(cursor: SlidingCursor, items: Iterable[Any]) -> Iterator[Window]:
    """Windows that end in the order of their starts: an item ends the oldest of them."""
    index, start, aggregates, buffer = cursor.index, cursor.start, cursor.aggregates, cursor.buffer
    assert isinstance(index, SortedWindows) and index.small is not None
    start_key, end_key, offset, is_strict = index.start_key, index.end_key, index.small, index.op == "gt"
    keeps_current, _, keeps_previous, _ = cursor.needs.start
    reads_current, _, reads_previous, _ = cursor.needs.end
    keeps, limit = buffer is not None or aggregates is not None, cursor.limit
    keys: deque[int] = deque()
    places: deque[Place] = deque()
    previous: Any = None
    last: Place | None = None
    position = latest = 0
    results: tuple[Any, ...] = ()
    window: Any = []
    rest = iter(items)
    for item in rest:
        if item is PAUSE:
            cursor.open_count = len(keys)
            yield PAUSE
            continue
        position += 1
        now = item if reads_current else None, position, previous if reads_previous else None, None
        place = None
        if start is None or start(item, position, previous, None):
            place = item if keeps_current else None, position, previous if keeps_previous else None, None
            key = start_key(*place)
            if type(key) is not int or not -SMALL < key < SMALL or (keys and key + offset < latest):
                break
        elif not keys:
            previous = item
            continue
        value = end_key(*now)
        if type(value) is not int or not -SMALL < value < SMALL:
            break
        if place is not None:
            if keeps and not keys:
                cursor.clear(position)
            latest = key + offset
            keys.append(latest)
            places.append(place)
            if limit is not None and len(keys) > limit:
                cursor.check_open(len(keys))
        if buffer is not None:
            buffer.append(item)
            if limit is not None:
                cursor.check_items()
        if aggregates is not None:
            aggregates.add(item, position)
        if keys[0] < value or (keys[0] == value and not is_strict):
            while keys and (keys[0] < value or (keys[0] == value and not is_strict)):
                keys.popleft()
                place = places.popleft()
                if buffer is not None:
                    window = buffer.between(place[1], position)
                if aggregates is not None:
                    results = aggregates.results(place[1], buffer)
                yield (window, *place, *now, *results)
                if buffer is None:
                    window = []
            if keeps:
                cursor.forget_before(places[0][1] if places else position + 1)
        previous = item
        last = now
    else:
        cursor.resume([Open(place, place[1]) for place in places], position, previous, last)
        yield from cursor.finish()
        return
    cursor.resume([Open(place, place[1]) for place in places], position - 1, previous, last)
    yield from cursor.going_on(chain((item,), rest))


def hashed(cursor: SlidingCursor, items: Iterable[Any]) -> Iterator[Window]:
    """Windows found by a key. They are returned by their starts, so one may wait for an older one."""
    index, start, aggregates, buffer = cursor.index, cursor.start, cursor.aggregates, cursor.buffer
    assert isinstance(index, HashedWindows)
    start_key, end_key, residual = index.start_key, index.end_key, index.residual
    offset = 0 if index.offset is None else index.offset[0]
    # Strings are compared directly, without an offset; comparing a string with an integer is an error.
    kind: type = str if index.offset is None else _NoValue
    known: type | None = None
    keeps_current, _, keeps_previous, _ = cursor.needs.start
    reads_current, _, reads_previous, _ = cursor.needs.end
    keeps, limit = buffer is not None or aggregates is not None, cursor.limit
    waiting: deque[Open] = deque()
    buckets: dict[Any, list[Open]] = {}
    find = buckets.get
    previous: Any = None
    last: Place | None = None
    position = 0
    rest = iter(items)
    for item in rest:
        if item is PAUSE:
            cursor.open_count = len(waiting)
            yield PAUSE
            continue
        position += 1
        now = item if reads_current else None, position, previous if reads_previous else None, None
        opened = None
        if start is None or start(item, position, previous, None):
            place = item if keeps_current else None, position, previous if keeps_previous else None, None
            key = start_key(*place)
            if known is not type(key):
                if known is not None:
                    break
                known = type(key)
            if type(key) is int and -SMALL < key < SMALL:
                key += offset
            elif type(key) is not kind:
                break
            opened = Open(place, position)
        elif not waiting:
            previous = item
            continue
        value = end_key(*now)
        if known is not type(value) or not (known is kind or (type(value) is int and -SMALL < value < SMALL)):
            break
        if opened is not None:
            if keeps and not waiting:
                cursor.clear(position)
            waiting.append(opened)
            bucket = find(key)
            if bucket is None:
                buckets[key] = [opened]
            else:
                bucket.append(opened)
            if limit is not None and len(waiting) > limit:
                cursor.check_open(len(waiting))
        if buffer is not None:
            buffer.append(item)
            if limit is not None:
                cursor.check_items()
        if aggregates is not None:
            aggregates.add(item, position)
        bucket = find(value)
        if bucket is not None:
            kept = None
            for one in bucket:
                if residual is None or residual(*one.place, *now):
                    one.is_over = True
                    one.end = now
                    if aggregates is not None:
                        one.results = aggregates.results(one.start, buffer)
                elif kept is None:
                    kept = [one]
                else:
                    kept.append(one)
            if kept is None:
                del buckets[value]
            elif len(kept) < len(bucket):
                buckets[value] = kept
            if waiting[0].is_over:
                while waiting and waiting[0].is_over:
                    one = waiting.popleft()
                    if buffer is None and one.end is not None:
                        yield ([], *one.place, *one.end, *one.results)
                    else:
                        yield cursor.given(one)
                if keeps:
                    cursor.forget_before(waiting[0].start if waiting else position + 1)
        previous = item
        last = now
    else:
        cursor.resume(waiting, position, previous, last)
        yield from cursor.finish()
        return
    cursor.resume(waiting, position - 1, previous, last)
    yield from cursor.going_on(chain((item,), rest))
