"""`xylem check` over many files, in the formats of people and machines."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app

from tests.warm_command import xylem


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.xq").write_text("1 + 1")
    (tmp_path / "bad.xq").write_text("for $b in //b\nreturn $c")
    (tmp_path / "worse.xq").write_text("1 +")
    return ["good.xq", "bad.xq", "worse.xq"]


def check(*arguments: str) -> tuple[int, str, str]:
    ended = CliRunner().invoke(app, ["check", *arguments])
    return ended.exit_code, ended.stdout, ended.stderr


def test_people_see_every_file_that_has_an_error(files: list[str]) -> None:
    code, out, told = check(*files)
    assert (code, out) == (1, "")
    assert "XPST0008 at bad.xq:2:8" in told
    assert "XPST0003 at worse.xq:1:4" in told
    assert check("good.xq") == (0, "", "")


def test_json(files: list[str]) -> None:
    code, out, _ = check(*files, "--format", "json")
    assert code == 1
    first, second = json.loads(out)
    assert (first["name"], first["code"], first["hint"]) == ("bad.xq", "XPST0008", "in scope: $b")
    assert first["place"] == {"line": 2, "column": 8, "end_line": 2, "end_column": 10}
    assert second["name"] == "worse.xq"
    assert json.loads(check("good.xq", "--format", "json")[1]) == []


def test_github_annotations(files: list[str]) -> None:
    _, out, _ = check("bad.xq", "--format", "github")
    assert out.startswith("::error file=bad.xq,line=2,col=8,endLine=2,title=XPST0008::")
    assert "%0Ahint: in scope: $b" in out
    assert out.count("\n") == 1


def test_sarif(files: list[str]) -> None:
    (run,) = json.loads(check(*files, "--format", "sarif")[1])["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["XPST0003", "XPST0008"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "bad.xq"
    assert place["region"] == {"startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 10}


def test_a_file_that_cannot_be_read_hides_no_error_of_others(files: list[str]) -> None:
    code, _, told = check("missing.xq", *files)
    assert code == 3
    assert "XYIN0002" in told
    assert "XPST0008 at bad.xq:2:8" in told
    first, *others = json.loads(check("missing.xq", *files, "--format", "json")[1])
    assert (first["name"], first["code"], first["place"]) == ("missing.xq", "XYIN0002", None)
    assert [one["name"] for one in others] == ["bad.xq", "worse.xq"]
    assert check("good.xq", "missing.xq", "--format", "github")[1].startswith("::error file=missing.xq,title=XYIN0002")


def test_names_of_files_are_escaped_as_each_format_wants(files: list[str]) -> None:
    Path("a, b:1.xq").write_text("1 +")
    assert check("a, b:1.xq", "--format", "github")[1].startswith("::error file=a%2C b%3A1.xq,line=1")
    (run,) = json.loads(check("a, b:1.xq", "--format", "sarif")[1])["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%2C%20b%3A1.xq"


def test_a_query_itself_and_none(files: list[str]) -> None:
    assert check("-q", "1 +")[0] == 1
    assert check()[0] == 2


def test_the_hook_of_pre_commit_runs_it() -> None:
    hooks = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text()
    assert "entry: xylem check" in hooks


@pytest.mark.parametrize(
    ("query", "instead"),
    [("//a/@k#1", "//a#1/@k"), ("for $x in //a return $x/@k?[60]", "$x?[60]/@k"), ("//a[@k#1 = 2]", ".#1/@k")],
)
def test_versions_of_an_attribute_have_a_hint(
    query: str, instead: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.xq").write_text(query)
    code, out, told = check("--updates", "one.xq")
    assert (code, out) == (0, "")
    assert told.startswith("hint at one.xq:1:")
    assert instead in told


def test_versions_of_elements_have_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.xq").write_text("//a#1/@k, //a/@k#0, //b?[60]")
    assert check("--updates", "one.xq") == (0, "", "")


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_file_name_that_is_not_utf_8(form: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"q\xff.xq")
    (tmp_path / name).write_text("1 +")
    ended = xylem("check", "--format", form, name, cwd=tmp_path)
    assert ended.returncode == 1
    assert ("q%FF.xq" if form == "sarif" else "q\ufffd.xq") in json.dumps(json.loads(ended.stdout), ensure_ascii=False)
