"""Pieces of output on their way to the sink, passed on in chunks."""

from __future__ import annotations

from collections.abc import Callable

CHUNK_PIECES = 4096
"""Pieces are short: this many make some tens of kilobytes."""


class OutputBuffer:
    """Collects pieces in `parts`; writers check now and then whether to flush."""

    __slots__ = ("parts", "write")

    def __init__(self, write: Callable[[str], object]) -> None:
        self.write = write
        self.parts: list[str] = []

    def flush(self) -> None:
        if self.parts:
            self.write("".join(self.parts))
            self.parts.clear()
