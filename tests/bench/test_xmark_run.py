"""Measuring and reporting, with processors that answer at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from xylem.bench import xmark_report
from xylem.bench.answers import same_answer
from xylem.bench.bar_chart import bar_chart
from xylem.bench.xmark_queries import NUMBERS, query
from xylem.bench.xmark_run import Effort, QueryTimes, XMarkTimes, run


class Echo:
    """A processor whose answer is what it was told to say."""

    version = "1"

    def __init__(self, name: str, answer: str) -> None:
        self.name = name
        self._answer = answer

    def parse(self, path: Path) -> Any:
        return path.read_text()

    def answer(self, query: str, document: Any) -> str:
        if self._answer == "fail":
            raise ValueError("no answer")
        return self._answer


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "auction.xml"
    path.write_text("<site/>")
    return path


def test_all_queries_are_there() -> None:
    assert [f"Q{number}." in query(number) for number in NUMBERS] == [True] * 20
    with pytest.raises(ValueError, match="1 to 20"):
        query(21)


@pytest.mark.turns("slow")
def test_answers_are_compared_and_errors_kept(document: Path) -> None:
    peers = [Echo("Xylem", "<a x='1' y='2'/>"), Echo("Saxon", '<?xml version="1.0"?><a y="2" x="1"></a>')]
    times = run(document, [1, 2], peers, Effort(2))
    assert [row.agree for row in times.queries] == [True, True]
    times = run(document, [1], [Echo("Xylem", "fail"), peers[1]], Effort(1))
    assert times.queries[0].errors == {"Xylem": "ValueError: no answer"}
    assert times.slow() == [1]


def test_effort_stops_at_its_budget() -> None:
    calls: list[int] = []
    Effort(repetitions=5, budget_seconds=0.0001).measure(lambda: calls.append(sum(range(100_000))))
    assert len(calls) == 1


def _times(xylem: float) -> XMarkTimes:
    rows = [QueryTimes(8, {"Xylem": xylem, "Saxon": 0.1}, agree=True)]
    return XMarkTimes(Path("a.xml"), 1_000_000, {"Xylem": "1", "Saxon": "2"}, {"Xylem": 1.0, "Saxon": 0.4}, rows)


def test_slow_is_measured_against_parse_and_query() -> None:
    assert _times(0.4).slow() == []
    assert _times(0.6).slow() == [8]
    assert list(xmark_report.remarks(_times(0.6)))[-1].startswith("slower than 3 times")


def test_reports() -> None:
    times = _times(1.0)
    assert json.loads(json.dumps(xmark_report.as_json(times)))["queries"][0]["agree"] is True
    ElementTree.fromstring(xmark_report.figure(times))
    assert xmark_report.table(times).row_count == 2


def test_bar_chart_is_well_formed_and_leaves_gaps() -> None:
    figure = ElementTree.fromstring(bar_chart("a < b", ["one", "two"], {"x": [1.0, None], "y": [0.001, 1000.0]}))
    assert len(figure.findall("{*}rect")) == 1 + 2 + 3


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("<a/>", "<a></a>", True),
        ("1 2", "1 2", True),
        ("1 2", "12", False),
        ("<a>1</a>", "<a> 1</a>", False),
        ("map{1:2}", "map{1:2}", True),
        ("a &amp; b", "a &#38; b", True),
    ],
)
def test_same_answer(one: str, other: str, same: bool) -> None:
    assert same_answer(one, other) is same
