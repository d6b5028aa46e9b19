"""Random loops, joins, groups, windows and frames over documents that are hard to cut: the answer of the tree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from xylem.run.deep_stack import with_deep_stack

from . import random_spread
from .ranges_of_documents import assert_same

SEEDS = range(20)
QUERIES = 4


@pytest.mark.parametrize("first", range(0, len(SEEDS), 10))
def test_random(first: int, tmp_path: Path) -> None:
    spread = with_deep_stack(lambda: _compare(first, tmp_path / "document.xml"))
    assert spread[True] > 2 * spread[False]


def _compare(first: int, path: Path) -> Counter[bool]:
    spread: Counter[bool] = Counter()
    for seed in SEEDS[first : first + 10]:
        random = Random(f"spread {seed}")
        path.write_bytes(random_spread.document(random))
        for _ in range(QUERIES):
            program = assert_same(random_spread.query(random), path, random, 1)
            spread[program.distribution.is_parallel] += 1
    return spread
