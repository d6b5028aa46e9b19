"""Elements that stand in each other are kept once, and what is asked of each of them stays what it was."""

from __future__ import annotations

import pytest
import xylem

DEPTH = 1_500
DEEP = (
    "<r xmlns:p='u'>" + "".join(f"<a n='{n % 7}'><b>{n}</b>" for n in range(DEPTH)) + "</a>" * DEPTH + "<a n='3'/></r>"
)
SMALL = (
    "<r><a n='2'><b>1</b><a n='1' xmlns:p='u'><b>2</b><a xmlns='d'/></a><c/></a><a n='3'><c/><a n='0'/></a><a/>"
    "<a n='9'><a n='8'><a n='7'/>x</a><a n='6'/></a></r>"
)
KEEPING = [
    "for $a in //a order by string($a) return <s>{ count($a/*), string($a/b) }</s>",
    "for $a in //a order by number($a/@n) descending return count($a//b)",
    "subsequence(for $a in //a order by number($a/@n), string($a/b) return $a, 1, 900) ! count(.//c)",
    "(//a)[position() > last() - 700] ! <l>{ @n, count(.//*) }</l>",
    "for $w in //a|count 40 step 200| return <w>{ $w[1]/b, string-join($w/@n) }</w>",
]


def written(result: xylem.StreamResult) -> str:
    parts: list[bytes] = []
    result.write_to(parts.append)
    return b"".join(parts).decode()


@pytest.mark.parametrize("query", KEEPING)
def test_nested_elements_are_kept_once(query: str) -> None:
    streamed = xylem.compile(query).stream(DEEP.encode())
    text = written(streamed)
    # Each of them by itself would be some two thousand rows on average.
    assert streamed.statistics.peak_buffered_bytes < 1_000_000
    assert text == xylem.compile(query).run(xylem.parse(DEEP)).serialize()


@pytest.mark.parametrize(
    "query",
    [
        *KEEPING,
        "for $a in //*:a order by $a/@n descending return $a",
        "(for $a in //*:a order by $a/@n return $a)[position() le 3]",
        "(//*:a)[position() > last() - 3]",
        "for $w in //*:a|count 2 step 1| return <w>{ $w}</w>",
    ],
)
def test_whatever_is_asked_of_them(query: str) -> None:
    expected = xylem.compile(query).run(xylem.parse(SMALL)).serialize()
    for size in (1, 7, 1 << 16):
        pieces = [SMALL.encode()[place : place + size] for place in range(0, len(SMALL.encode()), size)]
        assert written(xylem.compile(query).stream(iter(pieces))) == expected
