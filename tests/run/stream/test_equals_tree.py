"""Streaming gives the answer of the reference evaluator: on generated queries, schemas and documents.

What fails here is made small by `python -m tests.run.stream.shrink SEED`, and becomes a case in `golden/streaming`.
"""

from __future__ import annotations

from random import Random

import pytest
from xylem.run.deep_stack import with_deep_stack

from .compare import SCANNERS, from_stream, from_tree, stream_program, written_as_events
from .generate import generated_case, pieces

SEEDS = 560
BLOCK = 20
LEAST_TRIPLES = 2_000
compared: dict[int, int] = {}
"""How many triples have been compared, by block."""


@pytest.mark.parametrize("first", range(0, SEEDS, BLOCK))
@pytest.mark.share(8)
def test_generated(first: int) -> None:
    # In one thread with a large stack, which every compilation and some runs would otherwise start for themselves.
    compared[first] = with_deep_stack(lambda: sum(_compare(seed) for seed in range(first, first + BLOCK)))


def _compare(seed: int) -> int:
    """Compare all triples of a seed; those that are answered from the tree anyway do not count."""
    random = Random(f"pieces {seed}")
    number = 0
    for query, dtd, document in generated_case(seed).triples():
        program = stream_program(query, dtd)
        if program is None:
            continue
        data = document.encode()
        chunks = pieces(data, random)
        expected = from_tree(query, data)
        for scanner in SCANNERS:
            found = from_stream(program, chunks, scanner)
            assert found == expected, f"seed {seed}, {scanner}, {'with' if dtd else 'without'} schema:\n{query}"
            if seed % 4 == 0:
                text = written_as_events(program, chunks, scanner)
                assert text == from_tree(query, data, as_xml=True), f"seed {seed}, {scanner}, as text:\n{query}"
        number += 1
    return number


def test_enough_was_compared() -> None:
    if len(compared) < SEEDS // BLOCK:
        pytest.skip("only some of the generated cases were run")
    assert sum(compared.values()) >= LEAST_TRIPLES, compared


def test_most_generated_queries_stream() -> None:
    """The generator would be worth little if its queries were mostly answered from the whole tree."""
    programs = [stream_program(generated_case(seed).query) for seed in range(60)]
    streamed = [program for program in programs if program is not None]
    assert len(streamed) > 0.9 * len(programs)
    in_passing = [program for program in streamed if len(program.roles) > sum(role.step == 0 for role in program.roles)]
    assert len(in_passing) > 0.6 * len(programs)
