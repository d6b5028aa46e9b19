"""Generated queries over generated documents, cut at random: the answer is that of the reference evaluator."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from xylem.run.deep_stack import with_deep_stack

from tests.run.stream.generate import generated_case

from .ranges_of_documents import assert_same

SEEDS = 120
BLOCK = 20
seen: dict[int, Counter[bool]] = {}
"""How many of the queries were spread, by block."""


@pytest.mark.parametrize("first", range(0, SEEDS, BLOCK))
@pytest.mark.share(3)
def test_generated(first: int, tmp_path: Path) -> None:
    seen[first] = with_deep_stack(lambda: _compare(first, tmp_path / "document.xml"))


def _compare(first: int, path: Path) -> Counter[bool]:
    spread: Counter[bool] = Counter()
    for seed in range(first, first + BLOCK):
        random = Random(f"ranges {seed}")
        for query, dtd, document in generated_case(seed).triples():
            if not dtd:
                path.write_text(document, encoding="utf-8")
                spread[assert_same(query, path, random, 2).distribution.is_parallel] += 1
    return spread


def test_most_generated_queries_are_spread() -> None:
    if len(seen) < SEEDS // BLOCK:
        pytest.skip("only some of the generated cases were run")
    together = sum(seen.values(), Counter[bool]())
    assert together[True] > 2 * together[False]
