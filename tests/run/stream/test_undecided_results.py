"""Results of elements whose test is not decided yet: what fails in them is told only if the test holds."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError

from tests.reference import reference

DROPPED = "<l><t n='0'><a>26</a></t><t n='2'><a>x</a></t></l>"
KEPT = "<l><t n='1'><a>x</a></t><t n='0'><a>x</a></t></l>"
QUERIES = [
    "for $t in //t where matches($t/a, '^[a-z]+$') return <e>{ 1 idiv xs:integer($t/@n) }</e>",
    "for $t in //t where $t/a = 'x' return <e n='{ 6 div xs:decimal($t/@n) }'/>",
    "//t[a = 'x']/(1 idiv xs:integer(@n))",
    "//t[a = 'x']/@n/(10 idiv xs:integer(.))",
    "for $t in //t[starts-with(a, 'x')] return element e { attribute n { 6 mod xs:integer($t/@n) } }",
]


def streamed(query: str, data: str) -> str:
    written: list[bytes] = []
    xylem.compile(query).stream(data.encode()).write_to(written.append)
    return b"".join(written).decode()


@pytest.mark.parametrize("query", QUERIES)
def test_what_is_dropped_does_not_fail(query: str) -> None:
    assert streamed(query, DROPPED) == reference(query).run(xylem.parse(DROPPED)).serialize() != ""


@pytest.mark.parametrize("query", QUERIES)
def test_what_is_kept_fails_where_the_tree_does(query: str) -> None:
    with pytest.raises(XylemError) as expected:
        reference(query).run(xylem.parse(KEPT)).serialize()
    with pytest.raises(XylemError) as found:
        streamed(query, KEPT)
    assert str(found.value) == str(expected.value)
