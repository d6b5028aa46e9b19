"""Elements of a document in new elements: written from where they stand, they are what copies of them are."""

from __future__ import annotations

import pytest
import xylem
from xylem.source.kernel import read_tree
from xylem.source.limits import Limits
from xylem.values.deferred_tree import DeferredTree
from xylem.values.node import Node

DOCUMENT = """<r xmlns:p="urn:p" xmlns:q="urn:q" plain="1">
  <p:a n="1"><b xmlns="urn:d" xmlns:q="urn:other"><c q:x="1">t&amp;&lt;</c></b><!--c--><?i j?></p:a>
  <a xmlns:p="urn:p2"><p:b/><a xmlns:p="urn:p"><p:b p:y="2"/></a></a>
  <d xmlns="urn:d"><e xmlns=""><f/></e></d>
  <g xml:lang="en" xml:base="http://example.org/">x<h xmlns:n0="urn:0">y</h></g>
</r>"""
SMALL_PLAIN = "<r>" + "<a><b>1</b><b>2</b></a>" * 12 + "</r>"
CONSTRUCTORS = [
    "for $n in //* return <x>{ $n }</x>",
    "<x>{ //* }</x>",
    "<x a='&amp;1'>text &lt;{ //*[1] }<y/>{ 1, 2 }<z>{ //*[last()] }</z><!--c--><?i j?></x>",
    "<x xmlns:p='urn:p'>{ //* }</x>",
    "<x xmlns='urn:d'>{ /*/* }</x>",
    "<p:x xmlns:p='urn:x'>{ /*/* }</p:x>",
    "<x><y xmlns:p='urn:x'>{ /* }</y>{ /* }</x>",
    "<x>{ <y>{ /*/* }</y>, <z>{ <w>{ /* }</w> }</z> }</x>",
    "declare copy-namespaces no-preserve, inherit; <x xmlns:i='urn:i'>{ //* }</x>",
    "declare copy-namespaces preserve, no-inherit; <x xmlns:i='urn:i'>{ //* }</x>",
    "element { QName('urn:q', 'q:x') } { attribute m { 1 }, //* }",
    "document { <x>{ //* }</x> }",
    "let $x := <x>{ //* }</x> return ($x//* ! name(), $x//@* ! name(), count($x//node()))",
    "let $x := <x>{ //* }</x> return $x//*[last()]",
    "let $x := <x>{ //* }</x> return $x//* ! string-join(sort(in-scope-prefixes(.)), ' ')",
    "let $x := <x>{ /* }</x> return deep-equal($x/*, /*)",
    "let $x := <x>{ /* }</x> return ($x/*/.. is $x, $x/* << $x/*/*[1], base-uri(($x//*)[last()]))",
    "let $x := <x>{ /* }</x> return <y>{ $x, $x/*, $x/@* }</y>",
    "let $x := <x>{ /* }</x> let $y := <y>{ $x }</y> return (count($x//*), $y, name($y/x/*))",
]


def both(document: str) -> tuple[Node, Node]:
    """A document whose elements may be noted, and the same in Python columns, where they never are."""
    trees = [read_tree(document.encode(), Limits(), compact=compact) for compact in (True, False)]
    return Node(trees[0], 0), Node(trees[1], 0)


@pytest.mark.parametrize("document", [DOCUMENT, SMALL_PLAIN], ids=["namespaces", "plain"])
@pytest.mark.parametrize("query", CONSTRUCTORS)
@pytest.mark.parametrize(
    "parameters", [{}, {"indent": True}, {"encoding": "us-ascii"}], ids=["plain", "indent", "ascii"]
)
def test_they_are_written_as_copies_are(document: str, query: str, parameters: dict[str, object]) -> None:
    noted, copied = both(document)
    compiled = xylem.compile(query)
    expected = compiled.run(copied).serialize(**parameters)
    assert compiled.run(noted).serialize(**parameters) == expected


@pytest.mark.parametrize("document", [DOCUMENT, SMALL_PLAIN], ids=["namespaces", "plain"])
@pytest.mark.parametrize("query", CONSTRUCTORS)
def test_a_stream_writes_the_same(document: str, query: str) -> None:
    compiled = xylem.compile(query)
    parts: list[bytes] = []
    if "prefixes" in query or "base-uri" in query:
        with pytest.raises(xylem.StaticError, match="XYST0004"):
            compiled.stream(document.encode())
        return
    compiled.stream(document.encode()).write_to(parts.append)
    assert b"".join(parts).decode() == compiled.run(both(document)[1]).serialize()


def test_what_is_only_written_is_never_copied() -> None:
    noted, _ = both(DOCUMENT)
    for query in ("for $n in //* return <x>{ $n }</x>", "<x>{ //*, <y>{ //* }</y> }</x>"):
        result = xylem.compile(query).run(noted)
        result.serialize()
        assert all(type(item.tree) is DeferredTree for item in result.xdm)


@pytest.mark.parametrize("outer", ["", " xmlns:p0='v'", " xmlns='w'"])
def test_siblings_share_what_they_declare(outer: str) -> None:
    """Hundreds of prefixes around thousands of elements: one list of them, however many copies are kept."""
    prefixes = " ".join(f"xmlns:p{number}='u{number}'" for number in range(60))
    document = f"<r {prefixes}>{'<a/>' * 200}</r>"
    queries = [
        f"declare namespace n = 'x'; for $a in //*:a order by name($a) return <x{outer}>{{ $a }}</x>",
        f"for $a in //*:a order by name($a) return <x y='{{ name($a) }}'{outer}>{{ $a }}</x>",
        "for $a in //a order by name($a) return $a",
    ]
    for query in queries:
        compiled = xylem.compile(query)
        parts: list[bytes] = []
        result = compiled.stream(document.encode())
        result.write_to(parts.append)
        assert b"".join(parts).decode() == compiled.run(both(document)[1]).serialize()
