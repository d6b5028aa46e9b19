"""Ctrl-C and SIGTERM while a continuous query runs: they only ask it to stop."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any


class StopSignals:
    """While this is open, it passes signals to its creator."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        self._before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        self.take()
        return self

    def take(self) -> None:
        """Handle the signals from now on."""
        for number in self._before:
            signal.signal(number, self._handle)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._stop()
