"""docs/windows.md lists the rules that there are, and its table of operations says what the analysis says."""

from __future__ import annotations

import re
from pathlib import Path

from xylem.analysis.boundedness.function_table import READINGS, Reading
from xylem.functions.registry import FN, PREFIXES
from xylem.rewrite.windows.rules import RULES

PAGE = (Path(__file__).resolve().parents[3] / "docs/windows.md").read_text(encoding="utf-8")
_PREFIXES = {uri: prefix for prefix, uri in PREFIXES.items()}


def test_every_rule_is_listed_with_its_section() -> None:
    listed = re.findall(r"^\| `(\w+)` \|.*\| ([\d.]+) \|$", PAGE, re.MULTILINE)
    assert listed == [(rule.name, rule.paper) for rule in RULES]


def row(start: str) -> set[str]:
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| {start}"))
    return set(re.findall(r"`([\w:-]+)(?:\(\))?`", line))


def test_functions_stand_in_the_right_rows() -> None:
    names = {
        reading: {
            local if uri == FN else f"{_PREFIXES[uri]}:{local}"
            for (uri, local), each in READINGS.items()
            if reading in each
        }
        for reading in Reading
    }
    assert names[Reading.PASSES] <= row("passes items on, one by one")
    assert names[Reading.STOPS] - {"boolean", "not"} <= row("reads a few")
    assert names[Reading.GROWS] <= row("passes items on, and keeps")
