"""`xylem network match`, as it is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.network_command import app

PHOTONS = Path(__file__).resolve().parents[2] / "examples" / "photons"


def told(*arguments: str) -> str:
    ended = CliRunner().invoke(app, ["match", *arguments])
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_a_match_for_programs() -> None:
    schema = str(PHOTONS / "photons.dtd")
    found = json.loads(told(str(PHOTONS / "vela.xq"), str(PHOTONS / "rxj.xq"), "--schema", schema, "--format", "json"))
    assert found["reuse"] is True
    assert found["residual"] == ["en > 1.3", "ra > 130.5", "ra < 135.5", "dec > -48.0", "dec < -45.0"]
    assert found["widen"] is None


def test_no_match_for_people() -> None:
    printed = told(str(PHOTONS / "rxj.xq"), str(PHOTONS / "vela.xq"))
    assert printed.startswith("reuse:    no\nwhy:      it has only records with en > 1.3")
    assert printed.splitlines()[-1] == "          paths phc"


@pytest.mark.parametrize("query", ["//photon", "1 to 3"])
def test_a_query_without_records_is_told(query: str, tmp_path: Path) -> None:
    (tmp_path / "q.xq").write_text(query)
    assert "the second query reads more than" in told(str(PHOTONS / "vela.xq"), str(tmp_path / "q.xq"))
