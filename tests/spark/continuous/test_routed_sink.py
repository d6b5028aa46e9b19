"""Results of batches told apart by name: the same after a crash, and also where a text is cut anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from xylem.spark.continuous.routed_sink import RoutedSink
from xylem.spark.continuous.sinks import FileSink, Output, Turn

TEXT = '<r><a n="1"/>x<b><a/></b><a>é</a></r>'


def sink(folder: Path) -> RoutedSink:
    return RoutedSink(FileSink(str(folder / "rest")), {"a": FileSink(str(folder / "a"))})


@pytest.mark.parametrize("size", [1, 4, 100])
def test_a_text_in_pieces(tmp_path: Path, size: int) -> None:
    committed: dict[str, Any] = {}
    pieces = [TEXT[start : start + size] for start in range(0, len(TEXT), size)]
    for batch, piece in enumerate(pieces):
        outputs = [Output("q", (piece,), False)]
        # Each batch is written twice, as after a crash before its commit, and by another process.
        sink(tmp_path).write(Turn(batch), outputs, committed)
        committed = json.loads(json.dumps(sink(tmp_path).write(Turn(batch), outputs, committed)))
    ended = sink(tmp_path).write(Turn(len(pieces) - 1, is_end=True), [Output("q", ("",), True)], committed)
    assert ended["texts"] == {}
    assert (tmp_path / "a").read_text() == '<a n="1"/>\n<a>é</a>\n'
    assert (tmp_path / "rest").read_text() == "<r>x<b><a/></b></r>\n"


def test_the_end_of_a_text_belongs_to_it(tmp_path: Path) -> None:
    committed = sink(tmp_path).write(Turn(0), [Output("q", ("<r><a>1",), False)], {})
    sink(tmp_path).write(Turn(0, is_end=True), [Output("q", ("</a></r>",), True)], committed)
    assert (tmp_path / "a").read_text() == "<a>1</a>\n"
    assert (tmp_path / "rest").read_text() == "<r></r>\n"


def test_messages_are_told_apart_one_by_one(tmp_path: Path) -> None:
    changing = Output("n", (), True, current="<a>5</a>")
    sink(tmp_path).write(Turn(0), [Output("q", ("<a/>", "<b/>", "<a>2</a>"), True), changing], {})
    assert (tmp_path / "a").read_text() == "<a/>\n<a>2</a>\n"
    assert (tmp_path / "rest").read_text() == "<b/>\n<a>5</a>\n"
