"""Nodes that the kernel keeps, in groups, windows and sorted tuples, mean what they mean to the query."""

from __future__ import annotations

import os
from random import Random

import pytest
from xylem.source.kernel import is_kernel_built

from .compare import from_tree, stream_program
from .gathered_cases import Gathered
from .loop_cases import record
from .test_kernel_expressions import agree, kernel_answers, told
from .test_templates import Watched

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ROUNDS = 4000 if os.environ.get("XYLEM_CAMPAIGN") else 200
SEED = int(os.environ.get("XYLEM_SEED", "12"))


@pytest.mark.turns("random kernel code")
def test_random_queries_that_keep_nodes() -> None:
    random = Random(SEED)
    written = 0
    for number in range(ROUNDS):
        query = Gathered(random).query()
        program = stream_program(query)
        if program is None:
            continue
        for _ in range(6):
            data = f"<d>{''.join(record(random) for _ in range(random.choice((1, 1, 1, 3))))}</d>".encode()
            usual = told(program, data, "python", False)
            before = Watched.texts
            found = told(program, data, "kernel", True)
            assert agree(program, found, usual), f"{number}: {query}\n{data.decode()}"
            written += Watched.texts - before
            expected = from_tree(query, data, as_xml=True)
            if not usual[1] and not expected.error:
                assert usual[0] == expected.text, f"{number}: {query}\n{data.decode()}"
    # The kernel would be worth little if it left most of them to the query.
    assert written > ROUNDS


DOCUMENT = (
    "<d><r k='3'><a k='2'>x<b>1</b></a><a k='1'>y<b>7</b></a><n k='2'><a>x</a><b>4</b></n><a k='2'>z</a><b>2</b></r>"
    "<r/><r><a>only</a></r></d>"
)
ANSWERED = {
    "nodes in another order": "reverse($p/a)",
    "groups": "for $x in $p/a group by $k := $x/@k return <g k='{ $k }' n='{ count($x) }'>{ $x/b }</g>",
    "groups by two keys": "for $x in $p/* group by $k := $x/@k, $n := name($x) return <g>{ $k, $n, count($x) }</g>",
    "groups in an order": "for $x in $p/a group by $k := $x/@k order by $k return <g k='{ $k }'>{ $x }</g>",
    "groups of values": "for $x in $p/a let $v := string-length($x) group by $v return <g>{ $v, string-join($x) }</g>",
    "counted groups": "for $x in $p/* group by $k := name($x) count $n return <g n='{ $n }'>{ $k, count($x) }</g>",
    "sorted and counted": "for $x in $p/* order by $x/@k descending count $n return <t n='{ $n }'>{ $x/@k }</t>",
    "counted": "for $x in $p/* where $x/@k count $n return <t n='{ $n }'>{ $x/b }</t>",
    "the greatest": "(for $x in $p/* order by number($x/@k) descending return $x)[1]/b",
    "sorted by a function": "sort($p/*, (), function($x) { string($x) })",
    "a name for nodes": "let $s := sort($p/a) return ($s[1], <k>{ $s[1]/@k, count($s) }</k>)",
    "a path from nodes in another order": "reverse($p/a)/b",
    "a truth": "let $s := reverse($p/a) return if ($s) then <y/> else <n/>",
    "the first of several": "($p/zzz, $p/n, $p/a)[1]/b",
    "tumbling windows": (
        "for tumbling window $w in $p/a start at $s when true() end at $e when $e - $s = 1 "
        "return <w>{ $w[1]/@k, $w/b }</w>"
    ),
    "windows between starts": (
        "for tumbling window $w in $p/* start $s when $s/b return <w n='{ count($w) }'>{ $s/b }</w>"
    ),
    "sliding windows": (
        "for sliding window $w in $p/a start at $s when true() only end $e at $t when $t - $s = 1 "
        "return <w>{ $e/@k, sum($w/@k) }</w>"
    ),
    "windows over values": (
        "for sliding window $w in $p/*/string() start previous $b when true() end $e next $f when $e ne $f "
        "return <w>{ $b, count($w) }</w>"
    ),
    "values that are looked up": "for $t in distinct-values($p/a/@k) return <t>{ $t, count($p/a[@k = $t]) }</t>",
    "an aggregate of all in a condition": "$p/a[@k = max($p/a/@k)]",
    "an aggregate of all in a loop": "for $x in $p/a return <t>{ count($p/a), sum($p/*/@k) + count($x/b) }</t>",
    "siblings": "$p/a[1]/following-sibling::*[2]/@k",
    "siblings before": "count($p/n/preceding-sibling::a[b])",
    "what no sibling before has": "$p/a[not(@k = preceding-sibling::a/@k)]/@k/string()",
    "a parent": "$p/n/a/../@k/string()",
    "an ancestor in the record": "$p//b/ancestor::n/@k/string()",
    "a step below nested elements": "$p//a[b > 1]/b",
    "the first below each parent": "$p//a[1]",
    "all texts": "for $x in $p/*//text() return <t>{ string($x) }</t>",
    "all attributes": "count($p//@*)",
    "names of attributes": "for $x in $p/*/@* return <k n='{ name($x) }'>{ data($x) }</k>",
    "elements called as attributes": "for $x in $p/a[1]/@* return element { name($x) } { string($x) }",
    "the place of nodes": "for $x in $p/a, $y in $p/a where $x << $y return <t>{ $x/@k, $y is $x }</t>",
    "a type of nodes": "$p/n instance of element(n), $p/a instance of element()+, $p/zzz instance of element(n)?",
    "nodes treated as a type": "($p/n treat as element(n)?)/a",
    "a typeswitch over a path": "typeswitch ($p/*[1]) case element(a) return <x/> default $d return $d/b",
    "nodes that are equal": "deep-equal($p/a, $p/n/a), deep-equal($p/a[1], $p/a[1])",
    "a number of nodes": "zero-or-one($p/n), tail($p/a), head($p/*)/b",
    "a loop in another order": "for $x in reverse($p/*) return <v>{ name($x) }</v>",
}


@pytest.mark.parametrize("name", ANSWERED)
def test_answered_by_the_kernel(name: str) -> None:
    assert kernel_answers(f"for $p in /d/r return <o>{{ {ANSWERED[name]} }}</o>", DOCUMENT)


COLLATION = "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive"
LEFT = {
    "siblings of the record": "$p/preceding-sibling::r[1]/a",
    "attributes among values": "let $s := reverse($p/a/@k) return ($s, 1)",
    "values and nodes": "let $s := ($p/a, 1) return (<k>{ count($s) }</k>, $s)",
    "a collation": f"for $x in $p/a group by $k := $x/@k collation '{COLLATION}' return <g>{{ $k }}</g>",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_to_code(name: str) -> None:
    assert not kernel_answers(f"for $p in /d/r return <o>{{ {LEFT[name]} }}</o>", DOCUMENT)
