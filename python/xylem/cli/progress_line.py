"""The progress of a run on one line of the terminal, which is redrawn and finally erased.

    big.xml  312.4/1,024.0 MB  31%  208.3 MB/s  12,345 results

A short run draws nothing and does not load `rich`. If results go to the same terminal, the line disappears for them,
and returns when they have ended a line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TextIO

if TYPE_CHECKING:
    from rich.console import Console

FIRST_AFTER_SECONDS = 0.5
EVERY_SECONDS = 0.1


class Shown(Protocol):
    """Something with progress to show."""

    def words(self) -> Iterable[str]:
        """The parts of the line."""


def progress_line(quiet: bool) -> ProgressLine | None:
    """A line on standard error, if that is a terminal and nobody asked for quiet."""
    return None if quiet or not sys.stderr.isatty() else ProgressLine()


class ProgressLine:
    """The line of one run."""

    def __init__(self, terminal: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._terminal = terminal or sys.stderr
        self._clock = clock
        self._next_draw = clock() + FIRST_AFTER_SECONDS
        self._console: Console | None = None
        self._is_drawn = False
        self._has_room = True

    def show(self, progress: Shown) -> None:
        """Draw the line, unless it was drawn a moment ago."""
        now = self._clock()
        if now < self._next_draw or not self._has_room:
            return
        self._next_draw = now + EVERY_SECONDS
        from rich.text import Text

        if self._console is None:
            from rich.console import Console

            self._console = Console(file=self._terminal, force_terminal=True, highlight=False)
        self._erase()
        self._console.print(Text(" ".join(progress.words()), no_wrap=True, overflow="ellipsis"), end="")
        self._is_drawn = True

    def make_room(self, ends_line: bool) -> None:
        """Something is about to be written to the same terminal."""
        self._erase()
        self._has_room = ends_line

    def close(self) -> None:
        """Erase the line."""
        self._erase()

    def _erase(self) -> None:
        if self._is_drawn and self._console is not None:
            self._console.control(_erasure())
            self._is_drawn = False


def _erasure() -> Any:
    from rich.control import Control
    from rich.segment import ControlType

    return Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))
