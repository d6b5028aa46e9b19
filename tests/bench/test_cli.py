"""`xylem bench` from the outside."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner
from xylem.bench.cli import app

runner = CliRunner()


def test_xmark_data(tmp_path: Path) -> None:
    path = tmp_path / "auction.xml"
    ended = runner.invoke(app, ["data", "xmark", "--scale", "0.001", "--seed", "4", "-o", str(path)])
    assert ended.exit_code == 0, ended.output
    assert ElementTree.parse(path).getroot().tag == "site"


def test_photon_data_to_standard_output() -> None:
    ended = runner.invoke(app, ["data", "photons", "--records", "3", "-o", "-"])
    assert ended.exit_code == 0
    assert ended.stdout.count("<photon>") == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["data", "xmark", "--scale", "0", "-o", "x.xml"],
        ["data", "xmark", "--scale", "0.001", "-o", "no/such/folder/x.xml"],
        ["data", "photons", "--records", "-1", "-o", "x.xml"],
        ["xmark", "--queries", "0"],
        ["xmark", "--queries", "x"],
    ],
)
def test_wrong_use(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert runner.invoke(app, arguments).exit_code == 2
