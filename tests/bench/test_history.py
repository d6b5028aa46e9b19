"""`xylem bench history`: what it measures, and that Saxon agrees."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.bench.cli import app
from xylem.bench.history_report import verdicts
from xylem.bench.history_run import HistoryResults, Plan
from xylem.bench.history_tasks import TASKS, HistoryTask
from xylem.bench.history_worker import ENGINES, saxon, sqlite, xylem


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_query_is_kept_by_operators(task: HistoryTask) -> None:
    found = xylem(task, 40, 60, 0)
    assert found["updates"] == 60
    assert found["whole"] == ""


@pytest.mark.skipif(find_spec("saxonche") is None, reason="the package saxonche is not installed")
@pytest.mark.parametrize("task", [task for task in TASKS if task.plain is not None], ids=lambda task: task.name)
def test_saxon_gives_the_same_answer(task: HistoryTask) -> None:
    assert saxon(task, 30, 4, 0)["answer"] == xylem(task, 30, 4, 0)["answer"]


@pytest.mark.parametrize("package", ["bytewax", "pathway"])
@pytest.mark.parametrize("task", TASKS[:2], ids=lambda task: task.name)
def test_a_dataflow_by_hand_gives_the_same_answer(task: HistoryTask, package: str) -> None:
    found = ENGINES[package](task, 30, 40, 0)
    if find_spec(package) is None:
        assert found == {"missing": f"the package {package} is not installed"}
    else:
        assert found["answer"] == xylem(task, 30, 40, 0)["answer"]


def test_tables_by_hand_take_every_update() -> None:
    assert sqlite(TASKS[0], 20, 5, 0)["updates"] == 5


def test_command(tmp_path: Path) -> None:
    place = tmp_path / "figures.json"
    given = "history --queries count --regions 20,40 --updates 20 --peers SQLite --peer-regions 20 --memory-updates 50"
    result = CliRunner().invoke(app, [*given.split(), "--memory-regions", "20", "--json", str(place)])
    assert result.exit_code == 0, result.output
    figures = json.loads(place.read_text())
    assert set(figures["costs"]["count"]) == {"20", "40"}
    assert figures["memory"]["longest_history"] <= 2


def test_bars_that_do_not_hold_are_told() -> None:
    plan = Plan(["count"], [10, 20], 10, [], 10, 0, 10, 1.0, 1, 0)
    slow = {"median_us": 1.0, "updates": 10, "cpu_seconds": 1.0, "whole": ""}
    results = HistoryResults(plan, 0.0, {"count": {10: slow, 20: {**slow, "median_us": 5.0}}})
    assert [holds for holds, _ in verdicts(results)] == [False, False, False]
