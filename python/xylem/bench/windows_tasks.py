"""The windows that are measured: what each is in XQuery, by hand in Python, and in pandas where it can be said there.

Items are the integers from 1 on; a result is a number per window. All ways must give as many, with the same sum.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Loop = Callable[[Iterable[int], int], Iterator[int]]


@dataclass(frozen=True)
class WindowTask:
    """A kind of window; `size` is its number of items, or the number of windows that are open at a time."""

    name: str
    clause: str
    """The window clause over `$s` and its result, with {size}: as forseq or as a clause of XQuery 3.1."""
    loop: Loop
    opens_many: bool = True
    """Whether as many windows are open as the size says."""
    is_standard: bool = True
    pandas: str = ""
    """How pandas does it: rolling, time or groups."""

    def query(self, size: int) -> str:
        return self.clause.format(size=size, less=size - 1)


def _tumbling(items: Iterable[int], size: int) -> Iterator[int]:
    total = count = 0
    for item in items:
        total += item
        count += 1
        if count == size:
            yield total
            total = count = 0
    if count:
        yield total


def _sliding(items: Iterable[int], size: int) -> Iterator[int]:
    window: deque[int] = deque()
    total = 0
    for item in items:
        window.append(item)
        total += item
        if len(window) == size:
            yield total
            total -= window.popleft()


def _time(items: Iterable[int], size: int) -> Iterator[int]:
    starts: deque[tuple[int, int]] = deque()
    for position, item in enumerate(items, 1):
        starts.append((position, item))
        while starts and item - starts[0][1] >= size:
            yield position - starts.popleft()[0] + 1


def _keyed(items: Iterable[int], size: int) -> Iterator[int]:
    last: dict[int, int] = {}
    for item in items:
        key = item % size
        if key in last:
            yield item - last[key]
        last[key] = item


def _landmark(items: Iterable[int], size: int) -> Iterator[int]:
    total = 0
    for item in items:
        total += item
        if item % size == 0:
            yield total


TASKS = (
    WindowTask(
        "tumbling",
        "for tumbling window $w in $s start at $i when true() end at $j when $j - $i eq {less} return sum($w)",
        _tumbling,
        opens_many=False,
        pandas="groups",
    ),
    WindowTask(
        "sliding",
        "for sliding window $w in $s start at $i when true() only end at $j when $j - $i eq {less} return sum($w)",
        _sliding,
        pandas="rolling",
    ),
    WindowTask(
        "time",
        "for sliding window $w in $s start $a when true() only end $b when $b - $a ge {size} return count($w)",
        _time,
        pandas="time",
    ),
    WindowTask(
        "keyed",
        "for sliding window $w in $s start $a when true() "
        "only end $b when $b mod {size} eq $a mod {size} and $b gt $a return $b - $a",
        _keyed,
    ),
    WindowTask(
        "landmark",
        "forseq $w in $s landmark window start position $i when $i eq 1 "
        "force end curItem $b when $b mod {size} eq 0 return sum($w)",
        _landmark,
        opens_many=False,
        is_standard=False,
    ),
)

NAMED = {task.name: task for task in TASKS}
