"""`xylem run --on spark`: the same output and exit codes as in one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app
from xylem.spark.java import PACKAGE_ROOT

ROWS = "for $r in //row return <r>{ $r/@n/string() }</r>"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "rows.xml"
    path.write_text("<t>" + "".join(f"<row n='{n}'/>" for n in range(50)) + "</t>")
    return path


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "xylem", "run", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE_ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.turns("on Spark")
def test_output_figures_and_nothing_else(spark: object, source: Path) -> None:
    here = run("-q", ROWS, "-i", source)
    there = run("-q", ROWS, "-i", source, "--on", "spark", "--master", "local[2]", "--partitions", "3", "--stats=json")
    assert (there.stdout, there.returncode) == (here.stdout, 0)
    (line,) = there.stderr.splitlines()
    facts = json.loads(line)
    assert (facts["on"], facts["master"], facts["tasks"], facts["stages"]) == ("spark", "local[2]", 3, 1)
    assert facts["split"] == ["1 file: 1 cut into 24 parts", "3 tasks of 0.0 to 0.0 MB"]
    assert facts["peak_worker_rss_bytes"] < 300e6
    assert [part["kind"] for part in facts["parts"]] == ["map"]


@pytest.mark.turns("on Spark")
def test_settings_of_spark_and_how_a_join_was_done(spark: object, source: Path) -> None:
    query = "for $r in //row for $o in //row where $o/@n = $r/@n return <r>{ $r/@n/string() }</r>"
    here = run("-q", query, "-i", source)
    settings = ("--conf", "spark.sql.autoBroadcastJoinThreshold=-1")
    there = run("-q", query, "-i", source, "--on", "spark", "--partitions", "2", "--stats=json", *settings)
    assert (there.stdout, there.returncode) == (here.stdout, 0)
    assert json.loads(there.stderr)["join"].endswith("shuffled by key")
    assert run("-q", "1", "--conf", "a=b").returncode == 2
    assert "NAME=VALUE" in run("-q", "1", "-i", source, "--on", "spark", "--conf", "nothing").stderr


@pytest.mark.turns("on Spark")
def test_an_error_of_the_input(spark: object, tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("<t><row n='1'/><row></t>")
    here = run("-q", ROWS, "-i", tmp_path / "bad.xml")
    there = run("-q", ROWS, "-i", tmp_path / "bad.xml", "--on", "spark")
    assert here.returncode == there.returncode == 3
    assert there.stdout == here.stdout
    assert there.stdout.startswith("<r>1</r>")
    assert there.stderr.startswith("XYIN0001")
    assert "org.apache" not in there.stderr


def test_what_is_one_task_needs_no_spark(spark: object, source: Path) -> None:
    query = "//row[last()]/preceding-sibling::row[1]/@n/string()"
    result = CliRunner().invoke(app, ["run", "-q", query, "-i", str(source), "--on", "spark", "--stats=text"])
    assert result.exit_code == 0
    assert result.stdout == "48\n"
    assert "it is one task" in result.stderr


def test_a_schema_spares_what_is_one_task_its_buffers(spark: object, tmp_path: Path) -> None:
    (tmp_path / "t.xml").write_text("<t>" + "<a>1</a>" * 20 + "<b>2</b>" * 20 + "</t>")
    (tmp_path / "t.dtd").write_text("<!ELEMENT t (a*, b*)><!ELEMENT a (#PCDATA)><!ELEMENT b (#PCDATA)>")
    query = "for $t in /t return ($t/a[position() < 3], $t/b)"
    told = ["run", "-q", query, "-i", str(tmp_path / "t.xml"), "--on", "spark", "--stats=json"]
    without, with_schema = (
        CliRunner().invoke(app, [*told, *more]) for more in ((), ("--schema", str(tmp_path / "t.dtd")))
    )
    assert with_schema.stdout == without.stdout
    assert json.loads(without.stderr)["peak_buffered_bytes"] > 0
    assert json.loads(with_schema.stderr)["peak_buffered_bytes"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-q", "1 +", "-i", "rows.xml"], 1, "XPST0003"),
        (["-q", "//row", "-i", "-"], 3, "XYRT0005"),
        (["-q", "//row", "-i", "none.xml"], 3, "XYIN0002"),
        (["-q", "//row", "-i", "rows.xml", "--partitions", "0"], 2, "at least one"),
        (["-q", "//row", "-i", "rows.xml", "--validate"], 2, "--validate"),
        (["-q", "//row", "-i", "rows.xml", "--on-malformed", "skip"], 2, "--on-malformed"),
        (["-q", "//row", "-i", "rows.xml", "--checkpoint", "c"], 2, "--checkpoint"),
        (["-q", "//row", "-i", "rows.xml", "--no-stream"], 2, "--no-stream"),
        (["-q", "//row", "-i", "rows.xml", "-v", "x=1"], 3, "XYIN0006"),
    ],
)
def test_wrong_use(
    spark: object, source: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    monkeypatch.chdir(source.parent)
    result = CliRunner().invoke(app, ["run", *arguments, "--on", "spark"])
    assert result.exit_code == code, result.output
    assert words in result.stderr


def test_options_of_spark_alone(source: Path) -> None:
    result = CliRunner().invoke(app, ["run", "-q", "//row", "-i", str(source), "--master", "local"])
    assert result.exit_code == 2
    assert "--on spark" in result.stderr
