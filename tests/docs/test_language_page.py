"""What docs/language.md says of extensions and missing features is what a query meets."""

from __future__ import annotations

import pytest
import xylem

NOT_YET = [
    "<a/>/photon|count 20 step 5|",
    "<a/>/photon|det_time diff 60 step 15|",
]
EXECUTED = [
    ("forseq $w in (1, 2) sliding window start position $p when true() end when true() return sum($w)", [1, 2]),
    ("for $r in (1, 2), $s in (3, 4) where $r left outer bestmatch join $s on (abs($r - $s)) min 1.5 return $r", [2]),
    ("declare execution sequential; declare variable $x := 1; set $x := 2; $x", [2]),
    ("let $a := <a><b>1</b></a> return (count($a/child::b#1), count($a/b#[3]), count($a/b?60))", [0, 1, 0]),
    ("map { 60: 'a' }?60, [1, 2]?2, count((<a/>, 1)#1)", ["a", 2, 0]),
]
MISSING = [
    ("validate { <a/> }", "XQST0075"),
    ("<a/>/namespace::*", "XQST0134"),
    ("import schema 'urn:x'; 1", "XQST0009"),
    ("transform(map { })", "FOXT0001"),
    ("doc('file:///etc/hostname')", "FODC0002"),
    ("doc('http://example.com/')", "FODC0002"),
    ("stream('trades')", "XYIN0030"),
    ("declare variable $s as xs:integer** external; sum($s)", "XYST0010"),
]


@pytest.mark.parametrize("query", NOT_YET)
def test_extensions_that_cannot_be_executed_say_so(query: str) -> None:
    with pytest.raises(xylem.StaticError) as caught:
        xylem.compile(query)
    assert caught.value.code == "XYST0002"
    assert caught.value.span is not None


@pytest.mark.parametrize(("query", "items"), EXECUTED)
def test_extensions_that_are_executed(query: str, items: list[int]) -> None:
    assert list(xylem.compile(query).run()) == items


@pytest.mark.parametrize(("query", "code"), MISSING)
def test_missing_features_have_codes(query: str, code: str) -> None:
    with pytest.raises(xylem.XylemError) as caught:
        xylem.compile(query).run().items
    assert caught.value.code == code
