"""`xylem bench single-pass`: what it measures, what it says of it, and one small run."""

from __future__ import annotations

from pathlib import Path

from xylem.bench import single_pass_report
from xylem.bench.single_pass_data import GENERATORS
from xylem.bench.single_pass_queries import application
from xylem.bench.single_pass_run import PLAIN, Cost, PassFigures, PassResults, run
from xylem.bench.single_pass_tasks import APPLICATIONS, NAMED

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "single-pass"
SATELLITE = NAMED["satellite"]


def figures(megabytes: float, ours: float, plain: float, saxon: float | None, memory: int = 40_000_000) -> PassFigures:
    made = PassFigures(SATELLITE, megabytes)
    made.costs = {"Xylem": Cost(ours, ours, memory, "<a/>"), PLAIN: Cost(plain, plain, memory, "7")}
    if saxon is not None:
        made.costs["Saxon"] = Cost(saxon, saxon, memory, "<a/>")
    return made


def told(*found: PassFigures) -> dict[str, bool]:
    results = PassResults(list(found), {"satellite": 0.1}, 60.0)
    return {what: cleared for cleared, what in single_pass_report.verdicts(results)}


def test_the_queries_are_those_of_the_examples() -> None:
    for task in APPLICATIONS:
        assert application(task.name) == (EXAMPLES / f"{task.name}.xq").read_text(encoding="utf-8")


def test_data_of_a_size_is_always_the_same() -> None:
    for generate in GENERATORS.values():
        text = "".join(generate(5_000, 1))
        assert text == "".join(generate(5_000, 1)) != "".join(generate(5_000, 2))
        assert 5_000 <= len(text) < 6_000


def test_bars() -> None:
    good = told(figures(1, 0.4, 0.3, 10.0), figures(10, 0.5, 0.35, 80.0))
    assert all(good.values())
    assert len(good) == 4
    slow = told(figures(1, 0.4, 0.3, 1.0), figures(10, 6.0, 0.35, 80.0, 400_000_000))
    assert list(slow.values()) == [False, False, False, False]


def test_answers_that_differ_are_told() -> None:
    wrong = figures(10, 0.5, 0.35, 80.0)
    wrong.costs["Saxon"] = Cost(80.0, 80.0, 1, "<b/>")
    assert told(wrong)["satellite, 10 MB: the answers differ"] is False


def test_an_engine_that_was_stopped_or_failed() -> None:
    stopped = figures(10, 0.5, 0.35, None)
    stopped.stopped["Saxon"] = 60.0
    what = "satellite, 10 MB: Saxon was stopped after {} s, {}× the time of Xylem; the bar is 50×"
    assert told(stopped)[what.format(60, 120)]
    stopped.stopped["Saxon"] = 20.0
    assert not told(stopped)[what.format(20, 40)]
    assert single_pass_report.figure(PassResults([stopped], {}, 60.0)).startswith("<svg")


def test_a_tail_call_is_not_compared_with_saxon() -> None:
    tail = PassFigures(NAMED["frequent-items-tail"], 10, figures(10, 0.5, 0.35, 0.6).costs)
    assert list(told(tail).values()) == [True]


def test_a_small_run() -> None:
    results = run([SATELLITE], lambda task: [0.02], ["Xylem"], 60.0, 1, lambda what: None)
    (found,) = results.figures
    assert set(found.costs) == {"Xylem", PLAIN}
    assert found.costs["Xylem"].answer.startswith("<pixel><latitude>0")
    assert found.costs["Xylem"].peak_rss_bytes > 10_000_000
