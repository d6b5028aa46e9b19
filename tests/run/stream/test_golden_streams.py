"""What once went wrong, and must not again: named cases, in every way a stream can be run."""

from __future__ import annotations

from random import Random

import pytest

from .compare import SCANNERS, from_stream, from_tree, stream_program
from .generate import pieces
from .golden_cases import GoldenCase, golden_cases

CASES = list(golden_cases())


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_named_case(case: GoldenCase) -> None:
    data = case.document.encode()
    assert str(from_tree(case.query, data)) == case.result
    for dtd in {None, case.schema}:
        program = stream_program(case.query, dtd)
        if program is None:
            assert case.name.endswith("(perhaps from the tree)")
            continue
        for scanner in SCANNERS:
            for seed in range(4):
                found = from_stream(program, pieces(data, Random(seed)), scanner)
                assert str(found) == case.result, f"{scanner}, {'with' if dtd else 'without'} schema"


def test_names_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
