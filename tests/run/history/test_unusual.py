"""Queries in unusual spellings over unusual streams, byte by byte: what a user is told is what the reference gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.history.feeding import told
from tests.run.history.test_adversarial import expected, shown
from tests.run.history.unusual_streams import STREAMS

QUERIES = (Path(__file__).parents[2] / "golden" / "history" / "unusual.txt").read_text().strip().split("\n\n")[1:]


@pytest.mark.share(5)
@pytest.mark.parametrize("name", STREAMS)
def test_unusual_queries(name: str) -> None:
    streams, answers = STREAMS[name], 0
    for query in QUERIES:
        refused: tuple[list[str], list[str]] = ([], [])
        wanted = told(expected(query, streams, refused[0]))
        found = told(shown(query, streams, 1, refused[1]))
        assert found == wanted, query
        assert wanted[1] or refused[0] == refused[1], query
        answers += len(wanted[0])
    assert answers > len(QUERIES)
