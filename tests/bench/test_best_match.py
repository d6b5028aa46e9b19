"""What `xylem bench best-match` measures: every way gives the same answer, and the table says who is how fast."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from xylem.bench import best_match_command, best_match_thesis
from xylem.bench import best_match_report as report
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


def test_what_does_not_fit_into_memory_gives_the_same(folder: Path) -> None:
    whole, spilled = (TASKS["unordered"](engine, folder) for engine in ("xylem", "spilled"))
    assert whole["answer"] == spilled["answer"]


def test_spark_is_compared_with_one_process() -> None:
    def crowded(seconds: float, answer: str) -> dict[str, Any]:
        own = [{"seconds": each, "cpu_seconds": 8.5, "answer": "5"} for each in (11.0, 9.0)]
        spread = [{"seconds": each, "cpu_seconds": 9.0, "answer": answer} for each in (seconds, 10.0)]
        return {"photons": 80_000, "bytes": 30_000_000, "runs": {"xylem": own, "local[2]": spread}}

    _, (_, told) = report.of_spark(crowded(5.0, "5"))
    assert [holds for holds, _ in report.of_spark(crowded(5.0, "5"))] == [True, True]
    assert "80,000 photons in each file, 30 MB in all" in told
    assert "9.0 s by one process, local[2] is 1.80 times as fast" in told
    assert [holds for holds, _ in report.of_spark(crowded(7.0, "6"))] == [False, False]
    assert report.of_cores(crowded(5.0, "5"))[1].endswith("5.0 (9.0), 10.0 (9.0)")
    assert report.of_spark({"local[2]": "no Java here"}) == report.of_cores({"local[2]": "no Java here"}) == []


def test_a_crowded_join_by_one_process(folder: Path) -> None:
    assert int(TASKS["crowded"]("xylem", folder)["answer"]) > 400


@pytest.mark.parametrize("distribution", best_match_thesis.DISTRIBUTIONS)
def test_the_algorithms_of_the_thesis_agree(distribution: str) -> None:
    for dimensions in (1, 2, 4):
        assert best_match_thesis.measured(130, dimensions, distribution)["pairs"]


def test_results_come_while_input_is_read() -> None:
    curves = best_match_thesis.delivered(200)
    for name, curve in curves.items():
        assert curve[-1] == (100.0, 100.0)
        half = [done for read, done in curve if read <= 60]
        assert 20 < half[-1] < 70, name
    # Only values rounded to the limit come in steps (thesis, figure 4.15).
    assert len(curves["uniform, in steps"]) < 0.8 * len(curves["uniform"])


def test_the_table_compares_answers_and_bars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def told(repeat: int, worker: str, arguments: list[str], limit: object) -> object:
        engine = arguments[1]
        if engine in ("scipy", "duckdb"):
            return f"no {engine} here"
        if arguments[0] == "thesis":
            return TASKS["thesis"]("xylem", tmp_path)
        seconds = {"xylem": 1.0, "pandas": 6.0, "polars": 2.0, "spilled": 2.5}[engine]
        answer = "1 a" if engine != "polars" else "2 b"
        return {"cpu_seconds": seconds, "peak_bytes": 10**7, "answer": answer}

    monkeypatch.setattr(best_match_command, "best_of", told)
    monkeypatch.setattr(best_match_thesis, "FIXED_SIZE", 60)
    monkeypatch.setattr(best_match_thesis.table, "__defaults__", ((40, 60), 0))
    monkeypatch.setattr(best_match_thesis.delivered, "__defaults__", (60, 0))
    monkeypatch.setattr(best_match_thesis.materialised, "__defaults__", (2000,))
    asked = ["best-match", "--records", "5", "--large", "4", "--json", str(tmp_path / "f.json"), "--svg", str(tmp_path)]
    ended = CliRunner().invoke(app, asked)
    assert ended.exit_code == 0, ended.output
    assert "holds        nearest in time, within 0.5 s: 6.0 times as fast as pandas" in ended.output
    assert "FALLS SHORT  nearest in time, within 0.5 s: the answer of polars is another one" in ended.output
    assert "FALLS SHORT  nearest in time, within 0.5 s: 2.0 times as fast as polars" in ended.output
    assert "ten times the photons take 1.00 times the memory" in ended.output
    assert "each takes 0.10 times the CPU" in ended.output
    assert "a tenth of it in memory takes 2.50 times as long" in ended.output
    assert "holds        all algorithms of the thesis' table give the same pairs" in ended.output
    assert "holds        cells and runs give the same windows" in ended.output
    for chart in ("sizes", "dimensions", "delivered"):
        assert "<polyline" in (tmp_path / f"best-match-{chart}.svg").read_text(encoding="utf-8")
    assert "no scipy here" in ended.output
    assert "figures" in (tmp_path / "f.json").read_text(encoding="utf-8")
