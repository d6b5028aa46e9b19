"""What `xylem bench best-match` measures: every way gives the same answer, and the table says who is how fast."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.bench import best_match_command
from xylem.bench.best_match_worker import TASKS
from xylem.bench.cli import app
from xylem.bench.photons import write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(("first.xml", "second.xml")):
        write(tmp_path / name, 400, number)
    return tmp_path


@pytest.mark.parametrize("engine", ["pandas", "polars", "duckdb"])
def test_the_nearest_is_the_same_for_all(engine: str, folder: Path) -> None:
    pytest.importorskip(engine)
    pytest.importorskip("lxml")
    own, other = TASKS["nearest"]("xylem", folder), TASKS["nearest"](engine, folder)
    assert own["answer"] == other["answer"]
    assert int(own["answer"].split()[0]) > 50
    assert all(TASKS["counted"](one, folder)["cpu_seconds"] >= 0 for one in ("xylem", engine))
    assert TASKS["core"](engine, folder)["cpu_seconds"] >= 0


def test_skylines_are_the_same(folder: Path) -> None:
    pytest.importorskip("scipy")
    assert TASKS["pareto"]("xylem", folder)["answer"] == TASKS["pareto"]("scipy", folder)["answer"]


def test_the_table_compares_answers_and_bars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def told(repeat: int, worker: str, arguments: list[str], limit: object) -> object:
        engine = arguments[1]
        if engine in ("scipy", "duckdb"):
            return f"no {engine} here"
        seconds = {"xylem": 1.0, "pandas": 6.0, "polars": 2.0}[engine]
        answer = "1 a" if engine != "polars" else "2 b"
        return {"cpu_seconds": seconds, "peak_bytes": 10**7, "answer": answer}

    monkeypatch.setattr(best_match_command, "best_of", told)
    asked = ["best-match", "--records", "5", "--large", "4", "--json", str(tmp_path / "f.json")]
    ended = CliRunner().invoke(app, asked)
    assert ended.exit_code == 0, ended.output
    assert "holds        nearest in time, within 0.5 s: 6.0 times as fast as pandas" in ended.output
    assert "FALLS SHORT  nearest in time, within 0.5 s: the answer of polars is another one" in ended.output
    assert "FALLS SHORT  nearest in time, within 0.5 s: 2.0 times as fast as polars" in ended.output
    assert "ten times the photons take 1.00 times the memory" in ended.output
    assert "no scipy here" in ended.output
    assert "figures" in (tmp_path / "f.json").read_text(encoding="utf-8")
