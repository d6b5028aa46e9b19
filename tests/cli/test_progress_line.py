"""The progress line: drawn after a moment, not too often, and never in the way of results."""

from __future__ import annotations

import io

from xylem.cli.progress_line import EVERY_SECONDS, FIRST_AFTER_SECONDS, ProgressLine
from xylem.run.stream.progress import MeasuredOutput, Progress
from xylem.run.stream.run import Statistics
from xylem.source.byte_source import ByteSource

ERASED = "\r\x1b[2K"


class Clock:
    """A clock that stands still until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def started() -> tuple[ProgressLine, io.StringIO, Clock, Progress]:
    terminal, clock = io.StringIO(), Clock()
    source = ByteSource([], name="big.xml", size=4_000_000)
    source.position = 1_000_000
    progress = Progress(source, Statistics(input_bytes=3_000_000))
    progress.is_counting = True
    return ProgressLine(terminal, clock), terminal, clock, progress


def test_a_short_run_shows_nothing() -> None:
    line, terminal, clock, progress = started()
    clock.now += FIRST_AFTER_SECONDS / 2
    line.show(progress)
    line.close()
    assert terminal.getvalue() == ""


def test_a_long_run_shows_bytes_percent_speed_and_results() -> None:
    line, terminal, clock, progress = started()
    progress.begin(_Nowhere()).item(1)
    clock.now += FIRST_AFTER_SECONDS
    line.show(progress)
    shown = terminal.getvalue()
    assert "big.xml" in shown
    assert "1.0/4.0 MB" in shown
    assert "25%" in shown
    assert "MB/s" in shown
    assert "1 results" in shown
    line.close()
    assert terminal.getvalue().endswith(ERASED)


def test_it_is_not_drawn_again_at_once() -> None:
    line, terminal, clock, progress = started()
    clock.now += FIRST_AFTER_SECONDS
    line.show(progress)
    once = terminal.getvalue()
    clock.now += EVERY_SECONDS / 2
    line.show(progress)
    assert terminal.getvalue() == once
    clock.now += EVERY_SECONDS
    line.show(progress)
    assert terminal.getvalue().count("big.xml") == 2


def test_it_makes_room_for_results_and_comes_back_on_a_line_of_its_own() -> None:
    line, terminal, clock, progress = started()
    clock.now += FIRST_AFTER_SECONDS
    line.show(progress)
    line.make_room(ends_line=False)
    assert terminal.getvalue().endswith(ERASED)
    clock.now += 1
    line.show(progress)
    assert terminal.getvalue().endswith(ERASED), "a line of results is open"
    line.make_room(ends_line=True)
    line.show(progress)
    assert terminal.getvalue().count("big.xml") == 2


def test_results_are_items_or_what_stands_in_the_one_element() -> None:
    many = MeasuredOutput(_Nowhere())
    for number in range(3):
        many.start_element("e", {})
        many.item(number)
        many.end_element()
    assert many.results == 3
    one = MeasuredOutput(_Nowhere())
    one.start_element("r", {})
    for number in range(5):
        one.item(number)
    one.end_element()
    assert (one.results, one.events) == (5, 6)


class _Nowhere:
    def __getattr__(self, name: str) -> object:
        return lambda *arguments: None
