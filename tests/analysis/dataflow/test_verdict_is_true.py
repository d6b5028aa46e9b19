"""What is said of passes is what runs do: read as often, keep no more where it is bounded, answer as the tree does."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
import xylem
from xylem.plan.explain import Explanation

from tests.run.stream.compare import from_tree, written

from .generated_queries import Generator, document

SMALL, LARGE = document(12), document(48)
QUERIES = [Generator(seed).query() for seed in range(90)]
ITEM_BYTES = 1000
"""More than is ever kept of one pixel, or of a window of three."""
GROUPS_BYTES = 3000
"""More than is kept of all groups by x or y."""


@cache
def explained(query: str) -> Explanation:
    return xylem.compile(query, check=False).explain()


def check(query: str) -> None:
    compiled = xylem.compile(query, check=False)
    told = explained(query).streamability
    peaks = []
    for data in (SMALL, LARGE):
        result = compiled.stream(data)
        assert written(result.xdm()) == from_tree(query, data).text
        assert result.statistics.passes == told.passes
        peaks.append(result.statistics.peak_buffered_bytes)
    if told.is_bounded:
        assert peaks[1] <= (GROUPS_BYTES if "group by" in query else ITEM_BYTES), peaks
    else:
        assert told.reasons


@pytest.mark.parametrize("part", range(5))
def test_generated_queries(part: int) -> None:
    for query in QUERIES[part::5]:
        try:
            check(query)
        except Exception as error:
            raise AssertionError(query) from error


def test_the_generator_makes_all_kinds() -> None:
    found = Counter(explained(query).streamability.verdict for query in QUERIES)
    assert found["single pass"] > 20
    assert found["2 passes"] > 15
    assert found["one pass, which keeps what grows with the input"] > 5


def test_the_graph_and_the_plan_agree() -> None:
    """Where the graph says that one pass is enough, or that so many bound what is kept, the plan says the same."""
    for query in QUERIES:
        verdict, told = explained(query).data_flow.verdict, explained(query).streamability
        assert not verdict.is_single_pass or told.is_single_pass, query
        if verdict.is_bounded:
            assert told.is_bounded, query
            assert told.passes <= verdict.passes, query
