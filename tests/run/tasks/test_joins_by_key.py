"""Joins whose sides are brought together by key give what comparing all pairs gives: items, order, errors.

Every query runs over many divisions of the document, with the gathered side given to every range and brought to those
that ask.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.run.tasks.in_process import JoinInProcess

from .ranges_of_documents import assert_same, distributed, divisions

DOCUMENT = """<db xmlns:p="urn:p">
  <left><a id="1" k="x"/><a id="2" k="y"/><a id="3"/><a id="4" k="1"/><a id="5" k="1.0"/><a id="6" k="NaN"/></left>
  <right><b r="x">one</b><b r="y">two</b><b r="x">three</b><b>none</b><b r="1">four</b><b r=" 1">five</b></right>
  <left><a id="7" k="x"><k>y</k><k>x</k></a><a id="8" k=""><k/></a><a id="9" k="INF"/><a id="10" k="x"/></left>
  <right><b r="NaN">six</b><b r="01">seven</b><b r="">eight</b><b r="x"><r>1</r><r>y</r></b><b r="INF">ten</b></right>
  <items><i n="7"/><i n="x"/><i n="2"><to>one</to><to>six</to></i></items>
  <p:left><p:a k="y"/></p:left>
</db>"""

BY_KEY = [
    # One value on each side, duplicates on both, items without a key.
    "for $a in //a for $b in //b where $b/@r = $a/@k return <m>{ $a/@id, string($b) }</m>",
    "for $a in //a let $m := //b[@r = $a/@k] return <a n='{ count($m) }'>{ $a/@id, $m }</a>",
    "for $a in //a return <a>{ for $b in //b where $a/@k = $b/@r and $b/r return $b }</a>",
    # Several values: an item is given once, in its order.
    "for $a in //a for $b in //b where $b/r = $a/k return <m>{ $a/@id, $b/r }</m>",
    "for $a in //a for $b in //b where ($b/@r = $a/k) and $b/@r = $a/@k return <m>{ $a/@id, $b }</m>",
    "//a[@k = //b/@r]/@id/string()",
    "count(//a[k = //b/r])",
    "for $a in //a where some $b in //b satisfies $b/r = $a/k return $a/@id/string()",
    "for $a in //a where some $b in //b, $i in //i satisfies $b = $i/to and $b/@r = $a/@k return $a/@id/string()",
    # eq: one value, or an error.
    "for $a in //a for $b in //b where $b/@r eq $a/@k return <m>{ $a/@id, $b }</m>",
    "for $a in //a for $b in //b where $b/r eq $a/@k return <m>{ $a/@id, $b }</m>",
    "for $a in //a for $b in //b where $b/@r eq $a/k return <m>{ $a/@id, $b }</m>",
    "for $a in //a[@id = '7'] for $b in //b[@r = 'none'] where $b/@r eq $a/k return $b",
    # Keys that are numbers on one side: untyped values become numbers, or cannot.
    "for $a in //a for $n in //i/@n[. castable as xs:integer]/xs:double(.) where $a/@k = $n return $n",
    "for $a in //a for $n in //i/@n[. castable as xs:integer]/xs:integer(.) where $a/@id = $n return $n",
    # Sorted, grouped, numbered, first of many.
    "for $a in //a for $b in //b where $b/@r = $a/@k order by string($b) descending return <m>{ $a/@id, $b }</m>",
    "for $a in //a for $b in //b where $b/@r = $a/@k group by $k := $b/@r return <m k='{ $k }' n='{ count($a) }'/>",
    "for $a at $n in //a for $b in //b where $b/@r = $a/@k return <m>{ $n, string($b) }</m>",
    "(for $a in //a for $b in //b where $b/@r = $a/@k return string($b))[position() le 3]",
    "<all>{ for $a in //a return <a>{ //b[@r = $a/@k]/text() }</a> }<n>{ count(//b) }</n></all>",
    # A table that is asked by the items of another, twice over.
    "for $a in //a for $b in //b where $b/@r = $a/@k for $i in //i where $i/to = $b return <m>{ $a/@id, $i/@n }</m>",
    "for $i in //i for $b in //b where $b = $i/to for $a in //a where $a/@k = $b/@r for $c in //b where $c/@r = $a/@id "
    "return <m>{ $i/@n, $a/@id, $c }</m>",
    "for $a in //a for $b in //b[@r = $a/@k] for $i in //i[to = $b] return <m>{ $a/@id, $i/@n }</m>",
    "for $a in //a return <m>{ count(//b), //b[@r = $a/@k] }</m>",
    # The same side asked twice, by different keys; both sides the same elements.
    "for $a in //a return <m>{ count(//b[@r = $a/@k]), count(//b[r = $a/k]) }</m>",
    "for $a in //a for $o in //a where $o/@k = $a/@k and $o/@id != $a/@id return <m>{ $a/@id, $o/@id/string() }</m>",
    # Names in namespaces, names bound again.
    "declare namespace p = 'urn:p'; for $a in //p:a for $b in //b where $b/@r = $a/@k return string($b)",
    "for $a in //a let $x := $a/@k for $b in //b where $b/@r = $x return <m>{ $a/@id, $b }</m>",
    "for $a in //a for $b in //b where $b/@r = $a/@k return (for $a in $b/r return string($a), string($a/@id))",
]

WHOLE = {
    "for $a in //a for $b in //b where $b/@r > $a/@k return string($b)": "its items are compared by `>`",
    "for $a in //a for $b in //b where lower-case($b/@r) = $a/@k return string($b)": "its `=` is not of two paths",
    "for $a in //a for $b in //b where $b/@r = $a/@k or $b/r = $a/k return string($b)": "its `=` is not of two paths",
    "for $a in //a return <m>{ reverse(//b), //b[@r = $a/@k] }</m>": "no equality of paths",
    "for $a in //a return <m>{ //b }</m>": "no equality of paths",
    "for $a in //a let $n := $a/@id/number() for $b in //b[@r = $n] return <m>{ $a/@id, $b }</m>": "what is asked for",
    "for $a in //a let $n := count($a/k) for $i in //i[@n = $n] return <m>{ $a/@id, $i }</m>": "what is asked for",
    "for $a in //a let $k := reverse($a/k) for $b in //b where $b/@r = $k return $b": "what is asked for",
    "declare default collation 'http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive'; "
    "for $a in //a for $b in //b where $b/@r = $a/@k return string($b)": "strings are compared by the default",
}


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("joins") / "db.xml"
    path.write_text(DOCUMENT, encoding="utf-8")
    return path


@pytest.mark.parametrize("query", BY_KEY)
def test_answer_is_that_of_all_pairs(query: str, document: Path) -> None:
    program = assert_same(query, document, Random(query), number=1)
    assert program.keyed_parts, query


@pytest.mark.parametrize(("query", "why"), WHOLE.items(), ids=[query[:60] for query in WHOLE])
def test_what_no_key_decides_is_given_to_every_task(query: str, why: str, document: Path) -> None:
    program = assert_same(query, document, Random(query), number=0)
    (join,) = [join for part in program.distribution.parts for join in part.joins if not join.is_by_key]
    assert join.why.startswith(why), join


def test_a_range_is_given_what_it_asks_for(document: Path) -> None:
    program = distributed(BY_KEY[0])
    *_, parts = divisions(program, document, Random(1), 0)
    joins = JoinInProcess(program, parts, 0, {})
    given = joins.given(1)
    whole = JoinInProcess(program, parts, 1 << 20, {}).broadcast
    sizes = [len(own[1]) for own in given.values()]
    assert not joins.broadcast
    assert max(sizes) < len(whole[1])
    assert sum(size > 1 for size in sizes) >= 5, "each asks for its own"


def test_values_that_no_key_decides_are_given_to_all(document: Path) -> None:
    """An untyped value that is no number cannot be compared with one: no key could lead to that error."""
    numbers = "for $a in //a for $b in //i/@n[. castable as xs:integer]/xs:integer(.) where $a/@k = $b return $b"
    program = distributed(numbers)
    *_, parts = divisions(program, document, Random(1), 0)
    assert JoinInProcess(program, parts, 0, {}).broadcast


VALUES = ["x", "y", "1", "1.0", "01", "+1", "1e0", "NaN", "INF", "", " x", "ä", "2", "-0", "0"]
SIDES = ["$b/@r", "$b/r", "$b/@*", "$b//@r", "$b"]
OTHERS = ["$a/@k", "$a/k", "$a/@*", "$a/descendant::k", "$a/../@of"]
SHAPES = [
    "for $a in //a for $b in //b where E return <m>{ $a/@id, $b/@id/string() }</m>",
    "for $a in //a let $m := for $b in //b where E and $b/@id != '3' return $b return <m>{ $a/@id, count($m) }</m>",
    "for $a in //a where some $b in //b satisfies E return $a/@id/string()",
    "for $a in //a for $b in //b where E order by $b/@id, $a/@id descending return <m>{ $a/@id, $b/@id/string() }</m>",
    "for $a in //a for $b in //b where E for $c in //a where $c/@k = $b/@r return <m>{ $a/@id, $c/@id/string() }</m>",
]


@pytest.mark.parametrize("seed", range(12))
def test_generated_joins(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)

    def element(name: str, number: int) -> str:
        key = "k" if name == "a" else "r"
        attribute = f" {key}='{chance.choice(VALUES)}'" if chance.random() < 0.8 else ""
        inner = "".join(f"<{key}>{chance.choice(VALUES)}</{key}>" for _ in range(chance.randrange(3)))
        return f"<{name} id='{number}'{attribute}>{inner}</{name}>"

    groups = [
        f"<g of='{chance.choice(VALUES)}'>{''.join(element(chance.choice('ab'), 10 * g + n) for n in range(6))}</g>"
        for g in range(5)
    ]
    path = tmp_path / "generated.xml"
    path.write_text(f"<db>{''.join(groups)}</db>", encoding="utf-8")
    sides = [chance.choice(SIDES), chance.choice(OTHERS)]
    chance.shuffle(sides)
    query = chance.choice(SHAPES).replace("E", f"{sides[0]} {chance.choice(['=', '=', 'eq'])} {sides[1]}")
    program = assert_same(query, path, chance, number=1)
    assert program.keyed_parts, query
