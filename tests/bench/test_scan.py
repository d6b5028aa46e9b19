"""`xylem bench scan`: every engine answers every task alike; figures come from processes of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.bench import photons, xmark
from xylem.bench.answers import same_answer
from xylem.bench.cli import app
from xylem.bench.scan_engines import ENGINES
from xylem.bench.scan_report import verdicts
from xylem.bench.scan_run import BARS, Measured, TaskFigures
from xylem.bench.scan_tasks import TASKS, Task

runner = CliRunner()
NEEDS = {"lxml": "lxml.etree", "Saxon": "saxonche", "pygixml": "pygixml"}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("scan")
    made = {"auction": folder / "auction.xml", "photons": folder / "photons.xml"}
    xmark.write(made["auction"], 0.003)
    photons.write(made["photons"], 1_000)
    return made


@pytest.mark.parametrize("engine", ["lxml", "Saxon", "pygixml"])
@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
def test_all_answer_alike(task: Task, engine: str, documents: dict[str, Path]) -> None:
    pytest.importorskip(NEEDS[engine], reason="a peer is optional")
    document = documents[task.document]
    written = ENGINES["Xylem"](task.name, document)()
    assert isinstance(written, Path)
    ours = written.read_text()
    assert len(ours) > 1
    theirs = ENGINES[engine](task.name, document)()
    assert isinstance(theirs, str)
    assert same_answer(ours, theirs)


@pytest.mark.turns("slow")
def test_from_the_command_line(tmp_path: Path) -> None:
    files = tmp_path / "scan.json", tmp_path / "scan.svg"
    arguments = ["scan", "--sizes", "0.3,0.6", "--repeat", "1", "--engines", "expat,xylem"]
    ended = runner.invoke(app, [*arguments, "--json", str(files[0]), "--svg", str(files[1])])
    assert ended.exit_code == 0, ended.output
    figures = json.loads(files[0].read_text())
    assert [task["name"] for task in figures["tasks"]] == [task.name for task in TASKS]
    for task in figures["tasks"]:
        assert task["engines"]["Xylem"]["cpu_seconds"] > 0
        assert len(task["xylem_rss_by_input_bytes"]) == 1
    assert files[1].read_text().startswith("<svg")


@pytest.mark.parametrize("arguments", [["--sizes", "x"], ["--sizes", "0"], ["--engines", "grep"], ["--repeat", "0"]])
def test_wrong_use(arguments: list[str]) -> None:
    assert runner.invoke(app, ["scan", *arguments]).exit_code == 2


def test_bars_are_judged_by_ratios() -> None:
    fast, slow = Measured(1.0, 50_000_000, "a"), Measured(4.0, 10_000_000, "a")
    found = TaskFigures(TASKS[0], 100, {"Xylem": fast, "expat": slow}, larger={1000: Measured(9.0, 56_000_000, "a")})
    assert found.ratio("expat") == 4.0
    assert found.growth_bytes == 6_000_000
    assert [cleared for cleared, _ in verdicts([found])] == [BARS["expat"] <= 4.0, True, False]
