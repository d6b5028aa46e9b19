"""Continuous runs on Spark in the console: started, watched, stopped, and continued from their checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")
pytest.importorskip("pyspark")

from tests.console.test_runs import Console


def waited(answer: Callable[[], Any], seconds: float = 400) -> Any:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = answer()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError("it does not come")


@pytest.mark.timeout(900)
@pytest.mark.turns("slow")
def test_a_continuous_run(tmp_path: Path) -> None:
    (tmp_path / "b.xq").write_text("//b")
    (tmp_path / "incoming").mkdir()
    (tmp_path / "incoming" / "1.xml").write_text("<a><b>1</b><b>2</b></a>")
    (tmp_path / "incoming" / "2.xml").write_text("<a><b>1</c></a>")
    console = Console(tmp_path)
    asked = {"query": "b.xq", "input": "incoming", "runner": "stream", "malformed": "dead-letter"}
    number = console.post("/api/runs", **asked).json()["id"]

    try:
        _watched(console, number, tmp_path)
    finally:
        console.post(f"/api/runs/{number}/stop")


def _watched(console: Console, number: str, project: Path) -> None:
    def run() -> dict[str, Any]:
        found: dict[str, Any] = console.get(f"/api/runs/{number}").json()
        assert found["state"] == "running", found["told"]
        return found

    def stop() -> None:
        console.post(f"/api/runs/{number}/stop")
        waited(lambda: console.get(f"/api/runs/{number}").json()["state"] == "stopped")

    waited(lambda: run()["figures"].get("items") == 2)
    figures = run()["figures"]
    assert (figures["malformed"], figures["input_bytes"]) == (1, 38)
    assert figures["latency_seconds"] > 0
    (letter,) = console.get(f"/api/runs/{number}/letters").json()
    assert (letter["code"], letter["line"], letter["path"]) == ("XYIN0001", 1, "/a/b")
    assert letter["text"] == "<a><b>1</c></a>"
    operators = console.get(f"/api/runs/{number}/plan").json()
    assert {"task", "merge"} & {one["runs"] for one in operators}
    (project / "incoming" / "3.xml").write_text("<a><b>3</b></a>")
    waited(lambda: run()["figures"].get("items") == 3)
    stop()
    (project / "incoming" / "4.xml").write_text("<a><b>4</b></a>")
    assert console.post(f"/api/runs/{number}/restart").json() == {"id": number}
    waited(lambda: run()["figures"].get("items") == 4)
    stop()
    result = project / ".xylem" / "runs" / number / "result"
    assert result.read_text() == "<b>1</b>\n<b>2</b>\n<b>3</b>\n<b>4</b>\n"
    told = console.get(f"/api/runs/{number}/events").text
    assert "4" in told.splitlines()[0]
