"""What fails is an error where it is read: predicates that results wait for, aggregates that `try` catches."""

from __future__ import annotations

import pytest

from .compare import SCANNERS, from_stream, from_tree, stream_program

DOCUMENT = b'<r><g><x n="1"/><y k="1"/></g><g><x n="no"/><y k="2"/></g><g><y k="3"/><x n="9"/><x n="no"/></g></r>'
QUERIES = [
    ("//g[x/@n > 2]/y", "FORG0001"),
    ("//g[not(x/@n > 2)]/y", "FORG0001"),
    ("//g[some $x in x satisfies $x/@n > 2]/y", "FORG0001"),
    ("//g[every $x in x satisfies $x/@n < 2]/y", "FORG0001"),
    ("for $g in /r/g return try { sum($g/x/@n) } catch * { concat('no sum: ', $g/y/@k) }", ""),
    ("//g[y/@k = 3 and x/@n > 2]/y", ""),
    ("//g[x/@n = 'no']/y/@k/string()", ""),
]


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(("query", "code"), QUERIES)
def test_as_over_the_tree(query: str, code: str, scanner: str) -> None:
    expected = from_tree(query, DOCUMENT)
    assert expected.error == code
    program = stream_program(query)
    assert program is not None
    found = from_stream(program, [DOCUMENT], scanner)
    assert found.error == code
    assert code or found == expected
