"""`xylem explain --updates`: operators, reasons, and the lengths of histories."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app


def explained(query: str, *options: str) -> str:
    result = CliRunner().invoke(app, ["explain", "--updates", "-q", query, *options])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("for $x in //a where $x/b > 1 return $x/c", "for each //a (1:1): one is evaluated again when what is read"),
        ("count(//a[b > 1])", "count(): a number, changed by differences"),
        ("(//a)[last()]", "positions: found in a tree that counts items"),
        ("for $x in //a order by $x/b return $x", "order by: a tree by key and document order"),
        ("for $x in //a, $y in //b where $x/k = $y/k return $y", "join with //b: a hash index"),
        ("for $x in //a group by $k := $x/k return count($x)", "groups that changed are given again, with count"),
        ("//a[p = 1]/b", "and when the condition on an element around it flips"),
        ("if (count(//a) > 1) then //b else ()", "if: both branches are kept"),
        ("for $x in //a where $x/b > avg(//a/b) return $x", "all of them again when this changes:"),
        ("for $x in //a return $x/..", "the whole query is evaluated again (1:25): it follows the axis parent"),
    ],
)  # fmt: skip
def test_operators_are_told(query: str, told: str) -> None:
    assert told in explained(query)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("for $q in //t return $q/quote#1", "quote#1 (1:25): 2 versions of //t/quote; rule S"),
        ("for $q in //t return $q/a#1/b#2", "b#2 (1:29): 3 versions of //t/a/b; rule S"),
        ("for $q in //t for $r in $q//x return $r/y#[3]", "y#[3] (1:41): 4 versions of //t//x/y; rule S"),
        ("//e?[60]", "//e?[60] (1:1): the versions of the last 60 seconds, and the one before them, of //e; rule S"),
        ("for $q in //t where (count($q/b) > 2)#1 return $q", "#1 (1:21): 2 versions of the value; rule T"),
        ("for $q in //t return $q", "none: of each region the newest version is kept"),
        ("//a/following-sibling::b", "none: of each region the newest version is kept"),
        ("//a#1/following-sibling::b#2", "4 versions, of each region: as far as all projections together look back"),
        ("//a?[9]/following-sibling::b", "the versions of the last 9 seconds, and the one before them, of each region"),
        ("xylem:as-of(//a, 5)", "every version of each region is kept (1:1): the query can ask for any"),
    ],
)  # fmt: skip
def test_lengths_are_told(query: str, told: str) -> None:
    assert told in explained(query)


def test_for_programs() -> None:
    facts = json.loads(explained("for $q in //t return $q/quote#1", "--format", "json"))
    assert facts["whole"] is None
    assert [(one["path"], one["versions"], one["rule"]) for one in facts["history"]] == [("//t/quote", 2, "S")]
