"""Every example query of the papers parses, and prints back to the same tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.syntax import ast, parse, print_query

PAPERS = Path(__file__).resolve().parents[1] / "golden" / "papers"
QUERIES = sorted(PAPERS.glob("*.xq"))


def test_the_papers_are_there() -> None:
    kinds = {path.name.split("-0")[0].split("-1")[0] for path in QUERIES}
    assert {"windows", "single-pass", "history", "xqpull", "thesis"} <= kinds


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_round_trip(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("(: "), "the note that names paper and place"
    module = parse(text, path.name)
    assert parse(print_query(module)) == module


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("windows-02-annoying-authors", ast.ForseqClause),
        ("windows-14-sorting", ast.SetStatement),
        ("thesis-07-rxj-alert", ast.DataWindow),
        ("thesis-08-bursts", ast.BestMatchClause),
        ("history-03-late-packets", ast.TimeWindow),
        ("history-10-two-versions", ast.VersionWindow),
        ("history-11-time-projection", ast.TimeProjection),
    ],
)
def test_extensions_are_seen(name: str, kind: type[ast.Node]) -> None:
    module = parse((PAPERS / f"{name}.xq").read_text(encoding="utf-8"))
    found = [node for node in module.walk() if isinstance(node, kind)]
    assert found
    assert all(isinstance(node, ast.ExtensionNode) for node in found)
