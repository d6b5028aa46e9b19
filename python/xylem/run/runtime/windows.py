"""The window clauses of XQuery 3.1 (§3.12.4) over a sequence.

A condition is a function of (current, position, previous, next) at the start and, for the end, of the same
four at the end as well. What is yielded is the window followed by these eight values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

Place = tuple[Any, int, Any, Any]
"""An item with its position and its neighbours, None where there are none."""
Window = tuple[list[Any], Any, Any, Any, Any, Any, Any, Any, Any]
Condition = Callable[..., bool]


def _places(items: Iterable[Any]) -> Iterator[Place]:
    previous = current = None
    position = 0
    for following in items:
        if position:
            yield current, position, previous, following
        previous, current = current, following
        position += 1
    if position:
        yield current, position, previous, None


def tumbling_windows(items: Iterable[Any], start: Condition, end: Condition | None, only_end: bool) -> Iterator[Window]:
    """Windows that do not overlap. Without an end condition a window ends where the next one starts.

    Holds the open window only.
    """
    window: list[Any] = []
    opened: Place | None = None
    last: Place | None = None
    for place in _places(items):
        if opened is not None and end is None and start(*place):
            yield (window, *opened, *last)  # type: ignore[misc]
            opened = None
        if opened is None:
            # Without an end condition `start` has just been asked, or is asked here for the first time.
            if not start(*place):
                continue
            opened, window = place, []
        window.append(place[0])
        last = place
        if end is not None and end(*opened, *place):
            yield (window, *opened, *place)
            opened = None
    if opened is not None and not only_end:
        yield (window, *opened, *last)  # type: ignore[misc]


def sliding_windows(items: Iterable[Any], start: Condition, end: Condition | None, only_end: bool) -> Iterator[Window]:
    """A window from every item where the start condition holds; ordered by start.

    Holds the open windows, and closed ones that wait for an older window to close.
    """
    assert end is not None, "the grammar asks for an end condition"
    queue: list[tuple[Place, list[Any], Place | None]] = []
    last: Place | None = None
    for place in _places(items):
        last = place
        if start(*place):
            queue.append((place, [], None))
        for index, (opened, window, closed) in enumerate(queue):
            if closed is None:
                window.append(place[0])
                if end(*opened, *place):
                    queue[index] = (opened, window, place)
        while queue and queue[0][2] is not None:
            opened, window, closed = queue.pop(0)
            yield (window, *opened, *closed)  # type: ignore[misc]
    for opened, window, closed in queue:
        if closed is not None:
            yield (window, *opened, *closed)
        elif not only_end:
            yield (window, *opened, *last)  # type: ignore[misc]
