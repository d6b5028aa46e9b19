"""`xylem run --metrics`: how far a run is, and whether it came to its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app
from xylem.cli.run_metrics import EVERY_SECONDS, RunMetrics


def ran(place: Path, *arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(app, ["run", *arguments, "--quiet", "--metrics", str(place / "metrics")])
    assert result.exit_code in (0, 1, 3), result.output
    return [json.loads(line) for line in (place / "metrics").read_text().splitlines()]


@pytest.mark.parametrize("mode", ["--stream", "--no-stream"])
def test_a_run_that_ends_well_says_so(tmp_path: Path, mode: str) -> None:
    (tmp_path / "a.xml").write_text("<a><b/><b/></a>")
    last = ran(tmp_path, "-q", "//b", "-i", str(tmp_path / "a.xml"), mode)[-1]
    assert last["state"] == "ended"
    assert last["peak_rss_bytes"] > 0
    if mode == "--stream":
        assert (last["results"], last["input_bytes"]) == (2, 15)


def test_a_run_that_fails_does_not(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><b/><c></a>")
    lines = ran(tmp_path, "-q", "//b", "-i", str(tmp_path / "a.xml"))
    assert "ended" not in {line["state"] for line in lines}


def test_lines_come_at_most_so_often() -> None:
    now, written = 0.0, []
    metrics = RunMetrics(written.append, lambda: now)
    for step in range(101):
        now = step / 100
        metrics.updates(commits=step)
    metrics.end()
    lines = [json.loads(line) for line in written]
    assert len(lines) == 1 / EVERY_SECONDS + 2
    assert (lines[-1]["state"], lines[-1]["commits"], lines[-1]["seconds"]) == ("ended", 100, 1.0)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["run", "-q", "1", "--metrics", str(tmp_path / "no" / "metrics")])
    assert result.exit_code == 3
    assert "XYIN0002" in result.output
