"""Elements counted by a test of all that is in them: the same as over the tree, and no more input than that takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import xylem

from .compare import SCANNERS, from_stream, from_tree, stream_program, written_as_events

DOCUMENTS = (
    b"<r><t>a gold<t>x<t>gold</t></t>z</t><t>gold 2</t><t k='1'>no</t><t>x gold</t></r>",
    b"<t>no<t>gold</t><t><t>gold</t></t></t>",
    b"<r/>",
)
QUERIES = (
    "head(//t[contains(., 'gold')])",
    "(//t[contains(., 'gold')])[2]",
    "(//t[contains(., 'gold')])[position() <= 3]",
    "subsequence(//t[. = 'gold'], 2, 2)",
    "tail(//t[contains(., 'x')])",
    "for $x at $i in //t[contains(., 'gold')] return ($i, string($x))",
    "for $x at $i in //t[contains(., 'gold')] where $i = 2 return <o>{ $x }</o>",
    "(//t[@k or contains(., 'gold')])[3]",
    "(/r/t[contains(., 'gold')])[2]",
    "head(//*[contains(., 'gold')])",
    "(//t[contains(., 'gold')][t])[1]/t",
    "head(//t[. > 3])",
)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("scanner", SCANNERS)
def test_as_over_the_tree(query: str, scanner: str) -> None:
    program = stream_program(query)
    assert program is not None
    for document in DOCUMENTS:
        expected = from_tree(query, document)
        for pieces in ([document], [document[place : place + 7] for place in range(0, len(document), 7)]):
            found = from_stream(program, pieces, scanner)
            assert found == expected
            if not expected.error:
                assert written_as_events(program, pieces, scanner) == from_tree(query, document, as_xml=True)


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("query", ["head(//t[contains(., 'gold')])", "(//t[. = 'gold'])[1]"])
def test_the_rest_is_not_read(query: str, scanner: str) -> None:
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        yield b"<r><t>no</t>"
        while True:
            read += 1
            assert read < 10_000
            yield b"<t>none</t><t>gold</t>" * 10

    found = xylem.compile(query).stream(endless(), scanner=scanner)
    assert [node.string_value for node in found] == ["gold"]
    assert found.statistics.peak_buffered_bytes < 1000
