"""An answer on a terminal, edited in place: after each commit the changed lines are rewritten."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from .changelog import seconds_text

_UP, _CLEAR, _CLEAR_BELOW = "\x1b[{}A", "\x1b[2K", "\x1b[J"


class LiveDisplay:
    """Writes an answer over the previous one, with a last line for its time."""

    def __init__(self, write: Callable[[str], object], columns: int, lines: int) -> None:
        """`columns` and `lines` are the size of the terminal; longer answers show their last lines."""
        self._write = write
        self._columns = max(columns, 20)
        self._most = max(lines - 2, 3)
        self._shown: list[str] = []

    def show(self, display: str, commit: int, time: Decimal) -> None:
        lines = [piece for line in display.splitlines() or [""] for piece in self._wrapped(line)]
        lines = [*lines[-self._most :], f"-- commit {commit}, t = {seconds_text(time)}"]
        same = 0
        for old, new in zip(self._shown, lines, strict=False):
            if old != new:
                break
            same += 1
        parts: list[str] = []
        back = len(self._shown) - same
        if back:
            parts.append(_UP.format(back))
        parts += [f"{_CLEAR}{line}\n" for line in lines[same:]]
        if len(lines) < len(self._shown):
            parts.append(_CLEAR_BELOW)
        self._write("".join(parts))
        self._shown = lines

    def _wrapped(self, line: str) -> list[str]:
        line = "".join(c if c.isprintable() else " " for c in line)
        width = self._columns - 1
        return [line[at : at + width] for at in range(0, len(line), width)] or [""]
