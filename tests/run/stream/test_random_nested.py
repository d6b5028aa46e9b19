"""Queries over several levels, streamed whole and in pieces of five bytes, give what the reference gives."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError

from tests.reference import reference
from tests.turns import is_campaign

from .random_nested import NestedQueries

SEEDS = range(1, 31) if is_campaign() else range(1, 3)
QUERIES = 40


def streamed(query: xylem.Query, data: bytes, piece: int) -> str:
    written: list[bytes] = []
    pieces = [data[start : start + piece] for start in range(0, len(data), piece)]
    query.stream(pieces).write_to(written.append)
    return b"".join(written).decode()


@pytest.mark.parametrize("seed", SEEDS)
def test_streams_agree_with_the_reference(seed: int) -> None:
    made = NestedQueries(seed)
    answered = 0
    for _ in range(QUERIES):
        text = made.query()
        query, oracle = xylem.compile(text), reference(text)
        for document in (made.document(), made.document()):
            try:
                expected = oracle.run(xylem.parse(document)).serialize()
            except XylemError:
                # Which of several errors comes first, or whether one is met, a stream may decide otherwise.
                continue
            for piece in (5, 1_000_000):
                assert streamed(query, document.encode(), piece) == expected, (text, document)
            answered += 1
    assert answered > QUERIES
