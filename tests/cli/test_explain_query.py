"""`xylem explain`: the operators of a query, in text, in JSON and as pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app

RUNNER = CliRunner()
QUERY = "for $b in /bib/book\nwhere $b/year > 2000\nreturn <t>{ $b/title }</t>"


def asked(*arguments: str) -> str:
    ended = RUNNER.invoke(app, ["explain", "-q", QUERY, *arguments])
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_the_plan_stands_in_front_of_what_becomes_of_the_stream() -> None:
    told = asked()
    assert "\nplan\n  1  scan    3 | construct <t>\n" in told
    assert told.index("\nplan\n") < told.index("\nstreams\n") < told.index("\nFluX\n")


def test_the_plan_alone() -> None:
    lines = asked("--plan", "text").splitlines()
    assert lines[0].endswith("| construct <t>")
    assert all(f"  {line}\n" in asked() for line in lines)


def test_for_programs() -> None:
    facts = json.loads(asked("--format", "json"))
    operators = facts["operators"]
    scan = operators[-1]
    assert (scan["operator"], scan["runs"], scan["line"], scan["column"]) == ("scan", "scan", 1, 16)
    assert [each["id"] for each in operators] == list(range(1, len(operators) + 1))
    (bound,) = [each for each in operators if each["text"] == "bind for $b"]
    assert bound["properties"]["keeps"] == "one item"
    assert bound["inputs"] == [scan["id"]]


@pytest.mark.parametrize("form", ["dot", "svg"])
def test_pictures(form: str) -> None:
    assert "construct" in asked("--plan", form)
    assert "merge" in asked("--plan", form, "--on", "spark")


def test_a_query_that_needs_a_tree_is_told_by_its_operators_too() -> None:
    ended = RUNNER.invoke(app, ["explain", "-q", "for $a in //a return $a/preceding::b", "--plan", "text"])
    assert [line.split("|")[1].strip() for line in ended.stdout.splitlines()] == [
        "step $a/preceding::b",
        "bind for $a",
        "scan //a",
    ]


def test_statistics_have_the_numbers_of_the_plan(tmp_path: Path) -> None:
    document = tmp_path / "bib.xml"
    document.write_text("<bib><book><year>2001</year><title>A</title></book><book><year>1999</year></book></bib>")
    planned = json.loads(asked("--format", "json"))["operators"]
    for way in ("--stream", "--no-stream"):
        ended = RUNNER.invoke(app, ["run", "-q", QUERY, "-i", str(document), way, "--stats", "json"])
        measured = json.loads(ended.stderr.splitlines()[-1])["operators"]
        assert measured[0]["items_out"] == 1
        if way == "--stream":
            assert [(each["id"], each["text"]) for each in measured] == [(e["id"], e["text"]) for e in planned]
    ended = RUNNER.invoke(app, ["run", "-q", QUERY, "-i", str(document), "--stats", "text"])
    assert "operator   1       construct <t>: 1 in, 1 out\n" in ended.stderr
