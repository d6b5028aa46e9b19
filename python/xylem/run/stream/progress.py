"""The position and speed of a run, for a progress display."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from xylem.source.byte_source import ByteSource
from xylem.values.qname import QName

from .run import Statistics


class Progress:
    """The progress of one run. Its numbers are those of the last batch."""

    def __init__(self, source: ByteSource, statistics: Statistics, passes: int = 1) -> None:
        self._earlier = self._last = source
        self.statistics = statistics
        self.is_counting = False
        self.written: MeasuredOutput | None = None
        """The output so far, if it is counted."""
        self._start = time.monotonic()
        self.passes = passes
        """Number of passes over the input."""

    def begin(self, output: Any) -> Any:
        """Begin the run; return its output."""
        self._start = time.monotonic()
        if not self.is_counting:
            return output
        self.written = MeasuredOutput(output)
        return self.written

    def reading(self, source: ByteSource) -> ByteSource:
        """Note that another source is read first: the same input, in an earlier pass."""
        self._earlier = source
        return source

    @property
    def source(self) -> ByteSource:
        """The source that is being read."""
        return self._last if self.statistics.passes >= self.passes else self._earlier

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

    @property
    def fraction(self) -> float | None:
        """The share of the input read so far, if its size is known; of its compressed bytes if it is compressed."""
        return min(1.0, self.source.position / self.source.size) if self.source.size else None

    @property
    def megabytes_per_second(self) -> float:
        """Bytes scanned per second so far, after decompression."""
        return self.statistics.input_bytes / 1e6 / max(self.seconds, 1e-6)

    def words(self) -> Iterator[str]:
        """The status line in parts."""
        yield f"{self.source.name or 'input'} "
        if self.passes > 1:
            yield f"pass {self.statistics.passes} of {self.passes} "
        size = self.source.size
        total = f"/{size / 1e6:,.1f}" if size else ""
        yield f"{self.source.position / 1e6:,.1f}{total} MB "
        if self.fraction is not None:
            yield f"{self.fraction:.0%} "
        yield f"{self.megabytes_per_second:,.1f} MB/s "
        if self.written is not None:
            yield f"{self.written.results:,} results"


class MeasuredOutput:
    """Counts the items and events on their way to another output."""

    def __init__(self, output: Any) -> None:
        self._output = output
        self.events = 0
        """Elements, attributes, texts and items."""
        self._outer = 0
        self._inner = 0
        self._depth = 0

    @property
    def results(self) -> int:
        """The number of items in the answer or, if it is one element, of its children."""
        return self._inner if self._outer == 1 and self._inner else self._outer

    def start_element(self, *arguments: Any) -> None:
        self._count()
        self._depth += 1
        self._output.start_element(*arguments)

    def attribute(self, name: QName, value: str) -> None:
        self.events += 1
        self._output.attribute(name, value)

    def text(self, value: str) -> None:
        self.events += 1
        self._output.text(value)

    def item(self, item: Any) -> None:
        self._count()
        self._output.item(item)

    @property
    def takes_markup(self) -> bool:
        return bool(self._output.takes_markup)

    def markup(self, text: str, items: int, *atomic: bool) -> None:
        self.events += items
        if self._depth == 0:
            self._outer += items
        elif self._depth == 1:
            self._inner += items
        self._output.markup(text, items, *atomic)

    def end_element(self) -> None:
        self._depth -= 1
        self._output.end_element()

    def finish(self) -> None:
        self._output.finish()

    def _count(self) -> None:
        self.events += 1
        if self._depth == 0:
            self._outer += 1
        elif self._depth == 1:
            self._inner += 1
