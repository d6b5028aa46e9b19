"""XQPull's benchmark queries over streams: the tree's answers, and little kept for them."""

from __future__ import annotations

import re

import pytest
from xylem.bench import dblp, xmark
from xylem.bench.xqpull_queries import QUERIES, XQPullQuery
from xylem.run.stream.run import Statistics

from .compare import SCANNERS, from_stream, from_tree, stream_program

AUCTION = "".join(xmark.generate(0.001)).replace("<location>United States", "<location>Mongolia", 4)
DOCUMENTS = {
    "auction": re.sub("<payment>[^<]*", "<payment>Creditcard", AUCTION, count=9),
    "dblp": "".join(dblp.generate(200)).replace("<author>A", f"<author>{dblp.SOUGHT}</author><author>A", 5),
}
IN_PASSING = {4, 5}
ONE_RECORD = {7}
ONE_RECORD_BY_SCHEMA = {1, 2, 8}
FEW_BYTES = 10_000
SCHEMAS = {"auction": xmark.DTD, "dblp": dblp.DTD}


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("with_schema", [False, True], ids=["no schema", "schema"])
@pytest.mark.parametrize("query", QUERIES, ids=[f"query {query.number}" for query in QUERIES])
def test_query(query: XQPullQuery, with_schema: bool, scanner: str) -> None:
    data = DOCUMENTS[query.document].encode()
    expected = from_tree(query.text, data)
    assert expected.text
    assert not expected.error
    program = stream_program(query.text, SCHEMAS[query.document] if with_schema else None)
    assert program is not None
    chunks = [data[start : start + 1000] for start in range(0, len(data), 1000)]
    statistics = Statistics()
    assert from_stream(program, chunks, scanner, statistics) == expected
    if query.number in IN_PASSING:
        assert statistics.peak_buffered_bytes == 0
    if query.number in ONE_RECORD or (with_schema and query.number in ONE_RECORD_BY_SCHEMA):
        assert statistics.peak_buffered_bytes < FEW_BYTES
