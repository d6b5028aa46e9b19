"""`xylem run --metrics FILE`: a line of JSON four times a second, and one at the successful end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError

if TYPE_CHECKING:
    from xylem.run.stream.progress import Progress
    from xylem.source.malformed import MalformedTally

EVERY_SECONDS = 0.25


class RunMetrics:
    """The lines of one run. Each is written at once, so a reader sees the progress."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._start = clock()
        self._next = self._start
        self._last: dict[str, Any] = {}
        self._operators: Callable[[], Sequence[Mapping[str, Any]]] | None = None

    def stream(
        self,
        progress: Progress,
        tally: MalformedTally | None,
        operators: Callable[[], Sequence[Mapping[str, Any]]] | None = None,
    ) -> None:
        """The progress of a run over a stream, with the counters of its operators if there are any."""
        measured = progress.statistics
        self._operators = operators
        self._last = {
            "input_bytes": measured.input_bytes,
            "position": progress.source.position,
            "size": progress.source.size,
            "records": measured.records,
            "results": 0 if progress.written is None else progress.written.results,
            "held_bytes": measured.held_bytes,
            "peak_buffered_bytes": measured.peak_buffered_bytes,
            "malformed": 0 if tally is None else tally.records + tally.documents,
        }
        self._tell()

    def updates(self, **figures: int) -> None:
        """The progress of a run over update streams."""
        self._last = figures
        self._tell()

    def _tell(self) -> None:
        if self._clock() >= self._next:
            self._next = self._clock() + EVERY_SECONDS
            self._line("running")

    def end(self) -> None:
        """The run has written its whole answer."""
        self._line("ended")

    def _line(self, state: str) -> None:
        from .statistics import peak_rss_bytes

        seconds = round(self._clock() - self._start, 3)
        facts = {"state": state, "seconds": seconds, **self._last, "peak_rss_bytes": peak_rss_bytes()}
        if self._operators is not None:
            facts["operators"] = self._operators()
        self._write(json.dumps(facts) + "\n")


@contextmanager
def run_metrics(path: Path | None) -> Iterator[RunMetrics | None]:
    """The metrics of a run, in a file that exists from the start; None without a file."""
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8", buffering=1)
    except OSError as reason:
        raise InputError("XYIN0002", f"{path}: {reason.strerror or reason}") from reason
    with file:
        metrics = RunMetrics(file.write)
        yield metrics
        metrics.end()
