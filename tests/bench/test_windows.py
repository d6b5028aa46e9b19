"""`xylem bench windows`: all ways give the answer of the loop by hand, and the figures say what they should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.bench.cli import app
from xylem.bench.windows_engines import ENGINES, LeftOut, answer, by_hand, items_for
from xylem.bench.windows_report import verdicts
from xylem.bench.windows_run import Measured, SizeFigures, WindowResults, measure
from xylem.bench.windows_tasks import NAMED, TASKS


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("engine", [name for name in ENGINES if name not in ("Saxon", "BaseX")])
def test_ways_agree(task: object, engine: str) -> None:
    name = task.name  # type: ignore[attr-defined]
    for size, items in ((3, 20), (7, 7), (10, 101)):
        try:
            found = answer(engine, name, size, items)
        except LeftOut:
            assert engine == "pandas"
            return
        assert found == by_hand(NAMED[name], size, items)


def test_ways_that_scan_get_fewer_items() -> None:
    assert items_for("Saxon", NAMED["sliding"], 1_000, 1_000_000) == 2_000
    assert items_for("Saxon", NAMED["sliding"], 100_000, 1_000_000) is None
    assert items_for("Saxon", NAMED["tumbling"], 100_000, 1_000_000) == 1_000_000
    assert items_for("Xylem", NAMED["sliding"], 100_000, 1_000_000) == 1_000_000


def figures(size: int, seconds: float) -> SizeFigures:
    right = by_hand(NAMED["sliding"], size, 100)
    return SizeFigures(NAMED["sliding"], size, 100, {"Xylem": Measured(100, seconds, 1, right)})


def test_bars_can_be_missed() -> None:
    even = WindowResults([figures(10, 1.0), figures(20, 1.5)], {"sliding": {10: 1, 1000: 2}})
    assert [cleared for cleared, _ in verdicts(even)] == [True, True]
    growing = WindowResults([figures(10, 1.0), figures(20, 2.5)], {"sliding": {10: 1, 1000: 90_000_000}})
    assert [cleared for cleared, _ in verdicts(growing)] == [False, False]
    wrong = SizeFigures(NAMED["sliding"], 10, 100, {"Xylem": Measured(100, 1.0, 1, (1, 1))})
    assert [cleared for cleared, _ in verdicts(WindowResults([wrong], {}))] == [False]


def test_a_way_that_takes_too_long_is_stopped() -> None:
    assert measure("loop by hand", "sliding", 10, 100_000_000, 1, seconds=1.0) == "stopped after 1 seconds"


def test_growth_is_told_of_inputs_of_one_length() -> None:
    right = by_hand(NAMED["sliding"], 10, 1000)
    longer = SizeFigures(NAMED["sliding"], 10, 1000, {"Xylem": Measured(1000, 90.0, 1, right)})
    told = list(verdicts(WindowResults([figures(10, 1.0), figures(20, 1.5), longer], {})))
    assert told == [(True, "sliding: 1.50× the cost from 10 to 20 open windows; the bar is 2×")]


@pytest.mark.turns("slow")
def test_the_command(tmp_path: Path) -> None:
    options = ["--items", "200", "--sizes", "5,20", "--kinds", "tumbling,keyed", "--engines", "Xylem,loop by hand"]
    files = ["--json", str(tmp_path / "w.json"), "--svg", str(tmp_path / "w.svg"), "--markdown", str(tmp_path / "w.md")]
    ended = CliRunner().invoke(app, ["windows", *options, "--memory", "100,200", *files])
    assert ended.exit_code == 0, ended.output
    told = json.loads((tmp_path / "w.json").read_text(encoding="utf-8"))
    assert [row["answers_agree"] for row in told["windows"]] == [True] * 4
    assert (tmp_path / "w.svg").read_text(encoding="utf-8").startswith("<svg")
    table = (tmp_path / "w.md").read_text(encoding="utf-8").splitlines()
    assert table[0] == "| window | size | items | Xylem | loop by hand |"
    assert len([line for line in table if line.startswith("|")]) == 6
    lengths = ["--items", "150,300", "--sizes", "5", "--kinds", "sliding", "--engines", "Xylem; streamed,pandas"]
    ended = CliRunner().invoke(app, ["windows", *lengths, "--memory", "none"])
    assert ended.exit_code == 0, ended.output
    assert "300" in ended.output
    assert CliRunner().invoke(app, ["windows", "--kinds", "round"]).exit_code == 2
    assert CliRunner().invoke(app, ["windows", "--sizes", "x"]).exit_code == 2
