"""The report of a continuous query after each batch: a line for people, a line of JSON for programs.

    batch 12   1,204 items   221.4 kB   0.8 MB/s   latency 0.61 s   state 1.2 kB   2 malformed

Latency is the time from the arrival of the oldest item of the batch until its results are written.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TextIO

from xylem.errors import InputError


@dataclass(frozen=True)
class BatchProgress:
    """The figures of one batch."""

    batch: int
    time: float
    """Seconds since 1970."""
    items: int
    """Documents, messages, or items of one document."""
    bytes: int
    seconds: float
    """Time from the beginning of the evaluation until the results are written."""
    megabytes_per_second: float
    latency_seconds: float
    state_bytes: int
    held_items: int
    """Items of open windows, and those waiting for their turn in event time."""
    window_keys: int
    """Number of keys with windows of their own."""
    late: int
    """Items that came too late for event time."""
    results: int
    """Messages, or stretches of text."""
    result_bytes: int
    malformed: int
    changed: int
    """Files that were rewritten between being found and being read."""
    total_items: int
    total_bytes: int
    total_malformed: int
    late_by_side: dict[str, int] = field(default_factory=dict)
    """For a join by event time: the variables of the late items."""

    def line(self) -> str:
        """The figures for people."""
        words = [
            f"batch {self.batch}",
            _counted(self.items, "item", "items"),
            in_bytes(self.bytes),
            f"{in_bytes(round(self.bytes / max(self.seconds, 1e-3)))}/s",
            f"latency {self.latency_seconds:.2f} s",
            f"state {in_bytes(self.state_bytes)}",
        ]
        if self.held_items or self.window_keys:
            keys = f" for {self.window_keys:,} keys" if self.window_keys else ""
            words.append(f"{self.held_items:,} items open{keys}")
        if self.late:
            sides = ", ".join(f"{side}: {count:,}" for side, count in sorted(self.late_by_side.items()))
            words.append(f"{self.late:,} late" + (f" ({sides})" if sides else ""))
        if self.malformed:
            words.append(f"{self.malformed:,} malformed")
        if self.changed:
            words.append(f"{self.changed:,} changed")
        return "   ".join(words)


def in_bytes(size: int) -> str:
    """A size for people."""
    if size < 1_000:
        return f"{size} B"
    for unit, value in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if size < value * 1_000 or unit == "GB":
            return f"{size / value:.1f} {unit}"
    raise AssertionError("a size has a unit")


class ProgressReport:
    """Writes the figures of each batch to their destinations."""

    def __init__(
        self, metrics: Path | None, *, is_quiet: bool, out: TextIO | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._out = None if is_quiet else out or sys.stderr
        self._metrics: IO[str] | None = None
        self._began = clock()
        self._clock = clock
        self.batches = 0
        self.last: BatchProgress | None = None
        if metrics is not None:
            try:
                metrics.parent.mkdir(parents=True, exist_ok=True)
                self._metrics = metrics.open("a", encoding="utf-8")
            except OSError as reason:
                raise InputError("XYIN0002", f"{metrics}: {reason.strerror}") from reason

    def tell(self, progress: BatchProgress) -> None:
        """Report a batch."""
        self.batches += 1
        self.last = progress
        if self._out is not None:
            print(progress.line(), file=self._out, flush=True)
        if self._metrics is not None:
            print(json.dumps(asdict(progress)), file=self._metrics, flush=True)

    def say(self, text: str) -> None:
        """Report a message for people."""
        if self._out is not None:
            print(text, file=self._out, flush=True)

    def summary(self, why: str) -> str:
        """The summary of this run."""
        seconds = self._clock() - self._began
        text = f"{why} after {seconds:.1f} s and {_counted(self.batches, 'batch', 'batches')}"
        if self.last is None:
            return text
        text += f"; since the first start {_counted(self.last.total_items, 'item', 'items')}"
        text += f", {in_bytes(self.last.total_bytes)}"
        return text + (f", {self.last.total_malformed:,} malformed" if self.last.total_malformed else "")

    def close(self) -> None:
        if self._metrics is not None:
            self._metrics.close()


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
