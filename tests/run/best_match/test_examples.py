"""The examples give the answers that stand beside them, whether their files are read as trees or scanned."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.run.best_match import scanned_side, windowed_join

EXAMPLES = Path(__file__).parents[3] / "examples" / "best-match"
QUERIES = sorted(EXAMPLES.glob("*.xq"))


def test_every_example_has_its_answer_and_its_line() -> None:
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert len(QUERIES) == 6
    for query in QUERIES:
        assert (EXAMPLES / "expected" / f"{query.stem}.xml").exists()
        assert f"[{query.name}]({query.name})" in table


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_answers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = (EXAMPLES / "expected" / f"{path.stem}.xml").read_text(encoding="utf-8")
    query = xylem.compile(path.read_text(encoding="utf-8"), base_uri=path.as_uri())
    assert str(query.run(allow=[EXAMPLES])).strip() == expected.strip()
    monkeypatch.setattr(scanned_side, "SCANNED_BYTES", 0)
    monkeypatch.setattr(windowed_join, "WINDOWED_BYTES", 0)
    assert str(query.run(allow=[EXAMPLES])).strip() == expected.strip()
