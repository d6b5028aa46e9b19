"""A command parses its query once, whichever way the query then takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COUNTED = """
import sys
from xylem.cli import main
try:
    main()
finally:
    from xylem.syntax.compilations import COMPILATIONS
    print(COMPILATIONS.parsed, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("query", "inputs"),
    [
        ("1 + 1", 0),
        ("count(//b)", 1),
        ("for $b in //b where $b > avg(//b) return $b", 1),
        ("//b[last()]/preceding::b", 1),
        ("count(//b)", 2),
        ("count(collection()) + 1", 2),
        ("string-join(for $d in collection() order by count($d//b) return $d//b[1], ' ')", 2),
    ],
)
def test_a_run_parses_once(query: str, inputs: int, tmp_path: Path) -> None:
    files = []
    for number in range(inputs):
        (tmp_path / f"{number}.xml").write_text("<a><b>1</b><b>2</b></a>")
        files += ["-i", str(tmp_path / f"{number}.xml")]
    command = [sys.executable, "-c", COUNTED, "run", "-q", query, *files]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.stderr.split()[-1:] == ["1"], ended.stderr
