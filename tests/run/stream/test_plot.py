"""The figure of a run: what was buffered and written, over the input."""

from __future__ import annotations

from xml.etree import ElementTree

import xylem
from xylem.run.stream.plot import BufferPlot, Sample, in_small_pieces
from xylem.source.byte_source import ByteSource

DATA = b"<list>" + b"<item><v>1</v><name>some name</name></item>" * 200 + b"</list>"


def test_a_run_is_sampled_finely() -> None:
    plot = BufferPlot()
    query = xylem.compile("<r>{ for $i in /list/item return <e>{ $i/name }{ $i/v }</e> }</r>")
    result = query.stream(in_small_pieces(ByteSource.of(DATA)))
    result.watch(plot.sample, counting=True)
    result.write_to(lambda data: None)
    assert len(plot.samples) > 20
    assert plot.samples[-1].input_bytes == len(DATA)
    events = [sample.output_events for sample in plot.samples]
    assert events == sorted(events)
    assert 0 < max(sample.peak_bytes for sample in plot.samples) < 200
    assert plot.samples[-1].held_bytes == 0


def curves(plot: BufferPlot) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    figure = ElementTree.fromstring(plot.svg("a < b"))
    buffered = figure.find("{*}polygon")
    written = figure.find("{*}polyline")
    assert buffered is not None
    assert written is not None
    return places(buffered.get("points", "")), places(written.get("points", ""))


def places(points: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, _, y in (point.partition(",") for point in points.split())]


def test_the_buffer_climbs_to_its_peak_and_falls() -> None:
    plot = BufferPlot()
    plot.samples += [Sample(50, 10, 10, 0), Sample(100, 0, 20, 5)]
    buffered, written = curves(plot)
    bottom = buffered[0][1]
    assert min(y for _, y in buffered) < bottom
    assert buffered[-1][1] == bottom
    # Nothing is written until the end: the curve is flat, then jumps.
    assert written[0][1] == written[1][1] == bottom
    assert written[1][0] == written[-1][0]
    assert written[-1][1] < bottom


def test_a_run_without_anything_has_a_figure() -> None:
    buffered, written = curves(BufferPlot())
    assert buffered
    assert written
