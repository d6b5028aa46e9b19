"""Items that arrive in pieces, like their input: the items so far can be read without waiting for more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


class Arriving(Iterator[Any]):
    """Reads items one by one; `at_hand` returns those that came with the last of them.

    Holds:  the items that came together and have not been read.

    >>> arriving = Arriving(iter([[1, 2, 3], [], [4]]))
    >>> next(arriving), arriving.at_hand(), next(arriving), arriving.at_hand()
    (1, [2, 3], 4, [])
    """

    def __init__(self, pieces: Iterable[Sequence[Any]]) -> None:
        self._pieces = iter(pieces)
        self._ready: deque[Any] = deque()

    def __next__(self) -> Any:
        while not self._ready:
            self._ready = deque(next(self._pieces))
        return self._ready.popleft()

    def at_hand(self) -> list[Any]:
        """The items that have arrived but were not read."""
        found = list(self._ready)
        self._ready.clear()
        return found

    def changed(self, change: Callable[[Sequence[Any]], Sequence[Any]]) -> Arriving:
        """Apply a function to each piece."""
        return Arriving(change(piece) for piece in self._remaining())

    def close(self) -> None:
        """Read no more: the source of the pieces ends."""
        self._ready.clear()
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()

    def _remaining(self) -> Iterator[Sequence[Any]]:
        if ready := self.at_hand():
            yield ready
        yield from self._pieces


def at_hand(items: Iterator[Any]) -> list[Any]:
    """The items that can be read without waiting."""
    return items.at_hand() if isinstance(items, Arriving) else []
