"""`xylem bench messages`: every way gives the answers of the program by hand, and the figures say what they should."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xylem
from typer.testing import CliRunner
from xylem.bench import messages_report, orders
from xylem.bench.answers import same_answer
from xylem.bench.cli import app
from xylem.bench.messages_engines import LXML, LXML_FILES, PARSE_RUN, RUN_FILES, RUN_STREAM, RUNS, STREAM, by_loop
from xylem.bench.messages_run import Cost, MessageTimes, Plan, run
from xylem.bench.messages_spark_worker import COLUMN, FROM_XML
from xylem.bench.messages_tasks import NAMED, SMALL, TASKS, MessageTask

runner = CliRunner()


def test_messages_of_a_seed_are_always_the_same() -> None:
    made = list(orders.generate(200, 300, seed=1))
    assert made == list(orders.generate(200, 300, seed=1)) != list(orders.generate(200, 300, seed=2))
    assert 295 < sum(map(len, made)) / len(made) < 315
    assert {ElementTree.fromstring(message).tag for message in made} == {"order"}
    assert max(map(len, orders.generate(200, orders.LEAST_BYTES))) < 240
    assert len(SMALL) == 30


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_programs_by_hand_answer_like_the_queries(task: MessageTask) -> None:
    messages = [message.encode() for message in orders.generate(50, 300)]
    query = xylem.compile(task.query)
    answers = [query.run(xylem.parse(message)).serialize() for message in messages]
    assert len(set(answers)) > 20
    assert all(map(same_answer, answers, map(task.standard, messages)))
    whole = f"<orders>{b''.join(messages).decode()}</orders>"
    together = str(xylem.compile(task.wrapped).run(xylem.parse(whole)))
    assert same_answer(together, task.joined(map(task.standard, messages)))
    assert "".join(map(str, xylem.compile(task.as_text).run(xylem.parse(messages[0])))) != ""
    pytest.importorskip("lxml.etree", reason="a peer is optional")
    loop = task.lxml()
    assert all(map(same_answer, answers, map(loop, messages)))


def test_a_loop_ends_when_its_time_is_over(tmp_path: Path) -> None:
    orders.write(tmp_path, 50, 300, 3)
    assert by_loop(PARSE_RUN, NAMED["value"], tmp_path, 60.0)["messages"] == 49
    assert by_loop(PARSE_RUN, NAMED["value"], tmp_path, 0.0)["messages"] == 1


@pytest.fixture
def times() -> MessageTimes:
    costs = {
        PARSE_RUN: Cost(100, 10.0, 0.1, True),
        STREAM: Cost(7, 4000.0, 0.1, True),
        RUN_STREAM: Cost(100, 0.0, 0.5, True, is_rough=True),
        LXML: Cost(100, 20.0, 0.1, True),
        COLUMN: Cost(100, 90.0, 9.0, False),
        FROM_XML: Cost(100, 60.0, 9.0, True),
    }
    calls = {"value": {"first": 0.01, "second": 0.0002, "later": 0.0001}}
    return MessageTimes(101, 10, 300.0, 2.0, {"value": costs}, {"value": {RUN_FILES: "stopped"}}, calls)


def test_bars(times: MessageTimes) -> None:
    assert list(messages_report.verdicts(times)) == [
        (True, "value by parse + run: 0.50× the time of lxml; the bar is 1×"),
        (False, "value by Query.stream: 200.00× the time of lxml; the bar is 1×"),
        (False, "value by Spark column: 1.50× the time of from_xml; the bar is 1×"),
        (True, "value: the second call of Query.stream over 30 bytes takes 0.20 ms; the bar is 0.3 ms"),
        (False, "value by Spark column: the answers are not those of the program by hand"),
    ]
    times.calls["value"]["second"] = 0.0004
    assert [holds for holds, what in messages_report.verdicts(times) if "second call" in what] == [False]


def test_reports(times: MessageTimes) -> None:
    remarks = list(messages_report.remarks(times))
    assert "Query.stream: there was time for a sample, of 7 messages at least" in remarks
    assert "value by run over files is left out: stopped" in remarks
    assert any(remark.startswith("~: too few messages") for remark in remarks)
    assert "load 2.0" in remarks[-1]
    assert messages_report.table(times).row_count == 7
    ElementTree.fromstring(messages_report.figure(times))
    assert json.loads(json.dumps(messages_report.as_json(times)))["times_peer"]["value"][PARSE_RUN] == 0.5


@pytest.mark.turns("slow")
def test_runs_of_the_command_line_are_measured(tmp_path: Path) -> None:
    times = run(tmp_path, Plan(20, 300, 4, [*RUNS, LXML_FILES], ["element"], repetitions=1))
    found = times.costs["element"]
    assert [found[engine].messages for engine in RUNS] == [20, 20, 4]
    assert all(cost.agree for cost in found.values())
    assert found[RUN_FILES].first_call_seconds > 0.05


def test_a_process_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    times = run(tmp_path, Plan(5, 300, 2, [PARSE_RUN, STREAM, COLUMN], ["value"], limit_seconds=0.01))
    stopped = "stopped after 0.01 seconds"
    assert times.reasons["value"] == {PARSE_RUN: stopped, STREAM: stopped, COLUMN: stopped}
    assert "calls over 30 bytes by Query.stream is left out: stopped after 0.01 seconds" in messages_report.remarks(
        times
    )
    assert list(messages_report.verdicts(times)) == []


@pytest.mark.turns("slow")
def test_from_the_command_line(tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "m.json"), "--svg", str(tmp_path / "m.svg")]
    options = [
        "--messages",
        "30",
        "--files",
        "2",
        "--seconds",
        "0.1",
        "--repeat",
        "1",
        "--no-spark",
        "--queries",
        "value",
    ]
    ways = "parse + run,query.stream,elementtree"
    ended = runner.invoke(app, ["messages", *options, "--engines", ways, *files])
    assert ended.exit_code == 0, ended.output
    figures = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert list(figures["costs"]) == ["value"] == list(figures["calls"])
    for found in figures["costs"].values():
        assert all(cost["agree"] and cost["microseconds"] > 0 for cost in found.values())
    assert (tmp_path / "m.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    "arguments", [["--messages", "1"], ["--bytes", "10"], ["--engines", "grep"], ["--repeat", "0"]]
)
def test_wrong_use(arguments: list[str]) -> None:
    assert runner.invoke(app, ["messages", *arguments]).exit_code == 2
