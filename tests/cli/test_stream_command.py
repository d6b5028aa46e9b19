"""`xylem stream`: what is wrong with its arguments is told before anything starts."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner
from xylem.cli.stream_options import app

pytest.importorskip("pyspark", reason="pyspark is not installed")


def refused(*arguments: str) -> str:
    ended = CliRunner().invoke(app, [*arguments, "--checkpoint", "unused"])
    assert ended.exit_code == 2, ended.output
    return " ".join(ended.output.replace("│", " ").split())


BOTH = ["--input", "a=dir:x", "--input", "b=dir:y"]
MATCH = """for $a in stream("a")/x for $b in stream("b")/x
where $a left outer bestmatch join $b on (abs($a/@t - $b/@t)) min 1 return $a"""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-q", "1", "--input", "somewhere"], "neither dir:PATH"),
        (["-q", "1", "--output", "somewhere"], "neither dir:PATH"),
        (["-q", "1", "--trigger", "often"], "is not a duration such as 500ms"),
        (["-q", "1", "--on-malformed", "ignore"], "stop, skip or dead-letter=PATH"),
        (["-q", "1", "--batch-size", "big"], "not a size such as 64MB"),
        (["-q", "1", "--conf", "x"], "is not NAME=VALUE"),
        (["-q", "1", "--updates", "tokens"], "a stream can carry native, keyed, osmchange"),
        (["-q", "1", "--updates", "native", "--input", "dir:x", "--input", "dir:y"], "several inputs need names"),
        (["-q", "1", "--updates", "native", "--input", "dir:x", "--within", "1s"], "--updates does not go with it"),
        (["-q", MATCH, *BOTH, "--within", "1s"], "say how far apart items may be"),
        (["-q", "for $a in stream('a'), $b in stream('b') return 1", *BOTH], "may arrive, such as 10m"),
        (["-q", "1", "--keep-time", "5"], "this option needs --updates"),
        (["-q", "1", "--updates", "native", "--input", "-"], "as documents of a directory or messages"),
        (["-q", "1", "--updates", "native", "--late", "never"], "is not one of stop, clamp, drop"),
        (["-q", "1", "--changes", "upsert"], "this option needs --updates"),
        (["-q", "1", "--key", "@id"], "this option needs --updates"),
        ([], "give a query file"),
    ],
)
def test_wrong_arguments(arguments: list[str], told: str) -> None:
    assert told in refused(*arguments)


def test_outputs_of_several_queries_need_names(tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    (tmp_path / "a").mkdir()
    for place in ("q.xq", "a/q.xq", "p.xq"):
        (tmp_path / place).write_text("/x")
    assert "two queries are called 'q'" in refused(str(tmp_path / "q.xq"), str(tmp_path / "a/q.xq"))
    assert "--output dir:PATH" in refused(str(tmp_path / "q.xq"), str(tmp_path / "p.xq"), "--output", "file:x")
