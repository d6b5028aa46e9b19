"""Joins by tasks: where each item of the first loop has partners of its own, tasks find them; else one task joins."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ..tasks.ranges_of_documents import distributed, divisions, over_ranges
from .oracle import document_of, pairs_of, query_of, random_case


@pytest.mark.parametrize("seed", range(40))
def test_any_division_gives_the_pairs_of_the_oracle(seed: int, tmp_path: Path) -> None:
    case = random_case(seed)
    document = tmp_path / "d.xml"
    document.write_text(document_of(case), encoding="utf-8")
    program = distributed(query_of(case))
    assert program.distribution.is_parallel == (case.kind == ("left" if case.left_is_first else "right"))
    expected = [str(number) for pair in pairs_of(case) for number in pair]
    for parts in divisions(program, document, Random(seed), 2):
        assert over_ranges(program, parts).split() == expected
