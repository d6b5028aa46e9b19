"""`xylem explain`: the operators of a query, in text, in JSON and as pictures."""

from __future__ import annotations

import json

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
