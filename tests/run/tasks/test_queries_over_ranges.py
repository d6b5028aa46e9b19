"""Queries of every shape give the answer of the reference evaluator, wherever the document is cut."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.plan.distribution import PartKind

from .ranges_of_documents import SHOP, assert_same

QUERIES = Path(__file__).with_name("queries.txt").read_text(encoding="utf-8").splitlines()
CASES = [line.split(" | ", 1) for line in QUERIES if line and not line.startswith("#")]


@pytest.mark.parametrize(("kinds", "query"), CASES, ids=[query[:60] for _, query in CASES])
@pytest.mark.share(2)
def test_answer_is_that_of_the_tree(kinds: str, query: str) -> None:
    program = assert_same(query, SHOP, Random(query), number=4)
    found = " ".join(part.kind.name for part in program.distribution.parts)
    assert found == kinds


def test_every_kind_is_among_them() -> None:
    named = {kind for kinds, _ in CASES for kind in kinds.split()}
    # Windows with state are of streams, and tested there (tests/run/tasks/test_windows_with_state.py).
    assert named == {kind.name for kind in PartKind} - {PartKind.WINDOWS.name}
