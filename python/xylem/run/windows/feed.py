"""Feed items to windows as a stream passes, without waiting for the next item.

A window clause reads its items as any loop does. If they run out before the stream has ended, it reads `PAUSE`, and
passes it on like a window; the generated loop passes it on like a result. So control returns to the stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final


class Pause:
    """Stands among items, windows and results where the items given so far have been dealt with."""

    def __repr__(self) -> str:
        return "PAUSE"

    def __reduce__(self) -> str:
        # The only one of its process.
        return "PAUSE"


PAUSE: Final = Pause()


class Feed:
    """What a window clause over a stream reads.

    Holds:  the items that have been given since the clause last paused.
    """

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.is_closed = False
        self.cursor: Any = None
        """The cursor that reads it, once it does."""

    def __iter__(self) -> Iterator[Any]:
        while True:
            if self.items:
                items, self.items = self.items, []
                yield from items
                del items
            elif self.is_closed:
                return
            else:
                yield PAUSE

    def over(self, cursor: Any) -> Iterator[Any]:
        """The windows of a cursor over what is given, and pauses."""
        self.cursor = cursor
        windows: Iterator[Any] = cursor.over(self)
        return windows
