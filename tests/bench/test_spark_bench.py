"""`xylem bench spark`: its questions are good queries that are spread, and its verdicts say what the figures say."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.bench import photons, xmark
from xylem.bench.spark_report import as_json, caution, figure, table, verdicts
from xylem.bench.spark_run import SparkFigures, run, take
from xylem.bench.spark_tasks import TASKS, SparkTask
from xylem.bench.spark_worker import ON_SPARK, ONE_PROCESS, SPARK_XML
from xylem.spark.inputs import input_files
from xylem.spark.run_here import RunHere
from xylem.spark.shipped_query import shipped_query


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_questions_are_spread_and_have_answers(task: SparkTask, tmp_path: Path) -> None:
    path = tmp_path / "document.xml"
    if task.document == "auctions":
        xmark.write(path, 0.002)
    else:
        photons.write(path, 300)
    batch = RunHere(shipped_query(task.query), input_files(path), partitions=3)
    assert batch.is_spread
    answer = "".join(batch.pieces())
    assert answer not in ("", "0")
    assert answer == str(xylem.compile(task.query).run(xylem.parse(path)))


def figures(seconds: dict[str, float]) -> SparkFigures:
    found = SparkFigures(100, "local[2]", started=dict.fromkeys(seconds, 1.0))
    extra = {"cut_seconds": 0.1, "worker_rss_bytes": 90_000_000, "tasks": 4}
    for task in TASKS:
        found.tasks[task.name] = {
            engine: {"seconds": [2 * value, value], "output": "x", **extra} for engine, value in seconds.items()
        }
        if task.is_heavy:
            found.in_turn[task.name] = {engine: [value, 9 * value, value] for engine, value in seconds.items()}
    found.first_answers = dict.fromkeys(seconds, 2.0)
    found.small = {"small": [2.5, 2.0], "joined.xml": [1.0, 1.5]}
    found.cuts = {name: {"one_thread": 1.8, "all_threads": 1.0, "threads": 2} for name in ("auctions", "photons")}
    return found


def test_verdicts() -> None:
    good = figures({ONE_PROCESS: 3.0, ON_SPARK: 1.0, SPARK_XML: 10.0})
    assert all(cleared for cleared, _ in verdicts(good))
    assert len(list(verdicts(good))) == 2 * len(TASKS) + 4
    bad = figures({ONE_PROCESS: 1.0, ON_SPARK: 4.5, SPARK_XML: 5.0})
    bad.differing.append(TASKS[0].name)
    bad.small["small"] = [4.0]
    bad.cuts["photons"]["one_thread"] = 1.2
    bad.broken[SPARK_XML] = "was ended after 5 s"
    failed = [what for cleared, what in verdicts(bad) if not cleared]
    assert len(failed) == 2 * len(TASKS) + 4
    assert any("the answers differ" in what for what in failed)


def test_index_pass_that_is_short_need_not_be_parallel() -> None:
    found = figures({ONE_PROCESS: 3.0, ON_SPARK: 1.0})
    found.cuts = {"photons": {"one_thread": 0.4, "all_threads": 0.4, "threads": 1}}
    assert all(cleared for cleared, _ in verdicts(found))


def test_a_machine_that_others_use() -> None:
    assert caution(SparkFigures(1, "local[2]", 0.1)) is None
    assert "load 3.0" in str(caution(SparkFigures(1, "local[2]", 3.0)))


def test_lines_of_engines() -> None:
    found = SparkFigures(1, "local[2]")
    for line in (
        {"started": 1.5},
        {"first_answer": 2.5},
        {"warm": 3.5},
        {"task": "photons, scan", "seconds": [3.0, 1.0], "output": "x.txt"},
        {"in_turn": "auctions, report", ONE_PROCESS: [3.0], ON_SPARK: [2.0]},
        {"small": "small", "seconds": [2.0], "answer": "7"},
        {"cuts": "photons", "one_thread": 2.0, "all_threads": 1.0, "threads": 2},
    ):
        take(line, ON_SPARK, found)
    assert (found.started, found.first_answers, found.warm) == ({ON_SPARK: 1.5}, {ON_SPARK: 2.5}, {ON_SPARK: 3.5})
    assert (found.best("photons, scan", ON_SPARK), found.first("photons, scan", ON_SPARK)) == (1.0, 3.0)
    assert found.in_turn == {"auctions, report": {ONE_PROCESS: [3.0], ON_SPARK: [2.0]}}
    assert (found.small, found.small_answers) == ({"small": [2.0]}, {"small": "7"})
    assert found.cuts["photons"]["all_threads"] == 1.0


def test_an_engine_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xylem.bench.spark_run.SMALL_FILES", 2)
    found = run(tmp_path, 0.1, "local[2]", [ONE_PROCESS], 1, 0, 0.01, lambda step: None)
    assert found.broken == {ONE_PROCESS: "was ended after 0 s"}
    written = (tmp_path / "photons.xml").stat().st_mtime_ns
    run(tmp_path, 0.1, "local[2]", [ONE_PROCESS], 1, 0, 0.01, lambda step: None)
    assert (tmp_path / "photons.xml").stat().st_mtime_ns == written


def test_reports() -> None:
    found = figures({ONE_PROCESS: 3.0, ON_SPARK: 1.0})
    assert table(found).row_count == len(TASKS) + 7
    assert as_json(found)["tasks"][TASKS[0].name][ON_SPARK]["seconds"] == [2.0, 1.0]
    assert figure(found).startswith("<svg")
