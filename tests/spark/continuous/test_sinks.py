"""Sinks: what was written twice is there once; what changes is edited in place."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.spark.continuous.sinks import ConsoleSink, DirectorySink, FileSink, Output, Turn


def said(*messages: str, ends_lines: bool = False) -> list[Output]:
    return [Output("q", messages, ends_lines)]


def test_files_of_a_directory_sort_as_the_answer_runs(tmp_path: Path) -> None:
    sink = DirectorySink(str(tmp_path), {"q": ".xml"})
    for batch in (0, 1, 2, 9, 10, 100):
        sink.write(Turn(batch), said(f"<{batch}>"), {})
    sink.write(Turn(100, is_end=True), said("</end>"), {})
    text = "".join(place.read_text() for place in sorted(tmp_path.iterdir()))
    assert text == "<0><1><2><9><10><100></end>"


def test_a_batch_that_is_written_again_is_there_once(tmp_path: Path) -> None:
    sink = DirectorySink(str(tmp_path), {"q": ".xml"})
    for _ in range(2):
        sink.write(Turn(0), said("<a/>", "<b/>", ends_lines=True), {})
    sink.write(Turn(1), said(), {})
    [place] = tmp_path.iterdir()
    assert place.read_text() == "<a/>\n<b/>\n"


def test_a_file_goes_on_at_its_committed_length(tmp_path: Path) -> None:
    sink = FileSink(str(tmp_path / "out.xml"))
    first = sink.write(Turn(0), said("<a>"), {})
    sink.write(Turn(1), said("<b/><c/>"), first)
    # A crash before the commit: the batch comes again, as it was.
    second = sink.write(Turn(1), said("<b/><c/>"), first)
    sink.write(Turn(2), said("</a>"), second)
    assert (tmp_path / "out.xml").read_text() == "<a><b/><c/></a>"


def test_a_file_that_was_cut_behind_our_back_is_told(tmp_path: Path) -> None:
    sink = FileSink(str(tmp_path / "out.xml"))
    known = sink.write(Turn(0), said("<a><b/>"), {})
    (tmp_path / "out.xml").write_text("<")
    with pytest.raises(InputError) as caught:
        sink.write(Turn(1), said("</a>"), known)
    assert caught.value.code == "XYIN0002"
    assert "shorter" in str(caught.value)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def changed(*currents: str | None) -> list[Output]:
    names = ("one", "two")
    return [Output(name, (), True, current) for name, current in zip(names, currents, strict=False)]


def test_a_terminal_is_edited_in_place() -> None:
    terminal = Terminal()
    sink = ConsoleSink(terminal, is_named=True)
    sink.write(Turn(0), changed("1", "10"), {})
    sink.write(Turn(1), changed("2", None), {})
    sink.write(Turn(1, is_end=True), [Output("one", (), True)], {})
    assert terminal.getvalue() == ("one: 1\ntwo: 10\n\x1b[2A\x1b[Jone: 2\ntwo: 10\n\x1b[2A\x1b[Jone: 2\ntwo: 10\n")


def test_elsewhere_each_change_is_a_line() -> None:
    out = io.StringIO()
    sink = ConsoleSink(out)
    sink.write(Turn(0), changed("1"), {})
    sink.write(Turn(1), changed("2"), {})
    sink.write(Turn(2), said("<x/>", "<y/>", ends_lines=True), {})
    assert out.getvalue() == "1\n2\n<x/>\n<y/>\n"


def test_content_of_another_run_is_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "out.xml"
    FileSink(str(place)).refuse_other_results()
    place.write_text("")
    FileSink(str(place)).refuse_other_results()
    place.write_text("of another run")
    with pytest.raises(InputError, match="XYRT0031"):
        FileSink(str(place)).refuse_other_results()
    with pytest.raises(InputError, match="not a directory"):
        DirectorySink(str(place), {"q": ".xml"}).refuse_other_results()
    with pytest.raises(InputError, match="not a regular file"):
        FileSink(str(tmp_path)).refuse_other_results()
