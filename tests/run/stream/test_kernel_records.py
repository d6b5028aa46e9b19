"""Maps and arrays of known keys, functions of nodes with types, and set operations in the kernel mean what they say."""

from __future__ import annotations

from random import Random

import pytest
from xylem.source.kernel import is_kernel_built

from .compare import from_tree, stream_program
from .loop_cases import record
from .test_kernel_expressions import agree, kernel_answers, told
from .test_templates import Watched

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

DOCUMENT = (
    "<d><r k='3'><a k='2'>x<b>1</b></a><a k='1'>y<b>7</b></a><n k='2'><a>x</a><b>4</b></n><b>2</b></r><r k='a'/></d>"
)
M = "let $m := map { 'k': string($p/@k), 'a': $p/a, 'n': count($p/*) }"
COPY = "declare function local:f($n as node()) as {} {{ typeswitch ($n) {} default return $n }}; "
ELEMENT = "case element() return element { node-name($n) } { $n/@*, $n/node() ! local:f(.) }"
IN_RECORD = {
    "values of a map": f"{M} return <o k='{{ $m?k }}'>{{ $m?n * 2, $m?a/b }}</o>",
    "calls of a map": f"{M} return <o>{{ $m('k'), map:get($m, 'n'), map:size($m), map:contains($m, 'x'), $m?x }}</o>",
    "a map by a value": "return <o>{ map { 'a': $p/b, '3': $p/n }($p/@k)/a }</o>",
    "a map of constants": "let $m := map { '3': 'three' } return <o>{ $m($p/@k), $m?('3') }</o>",
    "a map once": "return <o>{ map { 'k': string($p/@k), 'n': count($p/*) }?k }</o>",
    "a map as JSON": (
        "return map { 'k': string($p/@k), 'n': $p/n ! 1 } ! <o>{ serialize(., map { 'method': 'json' }) }</o>"
    ),
    "an array": "let $a := [ string($p/@k), $p/n ] return <o>{ $a?1, $a(2)/b, array:size($a), array:get($a, 1) }</o>",
    "an array of values": "let $a := array { $p/*/name() } return <o>{ array:size($a), $a?*, string-join($a?*) }</o>",
    "a fold over nodes": "return <o>{ fold-left($p/*, 0, function($s, $x) { $s + count($x/b) + number($x/@k) }) }</o>",
    "all but some": "return <o>{ $p/* except $p/a[1], ($p/* intersect $p/n)/b }</o>",
    "a union": "return <o>{ reverse($p/a) | $p/n, count($p/a | $p/*) }</o>",
}
FUNCTIONS = {
    "one node": COPY.format("node()", f"case element(b) return <c/> {ELEMENT}"),
    "at most one": COPY.format("node()?", f"case element(b) return () {ELEMENT}"),
    "any number": COPY.format("node()*", f"case element(b) return (<c/>, $n) {ELEMENT}"),
}
TOO_MANY = {
    "none where one is promised": COPY.format("node()", f"case element(b) return () {ELEMENT}"),
    "two where one is promised": COPY.format("node()?", f"case element(b) return (<c/>, $n) {ELEMENT}"),
}


@pytest.mark.parametrize("name", IN_RECORD)
def test_answered_by_the_kernel(name: str) -> None:
    assert kernel_answers(f"for $p in /d/r {IN_RECORD[name]}", DOCUMENT)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_nodes(name: str) -> None:
    assert kernel_answers(f"{FUNCTIONS[name]} for $p in /d/r return local:f($p)", DOCUMENT)


def same(query: str, data: bytes) -> str:
    program = stream_program(query)
    assert program is not None, query
    usual = told(program, data, "python", False)
    assert agree(program, told(program, data, "kernel", True), usual), f"{query}\n{data.decode()}"
    expected = from_tree(query, data, as_xml=True)
    if not usual[1] and not expected.error:
        assert usual[0] == expected.text, f"{query}\n{data.decode()}"
    return usual[1]


@pytest.mark.parametrize("name", TOO_MANY)
def test_results_of_another_number(name: str) -> None:
    assert same(f"{TOO_MANY[name]} for $p in /d/r return local:f($p)", DOCUMENT.encode()) == "XPTY0004"


VALUES = (
    "$p/a", "$p/@k", "$p/a/@k", "string($p/b)", "$p/b + 1", "()", "count($p/*)", "$p/a/text()", "number($p/a)",
    "($p/a, $p/n)",
)  # fmt: skip
READS = (
    "{m}?a", "{m}?b", "{m}('a')", "{m}($p/@k)", "{m}?*", "{m}?c", "map:get({m}, 'b')", "map:size({m})", "exists({m}?a)",
    "{m}?a[1]", "if ({m}?a) then 1 else 2", "{m}?a = {m}?b", "sum({m}?b)", "map:contains({m}, 'a')", "{m}?($p/@k)",
    "{m}?a ! string(.)", "$q?a", "serialize({m}, map {{ 'method': 'json' }})", "{m}?1", "{m}?2", "{m}(1)", "{m}?a/b",
    "for $x in {m}?a return <x>{{ $x }}</x>", "array:size({m})", "let $m := 1 return $m", "{m} ! ?a", "count({m})",
    "for $m in $p/a return $m", "array {{ {m}?a }}?1", "array:get({m}, 3)",
)  # fmt: skip


def test_random_records() -> None:
    random = Random(17)
    before = Watched.texts
    for _ in range(250):
        one, other = random.choice(VALUES), random.choice(VALUES)
        some = f"[{one}, {other}]", f"array {{ {one} }}", f"map {{ '1': 'x', '2': {one} }}"
        made = random.choice((f"map {{ 'a': {one}, 'b': {other} }}", *some))
        reads = ", ".join(random.choice(READS).format(m="$m").replace("$q", "$m") for _ in range(2))
        query = f"for $p in /d/r let $m := {made} return <o>{{ {reads} }}</o>"
        if random.random() < 0.3:
            query = f"for $p in /d/r return <o>{{ {random.choice(READS).replace('$q', '{m}').format(m=made)} }}</o>"
        for _ in range(4):
            same(query, f"<d>{''.join(record(random) for _ in range(random.choice((1, 2))))}</d>".encode())
    assert Watched.texts - before > 150
