"""`xylem bench xmark --stream`: programs by hand answer like the queries, and the figures say what they should."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xylem
from typer.testing import CliRunner
from xylem.bench import xmark, xmark_stream_report
from xylem.bench.answers import same_answer
from xylem.bench.cli import app
from xylem.bench.xmark_by_hand import BY_HAND as LOOPS
from xylem.bench.xmark_queries import query
from xylem.bench.xmark_stream_run import Plan, QueryAtSize, StreamTimes, Taken, run
from xylem.bench.xmark_stream_worker import BY_HAND, ENGINES, SAXON, STREAMED, TREE

runner = CliRunner()


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("xmark") / "auction.xml"
    xmark.write(path, 0.005, seed=3)
    return path


@pytest.mark.parametrize("number", LOOPS)
def test_programs_by_hand_answer_like_the_queries(number: int, document: Path) -> None:
    pytest.importorskip("lxml.etree", reason="a peer is optional")
    ours = str(xylem.compile(query(number)).run(xylem.parse(document)))
    assert len(ours) > 1
    assert same_answer(ours, LOOPS[number](document))


def taken(seconds: float, memory: int = 40_000_000, answer: str = "a") -> Taken:
    return Taken(seconds, seconds, memory, answer)


def told(*rows: QueryAtSize) -> list[tuple[bool, str]]:
    return list(xmark_stream_report.verdicts(StreamTimes(120.0, 0.0, list(rows))))


def test_growth_is_scaled_to_ten_times_the_input() -> None:
    small = QueryAtSize(5, 10, {STREAMED: taken(1.0)})
    assert QueryAtSize(5, 1000, {STREAMED: taken(100.0)}).per_decade(small) == pytest.approx((10.0, False))
    assert QueryAtSize(5, 1000, stopped={STREAMED: 120.0}).per_decade(small) == pytest.approx((120.0**0.5, True))
    assert QueryAtSize(5, 1000, skipped=[STREAMED]).per_decade(small) is None
    assert QueryAtSize(5, 11, {STREAMED: taken(1.2)}).per_decade(small) is None
    assert QueryAtSize(5, 10, {STREAMED: taken(1.2)}).per_decade(small) is None


def test_ratios_know_what_a_stopped_process_tells() -> None:
    both = QueryAtSize(8, 10, {STREAMED: taken(3.0), TREE: taken(2.0)}, {SAXON: 120.0})
    assert both.ratio(TREE) == (1.5, 1.5)
    assert both.ratio(SAXON) == (0.0, 3.0 / 120.0)
    ours = QueryAtSize(8, 10, {TREE: taken(2.0)}, {STREAMED: 120.0, SAXON: 120.0})
    assert ours.ratio(TREE) == (60.0, float("inf"))
    assert ours.ratio(SAXON) is None
    assert ours.ratio(BY_HAND) is None


def test_bars_hold() -> None:
    peers = {TREE: taken(2.0), SAXON: taken(2.0), BY_HAND: taken(1.0)}
    rows = [
        QueryAtSize(number, megabytes, {**peers, STREAMED: taken(megabytes / 100)})
        for megabytes in (10, 100)
        for number in (1, 8)
    ]
    found = told(*rows)
    assert [holds for holds, _ in found] == [True] * 5
    assert found[3][1] == "joins, 2× the join by hand at most: 2 of 2, the worst of them Q8, 100 MB (1.00×)"
    # A join must keep something: its memory is no matter of this bar.
    assert "1 of 1" in found[4][1]


def test_bars_are_missed() -> None:
    small = QueryAtSize(1, 10, {STREAMED: taken(1.0), TREE: taken(0.5), SAXON: taken(0.8, answer="b")})
    large = QueryAtSize(1, 100, {STREAMED: taken(13.0, 90_000_000)})
    join = QueryAtSize(8, 10, {BY_HAND: taken(1.0)}, {STREAMED: 120.0})
    found = told(small, large, join)
    assert [holds for holds, _ in found] == [False] * 6
    assert [what.partition("; but ")[2] for _, what in found[:5]] == [
        "Q1 13.0× at 100 MB",
        "Q1 2.00× at 10 MB",
        "Q1 1.25× at 10 MB",
        "Q8 > 120.0× at 10 MB",
        "Q1 +50.0 MB from 10 MB of input at 100 MB",
    ]
    assert found[5][1] == "Q1, 10 MB: the answers differ: streamed, tree / Saxon"


def test_reports_say_who_was_stopped_and_who_was_not_asked() -> None:
    small = QueryAtSize(8, 10, {TREE: taken(1.0)}, {STREAMED: 120.0}, reasons={SAXON: "not installed"})
    times = StreamTimes(120.0, 3.0, [small, QueryAtSize(8, 100, {TREE: taken(9.0)}, skipped=[STREAMED])])
    remarks = list(xmark_stream_report.remarks(times))
    assert "load 3.0" in remarks[1]
    assert remarks[2:] == [
        "Saxon is left out for Q8, 10 MB: not installed",
        "Q8, 100 MB by streamed: skipped, since a smaller document took more than 120 s",
    ]
    assert [table.row_count for table in xmark_stream_report.tables(times)] == [2, 2]
    ElementTree.fromstring(xmark_stream_report.figure(times))
    assert json.loads(json.dumps(xmark_stream_report.as_json(times)))["queries"][0]["times_peer"] == {
        "tree": [120, None]
    }


def test_who_takes_too_long_is_stopped_and_not_asked_again(tmp_path: Path) -> None:
    times = run(tmp_path, Plan([0.1, 0.2], [1], [STREAMED], limit_seconds=0.001))
    assert [(row.stopped, row.skipped) for row in times.rows] == [({STREAMED: 0.001}, []), ({}, [STREAMED])]


@pytest.mark.turns("slow")
def test_from_the_command_line(tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "x.json"), "--svg", str(tmp_path / "x.svg")]
    options = ["--stream", "--sizes", "0.1,0.3", "--queries", "5,8", "--repeat", "1"]
    ended = runner.invoke(app, ["xmark", *options, *files])
    assert ended.exit_code == 0, ended.output
    figures = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert [row["number"] for row in figures["queries"]] == [5, 5, 8, 8]
    for row in figures["queries"]:
        assert {*row["taken"], *row["reasons"]} == set(ENGINES)
        assert row["answers_agree"]
        assert row["taken"][TREE]["parse_cpu_seconds"] > 0
        assert row["taken"][STREAMED]["peak_rss_bytes"] > 10_000_000
    assert (tmp_path / "x.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--sizes", "1"],
        ["--limit", "5"],
        ["--stream", "--scale", "0.1"],
        ["--stream", "--sizes", "x"],
        ["--stream", "--engines", "grep"],
        ["--stream", "--on", "flink"],
    ],
)
def test_wrong_use(arguments: list[str]) -> None:
    assert runner.invoke(app, ["xmark", *arguments]).exit_code == 2
