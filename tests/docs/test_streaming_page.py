"""docs/streaming.md lists the limits and the figures that there are, with their values."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import xylem
from xylem.cli.statistics import of_stream
from xylem.source.limits import DEFAULT_LIMITS, Limits

PAGE = (Path(__file__).resolve().parents[2] / "docs/streaming.md").read_text(encoding="utf-8")


def rows(section: str) -> dict[str, list[str]]:
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| `([\w-]+)` \|(.*)\|$", text, re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in found}


def test_every_limit_is_listed_with_its_default() -> None:
    numbers = {limit.name: getattr(DEFAULT_LIMITS, limit.name) for limit in fields(Limits) if limit.type == "int"}
    listed = {name.replace("-", "_"): int(cells[0].replace(",", "")) for name, cells in rows("Limits").items()}
    assert listed == numbers


def test_every_figure_is_listed() -> None:
    result = xylem.compile("count(//a)").stream(b"<a/>")
    result.measure()
    assert list(result) == [1]
    assert set(rows("Watching it")) == set(of_stream(result, "kernel"))


def test_what_is_said_to_need_the_tree_does() -> None:
    for query in ("//a/following::b", "root(//a)", "serialize(/)"):
        assert xylem.compile(query).explain().to_dict()["streamed"] is False, query
    sorting = xylem.compile("for $a in //a order by $a/b return $a").explain().to_dict()
    assert (sorting["streamed"], sorting["bounded"]) == (True, False)
