"""An error while a query runs points at the very call or operator that raised it, not at all of its line."""

from __future__ import annotations

import pytest
import xylem

DOCUMENT = xylem.parse("<r><x y='q'>1</x><x y='2024-01-01'>b</x></r>")

CASES = {
    "cast after a call": 'upper-case("a") || xs:integer("x")|xs:integer("x")',
    "document below a path": 'doc("b.xml")//title|doc("b.xml")',
    "argument of an argument": '(1, 2) ! (string-length("é") + number(exactly-one(())))|exactly-one(())',
    "order key": 'for $x in ("a", "b") order by xs:date($x) return $x|xs:date($x)',
    "attribute of a constructor": 'let $a := "x" return <a b="{ xs:date($a) }" c="{ 1 }"/>|xs:date($a)',
    "sum among numbers": 'sum(("a", 1)) + count(1)|sum(("a", 1))',
    "error()": '"é" || error(xs:QName("e"), "boo")|error(xs:QName("e"), "boo")',
    "condition": 'for $b in (1, 2) where contains("x", "y") or matches("a", "(") return 1|matches("a", "(")',
    "division": "1 + (2 div (3 - 3))|2 div (3 - 3)",
    "comparison": "let $d := current-date() return (1 eq 1, 2 lt 3, $d eq 4)|$d eq 4",
    "nodes cast": 'for $d in //x return xs:date($d/@y) + xs:dayTimeDuration("P1D")|xs:date($d/@y)',
    "two alike": 'xs:integer("1") + xs:integer("2") + xs:integer("x")|xs:integer("x")',
    "in a function": 'declare function local:f($x) { 1 + xs:integer($x) }; local:f("1") + local:f("q")|xs:integer($x)',
    "argument of a wrong type": 'let $x := ("a", 1)[2] return concat("é", string-length($x), "b")|string-length($x)',
    "treat": '("a" || ("b", "c")[2]) || (("x", 1)[2] treat as xs:string)|("x", 1)[2] treat as xs:string',
    "behind other letters": 'concat("日本語", "x", xs:integer("日"))|xs:integer("日")',
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_place_is_that_of_the_call(case: str) -> None:
    query, _, place = case.rpartition("|")
    with pytest.raises(xylem.XylemError) as caught:
        list(xylem.compile(query).run(DOCUMENT))
    span = caught.value.span
    assert span is not None
    assert query[span.start : span.end] == place


def test_streams_point_there_too() -> None:
    query = "for $x in /r/x return <d>{ string($x/@y), xs:integer($x) + 1 }</d>"
    with pytest.raises(xylem.XylemError) as caught:
        list(xylem.compile(query).stream(b"<r><x y='q'>1</x><x>b</x></r>"))
    span = caught.value.span
    assert span is not None
    assert query[span.start : span.end] == "xs:integer($x)"


def test_what_is_caught_knows_the_column() -> None:
    query = 'try { 1 + xs:integer("x") } catch * { $err:line-number, $err:column-number }'
    assert list(xylem.compile(query).run()) == [1, 11]


def test_what_a_rewriting_made_does_not_stand_in_an_empty_text() -> None:
    query = xylem.compile("declare variable $x external; //x[@y = $x]/@y")
    with pytest.raises(xylem.XylemError, match=r"\$x has no value") as caught:
        list(query.stream(b"<r><x y='1'/></r>"))
    assert caught.value.span is None or caught.value.span.source.text
