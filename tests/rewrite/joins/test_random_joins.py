"""Joins in random spellings, over a tree and streamed, give what nested loops give."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError

from tests.reference import reference
from tests.turns import is_campaign

from .random_joins import RandomJoins

SEEDS = range(1, 61) if is_campaign() else range(1, 3)
QUERIES = 60


def outcome(query: xylem.Query, document: str) -> tuple[str, str]:
    """What the tree and the stream give, or the code of an error."""
    written: list[bytes] = []
    try:
        tree = query.run(xylem.parse(document)).serialize()
        query.stream(document.encode()).write_to(written.append)
    except XylemError as error:
        return error.code, error.code
    return tree, b"".join(written).decode()


@pytest.mark.parametrize("seed", SEEDS)
def test_joins_agree_with_nested_loops(seed: int) -> None:
    made = RandomJoins(seed)
    answered = 0
    for _ in range(QUERIES):
        text = made.query()
        query, oracle = xylem.compile(text), reference(text)
        for document in (made.document(), made.document()):
            try:
                expected = oracle.run(xylem.parse(document)).serialize()
            except XylemError:
                continue
            # The index compares keys that a loop with other conditions never comes to (XQuery 3.1 §2.3.4).
            found = outcome(query, document)
            assert found == (expected, expected) or set(found) & {"FORG0001", "XPTY0004"}, (text, document)
            answered += 1
    assert answered > QUERIES
