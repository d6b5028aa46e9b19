"""`xylem bench spark`: its questions are good queries that are spread, and its verdicts say what the figures say."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.bench import photons, xmark
from xylem.bench.spark_report import as_json, figure, table, verdicts
from xylem.bench.spark_run import SparkFigures
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
    run = RunHere(shipped_query(task.query), input_files(path), partitions=3)
    assert run.is_spread
    answer = "".join(run.pieces())
    assert answer not in ("", "0")
    assert answer == str(xylem.compile(task.query).run(xylem.parse(path)))


def figures(seconds: dict[str, float]) -> SparkFigures:
    found = SparkFigures(100, "local[2]", dict.fromkeys(seconds, 1.0))
    extra = {"cut_seconds": 0.1, "worker_rss_bytes": 90_000_000, "tasks": 4}
    for task in TASKS:
        found.tasks[task.name] = {
            engine: {"seconds": [2 * value, value], "output": "x", **extra} for engine, value in seconds.items()
        }
    found.small = {"small": 2.0, "joined.xml": 1.0}
    return found


def test_verdicts() -> None:
    good = figures({ONE_PROCESS: 3.0, ON_SPARK: 1.0, SPARK_XML: 10.0})
    assert all(cleared for cleared, _ in verdicts(good))
    assert len(list(verdicts(good))) == 2 * len(TASKS) + 2
    bad = figures({ONE_PROCESS: 1.0, ON_SPARK: 4.5, SPARK_XML: 5.0})
    bad.differing.append(TASKS[0].name)
    bad.small["small"] = 4.0
    failed = [what for cleared, what in verdicts(bad) if not cleared]
    assert len(failed) == 2 * len(TASKS) + 2
    assert any("the answers differ" in what for what in failed)


def test_reports() -> None:
    found = figures({ONE_PROCESS: 3.0, ON_SPARK: 1.0})
    assert table(found).row_count == len(TASKS) + 2
    assert as_json(found)["tasks"][TASKS[0].name][ON_SPARK]["seconds"] == [2.0, 1.0]
    assert figure(found).startswith("<svg")
