"""Sorted items that stand inside each other are one tree to whoever goes on from them."""

from __future__ import annotations

import pytest
import xylem

NESTED = b"<r><s n='1'><s n='2'><p/><p/></s><p/><s n='3'/></s><s n='2'><p n='2'/></s><t n='2'/></r>"


@pytest.mark.parametrize(
    "query",
    [
        "(for $s in //s order by $s/@n return $s)//p",
        "count((for $s in //s order by $s/@n return $s)//p)",
        "let $s := (for $s in //s order by $s/@n return $s) return ($s//p, count($s))",
        "let $s := (for $s in //s order by $s/@n return $s) let $t := $s return <r>{ $t/p }</r>",
        "(for $s in //s order by $s/@n return $s)[position() <= 2]//p",
        "subsequence(for $s in //s order by $s/@n return $s, 1, 2)//p",
        "sort(//s, (), function($s) { number($s/@n) })[position() <= 2]//p",
        "head(sort(//s, (), function($s) { number($s/@n) }))//p",
        "(for $s in //s order by $s/@n return $s) ! count(.//p)",
    ],
)
def test_paths_from_sorted_items(query: str) -> None:
    compiled = xylem.compile(query)
    pieces: list[bytes] = []
    compiled.stream(NESTED).write_to(pieces.append)
    assert b"".join(pieces).decode() == str(compiled.run(xylem.parse(NESTED)))
