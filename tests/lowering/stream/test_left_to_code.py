"""What `explain` says of expressions that the kernel leaves to code: as they stand in the query, with the reason."""

from __future__ import annotations

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_stream

WINDOWS = "for tumbling window $w in /s/i start at $s when true() end at $e when $e - $s = 2 return "
BY_KEY = (
    "for $u in distinct-values(/s/i/k) forseq $w in /s/i[k eq $u] tumbling window "
    "start when true() end position $p when $p mod 2 = 0 return "
)


@pytest.mark.parametrize(
    ("query", "expressions"),
    [
        ("for $p in /a/b where encode-for-uri($p/x) = '1' return $p/y", ["encode-for-uri($p/x)"]),
        ("for $p in /a/b return <p>{ $p/y }</p>", []),
        (WINDOWS + "<w>{ sum($w/v) }</w>", []),
        (WINDOWS + "<w>{ encode-for-uri(string(sum($w/v))) }</w>", ["encode-for-uri(string(sum($w/v)))"]),
        # A rule has put the value of an aggregate where the call stood.
        (f"sum({BY_KEY}sum($w/v))", ["sum($w/v)"]),
    ],
)
def test_expressions_are_told_as_they_stand(query: str, expressions: list[str]) -> None:
    told = compile_stream(query, StaticEnvironment()).by_code
    assert [text for text, _ in told] == expressions
    assert all(why for _, why in told)


def test_explain_has_a_section() -> None:
    query = xylem.compile("for $b in /a/b where encode-for-uri($b/x) = '1' return <p>{ $b/y }</p>")
    text = query.explain().to_text()
    assert "left to code\n  encode-for-uri($b/x): the kernel does not know encode-for-uri()" in text
