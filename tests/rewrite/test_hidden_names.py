"""Variables that have the name of others: a query means what it means as written, whatever rules move."""

from __future__ import annotations

import pytest
import xylem
from xylem.analysis.readable_names import with_readable_names
from xylem.errors import XylemError
from xylem.rewrite.unshadowed import unshadowed
from xylem.syntax import ast, parse, print_query

from tests.reference import reference
from tests.turns import is_campaign

from .joins.random_spellings import RandomSpellings

DOCUMENT = "<r><b k='1' n='1'/><b k='1' n='2'/><b k='2' n='3'/><c k='2'/><c k='3'/></r>"
TWICE = "declare variable $f := function($x) { $x * 2 };"
OF_K = "declare variable $k := '2'; declare variable $f := function($b) { $b/@k = $k };"
SAME = "declare variable $k := '2'; declare function local:f($b) { $b/@k = $k };"
QUERIES = (
    f"{TWICE} for $b in //b for $f in (function($x) {{ $x * 3 }}) return $f($b/@n)",
    f"{TWICE} for $b in //b let $g := function($f) {{ $f($b/@n) }} return $g(function($x) {{ $x * 3 }})",
    f"{OF_K} for $k in //c return count(//b[$f(.)])",
    f"{OF_K} for $k in //c return count(filter(//b, $f))",
    f"{OF_K} declare function local:g($k) {{ for $b in $k return $f($b) }}; local:g(//b)",
    f"{TWICE} declare function local:g($f) {{ $f(1) }}; <x>{{ local:g(function($x) {{ 7 }}), //c }}</x>",
    "declare variable $k := '2'; let $f := function($b) { $b/@k = $k } for $k in //c return count(//b[$f(.)])",
    f"{SAME} declare function local:g($k) {{ count($k[local:f(.)]) }}; for $z in (1, 2) return local:g(//b)",
    f"{SAME} declare function local:g($x) {{ for $k in $x where local:f($k) return $k/@n/string() }}; local:g(//b)",
    f"{SAME} declare function local:k() {{ $k }}; declare function local:g($x) {{ for $k in //c return ($k/@k, $x) }};"
    "declare function local:h($d) { for $k in $d/c return ($k/@k/string(), local:k()) }; local:h(/r)",
    "declare function local:f($x, $y) { $x/@k = $y/@k }; declare function local:g($y, $x) { $x[local:f($y, .)] };"
    "for $x in //b return count(local:g($x, //c))",
    "declare function local:f($x) { $x/@k };"
    "declare function local:g($y) { let $x := $y/@n return concat($x, local:f($y)) };"
    "//b ! local:g(.)",
    "declare function local:m($os, $p) { $os[@k = $p/@k] }; for $p in //b, $os in //c return count(local:m($p, $os))",
    "declare function local:m($f, $xs) { for $x in $xs where $f($x) return $x };"
    "for $x in //b return local:m(function($f) { $f/@k = $x/@k }, //c)",
    "declare variable $p := //b; declare function local:m($o, $p, $f) { for $p in $p where $f($o, $p) return $p };"
    "for $o in //b where exists(local:m($o, //c, function($o, $p) { string($o/@k) eq string($p/@k) })) "
    "return $o/@n/string()",
    "for $o in //b where exists(let $p := //c for $p in $p where string($o/@k) eq string($p/@k) return $p) "
    "return $o/@n/string()",
    "for $o in //b let $p := //c let $q := $p let $p := $q[@k = $o/@k] where $p/@k = $q/@k return count($p)",
    "for $x in //b for $x in ($x/@k) return ``[`{ $x }`-`{ 'a' }`]``",
    "for $x in //b let $x := $x/@k order by $x descending empty greatest return <i j='{ $x }-k'>{ $x, 'l' }</i>",
    "for $x in //b group by $x := $x/@k/string() return $x",
    "for $x in //b let $k := $x/@k/string() for $y in (1, 2) let $k := concat($k, $y) group by $k "
    "order by $k return $k",
    "for $x in //b return typeswitch ($x/@k) case $x as attribute() return string($x) default $x return name($x)",
    "for $x in //b return (some $x in $x/@k satisfies $x = '2', $x/@n/string())",
    "for $x in (1, 2) for tumbling window $x in //b start $s at $i when $i mod $x = 1 return count($x)",
    "declare variable $b := <q k='3'/>; declare function local:g($y as element(b)) { $y/@n/string() };"
    "for $x in //b return local:g($x), try { local:g($b) } catch * { 'no' }",
)
STATIC = (
    ("XQST0089", "for $x at $x in //b return 1"),
    ("XQST0089", "for $x at $x in //b for $x in //c return 1"),
    ("XQST0039", "for $x in //b return function($y, $y) { 1 }(1, 2)"),
    ("XQST0039", "declare function local:f($a, $a) { 1 }; //b"),
    ("XPST0017", "for $x in //b return filter($x)"),
    ("XPST0017", "for-each()"),
    ("XQST0103", "for tumbling window $w in //b start $w when true() return 1"),
    ("XQST0103", "for tumbling window $w in //b start $s when true() end $s when true() return 1"),
)
"""Errors of names, which no rule may fail on, and no run comes to see."""


def outcome(query: xylem.Query, document: str, *, streamed: bool = False) -> str:
    written: list[bytes] = []
    try:
        if not streamed:
            return query.run(xylem.parse(document)).serialize()
        query.stream(document.encode()).write_to(written.append)
    except XylemError as error:
        return error.code
    return b"".join(written).decode()


@pytest.mark.parametrize("text", QUERIES)
def test_they_mean_what_they_mean(text: str) -> None:
    expected = outcome(reference(text), DOCUMENT)
    query = xylem.compile(text)
    assert outcome(query, DOCUMENT) == expected
    assert outcome(query, DOCUMENT, streamed=True) == expected


@pytest.mark.parametrize("seed", range(1, 41) if is_campaign() else range(1, 3))
def test_random_names(seed: int) -> None:
    made = RandomSpellings(seed, hides=True)
    answered = 0
    for _ in range(60):
        text, document = made.query(), made.document()
        try:
            query, oracle = xylem.compile(text), reference(text)
        except XylemError:
            continue  # A name that is not declared.
        expected = outcome(oracle, document)
        assert (outcome(query, document), outcome(query, document, streamed=True)) == (expected, expected), text
        answered += 1
    assert answered > 10


@pytest.mark.parametrize(("code", "text"), STATIC)
def test_errors_of_names(code: str, text: str) -> None:
    with pytest.raises(XylemError) as caught:
        xylem.compile(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("for $x in 1 for $x in $x return $x", "for $x in 1 for $x2 in $x return $x2"),
        ("for $x in 1 return (for $y in 2 return $y, for $y in 3 return $y)", None),
        (
            "let $x := 1 let $x := $x + 1 let $x := $x + 1 return $x",
            "let $x := 1 let $x2 := $x + 1 let $x3 := $x2 + 1 return $x3",
        ),
        (
            "for $x in 1 let $x2 := 2 let $x := 3 return $x + $x2",
            "for $x in 1 let $x2 := 2 let $x3 := 3 return $x3 + $x2",
        ),
        ("for $g in 1 return $g", "for $g2 in 1 return $g2"),
        ("$g, for $y in 1 return $y", None),
        ("for $x in 1 let $x := 2 group by $x return $x", "for $x in 1 let $x2 := 2 group by $x2 return $x2"),
        ("for $x in 1 group by $x := $x + 1 return $x", "for $x in 1 group by $x2 := $x + 1 return $x2"),
        ("some $x in 1, $x in $x satisfies $x", "some $x in 1, $x2 in $x satisfies $x2"),
        ("for $x in 1 return function($x) { $x }($x)", "for $x in 1 return function($x2) { $x2 }($x)"),
        (
            "for $x in 1 return typeswitch ($x) case $x as item() return $x default $x return $x",
            "for $x in 1 return typeswitch ($x) case $x2 as item() return $x2 default $x3 return $x3",
        ),
    ],
)
def test_names_of_their_own(written: str, made: str | None) -> None:
    body = parse(written).body
    found = unshadowed(body, [ast.Name("g").expanded])
    if made is None:
        assert found is body
    else:
        assert print_query(with_readable_names(found)) == print_query(parse(made).body)
