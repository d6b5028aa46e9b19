"""Passes from the command line: what is read again, kept, spilled or refused, and what explain says of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app

QUERY = "for $p in /s/p where $p/x > avg(/s/p/x) return $p/y/text()"
DATA = b"<s>" + b"".join(b"<p><x>%d</x><y>%d</y></p>" % (i % 5, i) for i in range(60)) + b"</s>"
ANSWER = "".join(str(i) for i in range(60) if i % 5 > 2)


def xylem(*arguments: str, stdin: bytes = b"") -> Any:
    """A command in this process; its standard input is a pipe."""
    return CliRunner().invoke(app, list(arguments), input=stdin)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data.xml"
    file.write_bytes(DATA)
    return file


def facts(answer: str, told: str) -> dict[str, object]:
    assert answer.strip() == ANSWER, told
    found = json.loads(told.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def test_a_file_is_read_twice(data: Path) -> None:
    ended = xylem("run", "-q", QUERY, "-i", str(data), "--stats", "json")
    measured = facts(ended.stdout, ended.stderr)
    assert (measured["passes"], measured["input_bytes"]) == (2, len(DATA))


def test_a_redirected_file_is_read_twice(data: Path) -> None:
    command = [sys.executable, "-m", "xylem", "run", "-q", QUERY, "-i", "-", "--stats", "json"]
    with data.open("rb") as file:
        ended = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False, timeout=60)
    assert facts(ended.stdout, ended.stderr)["passes"] == 2


def test_what_comes_through_a_pipe_is_kept(tmp_path: Path) -> None:
    ended = xylem("run", "-q", QUERY, "-i", "-", "--stats", "json", stdin=DATA)
    measured = facts(ended.stdout, ended.stderr)
    assert measured["passes"] == 2
    assert int(str(measured["peak_buffered_bytes"])) >= len(DATA)
    ended = xylem("run", "-q", QUERY, "-i", "-", "--stats", "json", "--spill", str(tmp_path), stdin=DATA)
    measured = facts(ended.stdout, ended.stderr)
    assert measured["passes"] == 2
    assert int(str(measured["peak_buffered_bytes"])) < 500


def test_limits_and_refusals(data: Path) -> None:
    ended = xylem("run", "-q", QUERY, "-i", "-", "--buffer-limit", "1kB", stdin=DATA)
    assert (ended.exit_code, ended.stdout) == (1, "")
    told = ended.stderr
    assert "XYDY0005" in told
    assert "because $p/y/text() needs avg(/s/p/x)" in told
    assert "--buffer-limit SIZE" in told
    ended = xylem("run", "-q", QUERY, "-i", "-", "--buffer-limit", "0", stdin=DATA)
    assert "XYST0012 at query:1:" in ended.stderr
    # A file is read twice, and nothing of it is kept.
    assert xylem("run", "-q", QUERY, "-i", str(data), "--buffer-limit", "0").stdout.strip() == ANSWER
    assert xylem("run", "-q", QUERY, "-i", "-", "--buffer-limit", "soon", stdin=DATA).exit_code == 2


def test_trees_are_buffers_too(data: Path) -> None:
    query = "path((//y)[7])"
    for source, stdin in (("-", DATA), (str(data), b"")):
        assert xylem("run", "-q", query, "-i", source, stdin=stdin).exit_code == 0
        ended = xylem("run", "-q", query, "-i", source, "--buffer-limit", "1kB", stdin=stdin)
        assert ended.exit_code == 1
        assert "XYDY0005 at query:1:1" in ended.stderr
        assert "path() looks around in the document" in ended.stderr


def test_what_explain_says(data: Path) -> None:
    told = xylem("explain", "-q", QUERY).stdout
    assert told.startswith("query: streams, in 2 passes\n")
    assert "all items have passed\n    1:48  $p/y/text()\n    1:29  avg(/s/p/x)\n" in told
    assert "pass 1 computes avg(/s/p/x)" in told
    assert "--spill DIR" in told
    found = json.loads(xylem("explain", "-q", QUERY, "--format", "json").stdout)
    assert (found["passes"], found["bounded"]) == (2, True)
    verdict = found["verdict"]
    assert (verdict["single_pass"], verdict["passes"], verdict["earlier_passes"]) == (False, 2, [["avg(/s/p/x)"]])
    (reason,) = verdict["reasons"]
    assert reason["theorem"] == 3
    assert [place["query"] for place in reason["places"]] == ["$p/y/text()", "avg(/s/p/x)"]
    assert verdict["keeps_input_read_once"]
    assert verdict["in_one_pass_keeps"][0]["bound"] == "the whole stream"
    assert "\npasses\n" not in xylem("explain", "-q", "/s/p").stdout


def test_spark_counts_the_same_passes() -> None:
    found = json.loads(xylem("explain", "-q", QUERY, "--on", "spark", "--format", "json").stdout)
    assert found["stages"] == 2


@pytest.mark.parametrize("form", ["text", "dot", "svg"])
def test_graphs(form: str) -> None:
    ended = xylem("explain", "-q", QUERY, "--graph", form)
    assert ended.exit_code == 0, ended.stderr
    told = ended.stdout
    if form == "text":
        assert "super-node 1\n  ┆ S6   /s/p\n" in told
    elif form == "dot":
        assert told.startswith("digraph")
        assert told.count("style=dashed]") == 2
    else:
        drawing = ElementTree.fromstring(told)
        shapes = [element.tag.rpartition("}")[2] for element in drawing.iter()]
        # Two graphs: three sequences and two values, and after fusion one sequence more; one dashed box.
        assert shapes.count("ellipse") == 4
        assert told.count('stroke-dasharray="7 4"') == 1
    assert xylem("explain", "-q", QUERY, "--graph", form, "--on", "spark").exit_code == 2
