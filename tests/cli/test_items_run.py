"""`xylem run --items`: what `--stats` tells of a run over items that arrive one after the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app

QUERY = (
    "declare variable $s as element(i)** external; "
    "for tumbling window $w in $s start at $i when true() end at $j when $j - $i eq 1 return sum($w)"
)


@pytest.mark.parametrize("style", ["--stats=text", "--stats=json"])
def test_what_was_read_is_told(tmp_path: Path, style: str) -> None:
    place = tmp_path / "s.xml"
    place.write_text("<s><i>1</i><i>2</i><i>3</i></s>", encoding="utf-8")
    ended = CliRunner().invoke(app, ["run", "-q", QUERY, "--items", f"s={place}", style])
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.split() == ["3", "3"]
    if style == "--stats=text":
        assert "items of s         3" in ended.stderr
        assert "31 bytes" in ended.stderr
    else:
        told = json.loads(ended.stderr.splitlines()[-1])
        assert told["items"] == {"s": 3}
        assert told["input_bytes"] == 31
