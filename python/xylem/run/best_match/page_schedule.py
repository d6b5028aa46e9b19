"""The order in which pairs of pages are read so that few pages are read twice (thesis, 4.3.4.2).

One buffer has a page of the first side, the others pages of the second side. *Gallop*: page by page of the first side,
while the pages of the second that it needs fit into the buffers. *Crabstep*: if one more does not fit, the pages that
are there stay, and the pages of the first side that come next pass by them; then it starts again where it stopped.

        first        1      2      3 4 5   2 …     At page 2 of the first side, page 4 of the second has no room.
        second     1 2 3  1 2 3   (1 2 3)  4 …     Pages 3 to 5 pass by; then page 2 is read again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import NamedTuple


class Visit(NamedTuple):
    """A page of each side to read together; `released` pages of the second side are not needed before it."""

    first: int
    second: int
    released: tuple[int, ...] = ()


def visits(needed: Mapping[int, Sequence[int]], buffers: int) -> Iterator[Visit]:
    """All pairs of pages, each once: for each page of the first side, the pages of the second side that it needs."""
    left = {first: sorted(needed[first]) for first in sorted(needed) if needed[first]}
    room = max(buffers - 1, 1)
    held: dict[int, None] = {}
    while left:
        stopped = yield from _gallop(left, held, room)
        if stopped is not None:
            yield from _crabstep(left, held, stopped)


def reads(planned: Sequence[Visit]) -> int:
    """The number of page reads for these visits."""
    found, last = 0, None
    held: set[int] = set()
    for first, second, released in planned:
        held.difference_update(released)
        found += (first != last) + (second not in held)
        held.add(second)
        last = first
    return found


def _gallop(left: dict[int, list[int]], held: dict[int, None], room: int) -> Generator[Visit, None, int | None]:
    """Go page by page through the first side; return the page for which the second has no room, or None if all fit."""
    released: tuple[int, ...] = tuple(held)
    held.clear()
    last_use = {second: first for first, seconds in left.items() for second in seconds}
    for first in list(left):
        while left[first]:
            second = left[first][0]
            if second not in held and len(held) == room:
                passed = next((one for one in held if last_use[one] < first), None)
                if passed is None:
                    return first
                del held[passed]
                released += (passed,)
            held[second] = held.pop(second, None)
            yield Visit(first, left[first].pop(0), released)
            released = ()
        del left[first]
    return None


def _crabstep(left: dict[int, list[int]], held: dict[int, None], start: int) -> Iterator[Visit]:
    """Pass pages of the first side by the pages of the second side that are in memory."""
    for first in [one for one in left if one >= start]:
        for second in [one for one in left[first] if one in held]:
            left[first].remove(second)
            yield Visit(first, second)
        if not left[first]:
            del left[first]
