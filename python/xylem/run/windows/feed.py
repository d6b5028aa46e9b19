"""Feed items to windows as a stream passes, without waiting for the next item.

A window clause reads its items as any loop does. If they run out before the stream has ended, it reads `PAUSE`, and
passes it on like a window; the generated loop passes it on like a result. So control returns to the stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final


class Pause:
    """A marker among items, windows and results: everything given so far has been processed."""

    def __repr__(self) -> str:
        return "PAUSE"

    def __reduce__(self) -> str:
        # The only instance in its process.
        return "PAUSE"


PAUSE: Final = Pause()


class Feed:
    """The input of a window clause over a stream.

    Holds:  the items added since the clause last paused.
    """

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.is_closed = False
        self.cursor: Any = None
        """The cursor that reads it, once there is one."""

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
        """The windows of a cursor over the items fed, and pauses."""
        self.cursor = cursor
        windows: Iterator[Any] = cursor.over(self)
        return windows
