"""Output and buffers over the input as it was read, drawn like the thesis' figures 3.26 to 3.30.

The input runs from left to right. The filled curve shows the buffered bytes (left scale), the dotted one the events
written so far (right scale): output that climbs evenly streams, and output that jumps at the end waited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xylem.sink.svg_chart import GRID, Scale, chart, label, legend, line
from xylem.source.byte_source import ByteSource

from .progress import Progress

PIECES = 1000
"""Most samples that are worth drawing."""
_SMALLEST_PIECE, _LARGEST_PIECE = 256, 1 << 20

_LEFT, _TOP, _WIDTH, _HEIGHT, _RIGHT, _BOTTOM = 80, 60, 640, 260, 80, 50
_BUFFERED, _WRITTEN = "#b5452f", "#2b5fa8"


@dataclass(frozen=True)
class Sample:
    """The state of a run at one point of its input."""

    input_bytes: int
    held_bytes: int
    peak_bytes: int
    """The peak since the previous sample."""
    output_events: int


class BufferPlot:
    """The samples of one run, and their figure."""

    def __init__(self) -> None:
        self.samples = [Sample(0, 0, 0, 0)]

    def sample(self, progress: Progress) -> None:
        """Record the current state of the run."""
        measured, written = progress.statistics, progress.written
        now = Sample(
            measured.input_bytes,
            measured.held_bytes,
            max(measured.recent_peak_bytes, measured.held_bytes),
            0 if written is None else written.events,
        )
        measured.recent_peak_bytes = measured.held_bytes
        self.samples.append(now)

    def svg(self, title: str = "Buffers and output over the input") -> str:
        """The figure."""
        across = Scale(max(s.input_bytes for s in self.samples), _LEFT, _LEFT + _WIDTH)
        held = Scale(max(s.peak_bytes for s in self.samples), _TOP + _HEIGHT, _TOP)
        written = Scale(max(s.output_events for s in self.samples), _TOP + _HEIGHT, _TOP)
        parts = legend(["buffered bytes", "output events"], _LEFT, (_BUFFERED, _WRITTEN), 160)
        parts += _axes(across, held, written)
        parts.append(self._buffer_curve(across, held))
        parts.append(self._output_curve(across, written))
        return chart(title, _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM, _LEFT, parts)

    def _buffer_curve(self, across: Scale, held: Scale) -> str:
        """The curve of buffered bytes: up to the peak before each sample, then down to the rest."""
        heights = [(s.input_bytes, height) for s in self.samples for height in (s.peak_bytes, s.held_bytes)]
        points = _steps(across, held, [(0, 0), *heights, (self.samples[-1].input_bytes, 0)])
        return f'<polygon points="{points}" fill="{_BUFFERED}" fill-opacity="0.25" stroke="{_BUFFERED}"/>'

    def _output_curve(self, across: Scale, written: Scale) -> str:
        points = _steps(across, written, [(s.input_bytes, s.output_events) for s in self.samples])
        return f'<polyline points="{points}" fill="none" stroke="{_WRITTEN}" stroke-dasharray="2 3"/>'


def _steps(across: Scale, up: Scale, places: Iterable[tuple[int, int]]) -> str:
    """The corners of a step curve; points on a straight line are left out."""
    corners: list[tuple[float, float]] = []

    def go_to(x: float, y: float) -> None:
        if len(corners) > 1 and corners[-1][1] == corners[-2][1] == y:
            corners.pop()
        if not corners or corners[-1] != (x, y):
            corners.append((x, y))

    for value, height in places:
        x = round(across.at(value), 1)
        if corners:
            go_to(x, corners[-1][1])
        go_to(x, round(up.at(height), 1))
    return " ".join(f"{x:g},{y:g}" for x, y in corners)


def _axes(across: Scale, held: Scale, written: Scale) -> Iterator[str]:
    bottom, right = _TOP + _HEIGHT, _LEFT + _WIDTH
    for value in held.marks():
        y = held.at(value)
        yield line(_LEFT, y, right, y)
        yield label(_LEFT - 6, y + 4, _bytes(value), "end", fill=_BUFFERED)
    for value in written.marks():
        yield label(right + 6, written.at(value) + 4, f"{value:,.0f}", fill=_WRITTEN)
    for value in across.marks():
        x = across.at(value)
        yield line(x, _TOP, x, bottom, GRID)
        yield label(x, bottom + 16, _bytes(value), "middle")
    yield label(_LEFT + _WIDTH / 2, bottom + 36, "input read", "middle")


def _bytes(value: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g} B"


def in_small_pieces(source: ByteSource) -> ByteSource:
    """The input in pieces small enough to sample a run closely."""
    size = source.size or PIECES << 16
    return in_pieces(source, min(_LARGEST_PIECE, max(_SMALLEST_PIECE, size // PIECES)))


def in_pieces(source: ByteSource, piece: int) -> ByteSource:
    """The input in pieces of at most a number of bytes."""
    again = (lambda: in_pieces(source.again(), piece)) if source.can_be_read_again else None
    return ByteSource(_cut(source, piece), name=source.name, uri=source.uri, close=source.close, again=again)


def _cut(chunks: Iterable[bytes], piece: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), piece):
            yield chunk[start : start + piece]
