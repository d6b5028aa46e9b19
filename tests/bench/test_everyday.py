"""`xylem bench everyday`: every query agrees with its loop by hand, and the bars are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import xylem
from typer.testing import CliRunner
from xylem.bench import photons
from xylem.bench.cli import app
from xylem.bench.everyday_command import verdicts
from xylem.bench.everyday_tasks import TASKS, EverydayTask
from xylem.bench.scan_run import Measured

pytest.importorskip("lxml.etree")


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("everyday") / "photons.xml"
    photons.write(path, 300, 0)
    return path


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_stream_the_tree_and_the_loop_agree(task: EverydayTask, document: Path) -> None:
    written: list[bytes] = []
    query = xylem.compile(task.query)
    query.stream(document).write_to(written.append)
    by_hand = task.by_hand(document)
    assert b"".join(written).decode() == by_hand
    assert query.run(xylem.parse(document)).serialize() == by_hand
    assert by_hand.count("<") > 2


def test_bars() -> None:
    def figures(xylem_seconds: float, tree: float, lxml: float, answer: str = "a") -> dict[str, Measured]:
        return {
            "Xylem": Measured(xylem_seconds, 1, answer),
            "tree": Measured(tree, 1, "a"),
            "lxml": Measured(lxml, 1, "a"),
        }

    told = dict(reversed(one) for one in verdicts({"construct": figures(1, 1, 4), "product": figures(5, 4, 4, "b")}))
    assert [what for what, holds in told.items() if holds] == [
        "construct: 4.0× as fast as a loop over lxml; the bar is 3×",
        "construct: 1.00× the time over the tree; the bar is 1.2×",
    ]
    assert "product: the answers differ" in told
    assert "product: 5.00× the time of construct; the bar is 3×" in told


def test_the_command(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    arguments = ["everyday", "--size", "0.1", "--tasks", "where,product", "--repeat", "1", "--json", str(figures)]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output
    told = json.loads(figures.read_text())
    assert set(told["tasks"]) == {"where", "product"}
    assert set(told["tasks"]["where"]) == {"Xylem", "tree", "lxml"}
    assert not any("differ" in bar["what"] for bar in told["bars"])
    assert CliRunner().invoke(app, ["everyday", "--tasks", "nothing"]).exit_code == 2
