"""Graphs before and after fusion, and verdicts: golden/dataflow has one file for each query.

`python -m tests.analysis.dataflow.test_golden_graphs` writes them anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.plan.graph_drawing import drawn

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / "dataflow"
QUERIES = {
    **{path.stem: path for path in sorted((ROOT / "examples" / "single-pass").glob("*.xq"))},
    **{f"xmark-{number}": ROOT / f"tests/golden/xmark/q{number}.xq" for number in (1, 5, 6, 7, 8, 10, 19, 20)},
    **{path.stem: path for path in sorted(GOLDEN.glob("*.xq"))},
}
"""The paper's queries and applications, those of XMark that it measures, some that block, and more of the language."""


def told(path: Path) -> str:
    """The graphs, and what is done in the end."""
    query = xylem.compile(path.read_text(encoding="utf-8"), name=path.name)
    lines = "\n".join(query.explain().streamability.lines())
    return f"{drawn(query.data_flow(), 'text')}\nthe plan\n{lines}\n"


@pytest.mark.parametrize("name", QUERIES)
def test_graph_and_verdict(name: str) -> None:
    assert told(QUERIES[name]) == (GOLDEN / f"{name}.graph").read_text(encoding="utf-8")


def test_there_is_no_other_file() -> None:
    assert {path.stem for path in GOLDEN.glob("*.graph")} == set(QUERIES)


if __name__ == "__main__":
    for name, path in QUERIES.items():
        (GOLDEN / f"{name}.graph").write_text(told(path), encoding="utf-8")
