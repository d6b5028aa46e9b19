"""XMark's twenty queries, over parts of an auction document."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.bench import xmark
from xylem.bench.xmark_queries import query

from .ranges_of_documents import assert_same

BY_KEY = {8: 1, 9: 2}
"""Joins by an equality, and how many sides are asked by key; those of Q11 and Q12 are inequalities."""


@pytest.fixture(scope="module")
def auction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("xmark") / "auction.xml"
    xmark.write(path, 0.0005, seed=5)
    return path


@pytest.mark.parametrize("number", range(1, 21))
@pytest.mark.share(3)
def test_xmark(number: int, auction: Path) -> None:
    program = assert_same(query(number), auction, Random(number), 1)
    assert program.distribution.is_parallel
    assert len(program.keyed_parts) == BY_KEY.get(number, 0)
