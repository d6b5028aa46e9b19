"""Unions of paths said as one path: what comes out, and where nothing must."""

from __future__ import annotations

import pytest
from xylem.rewrite.union_of_paths import unite_paths
from xylem.syntax import parse, print_query

FIRES = {
    "//a | //b": "/descendant::*[self::a or self::b]",
    "/r/(a | b)/c": "/r/*[self::a or self::b]/c",
    "/r/a union /r/b[c = 1] union /r/*:d": "/r/*[self::a or self::b[c = 1] or self::*:d]",
    "$x/a | $x/b": "$x/*[self::a or self::b]",
    "a | element(b)": "*[self::a or self::element(b)]",
    "//a/(b | c[x | y])": "//a/*[self::b or self::c[*[self::x or self::y]]]",
    "/r/a except /r/b": "/r/a[fn:not(self::b)]",
    "/r/* except /r/(b | c)": "/r/*[fn:not(self::*[self::b or self::c])]",
    "/r/a[x] intersect /r/*": "/r/a[x][self::*]",
    "/r/(a, b)/c": "/r/*[self::a or self::b]/c",
    "/r/(* except b)": "/r/*[fn:not(self::b)]",
    "(//a | //b)[1]": "(/descendant::*[self::a or self::b])[1]",
    "count(following-sibling::a | following-sibling::b)": "count(following-sibling::*[self::a or self::b])",
}

MUST_NOT = [
    "/r/a[1] | /r/b",
    "/r/a[last()] | /r/b",
    "$x/a | $y/b",
    "/r/a | /s/b",
    "/r/a | //b",
    "@a | @b",
    "/r/text() | /r/a",
    "<a><b/></a>/b | <a><b/></a>/c",
    "/r/a[1] intersect /r/b[1]",
    "/r/a except /s/b",
    "/r/(a, @b)",
    "/r/(a, 1)",
    "(/r/a, /r/b)",
    "preceding-sibling::a | preceding-sibling::b",
]


@pytest.mark.parametrize("query", FIRES)
def test_one_path(query: str) -> None:
    assert print_query(unite_paths(parse(query, "query").body)) == FIRES[query]


@pytest.mark.parametrize("query", MUST_NOT)
def test_left_alone(query: str) -> None:
    body = parse(query, "query").body
    assert unite_paths(body) is body
