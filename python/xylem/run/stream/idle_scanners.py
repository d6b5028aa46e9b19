"""Scanners between runs of one program, reused with their scan plan for the next small document."""

from __future__ import annotations

from typing import Any

from xylem.source.limits import Limits
from xylem.source.scan import BatchTrees

MOST_IDLE = 4
"""About the number of threads likely to run a program at once."""
SMALL_BYTES = 1 << 16
"""A scanner that has read more may hold more memory than an idle one should: some forty times as much, for names and
namespaces. For a larger document, a new one costs nothing in comparison."""


class IdleScanners:
    """Lends scanners and takes them back. Several threads may ask at once.

    Holds:  a few scanners, with the names of their last document.
    """

    def __init__(self) -> None:
        self._idle: list[tuple[Limits, BatchTrees]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        # Scanners belong to a process.
        return IdleScanners, ()

    def take(self, limits: Limits) -> BatchTrees:
        """A scanner that is not in use."""
        try:
            known, trees = self._idle.pop()
        except IndexError:
            return BatchTrees(None, limits)
        return trees if known is limits else BatchTrees(None, limits)

    def give_back(self, trees: BatchTrees, limits: Limits, input_bytes: int) -> None:
        """Return the scanner of a run that has ended normally."""
        if input_bytes <= SMALL_BYTES and len(self._idle) < MOST_IDLE:
            self._idle.append((limits, trees))
