"""The stream data flow graph: the paper's figures 3 to 6, its theorems, and the rest of the language."""

from __future__ import annotations

import pytest
from xylem.analysis.dataflow import AtomicNode, Blocking, Dependence, Graph, SequenceNode
from xylem.analysis.dataflow.stream_path import StreamPath, common_prefix

from .graphs_of_queries import edges, flow_of, together

QUERY_1 = "let $b := count(stream/pixel[x>0])\nfor $i in stream/pixel\nreturn $i/x idiv $b"
QUERY_2 = "let $b := count(stream/pixel[x>0])\nreturn sum(stream/pixel/y) idiv $b"
QUERY_3 = "let $b := for $i in stream/pixel[x>0] return $i\nfor $j in $b/y\nwhere $j = count($b)\nreturn $j"


def by_label(graph: Graph, start: str) -> SequenceNode | AtomicNode:
    (found,) = [node for node in graph.nodes if node.label.startswith(start)]
    assert isinstance(found, (SequenceNode, AtomicNode))
    return found


def test_figure_3() -> None:
    graph = flow_of(QUERY_1).written
    assert [node.label for node in graph.sequences] == ["/stream/pixel[x > 0]", "/stream/pixel", "return $i/x idiv $b"]
    assert edges(graph, Dependence.AGGREGATE) == {("/stream/pixel[x > 0]", "$b := count(stream/pixel[x > 0])")}
    assert edges(graph, Dependence.FLOW) == {
        ("/stream/pixel", "$i"),
        ("$i", "return $i/x idiv $b"),
        ("$b := count(stream/pixel[x > 0])", "return $i/x idiv $b"),
    }
    iterator = by_label(graph, "$i")
    assert isinstance(iterator, AtomicNode)
    assert iterator.is_iterator
    assert [node.label for node in graph.roots] == ["/stream/pixel[x > 0]", "/stream/pixel"]


def test_figure_4() -> None:
    flow = flow_of(QUERY_2)
    assert {"[x > 0]", "/y", "/stream/pixel"} == {node.label for node in flow.fused.sequences}
    assert {("/stream/pixel", "[x > 0]"), ("/stream/pixel", "/y")} <= edges(flow.fused, Dependence.FLOW)
    assert flow.verdict.is_single_pass
    assert flow.verdict.passes == 1


def test_figure_5() -> None:
    flow = flow_of(QUERY_1)
    assert together(flow.fused) == [{"/stream/pixel", "[x > 0]", "$i", "return $i/x idiv $b"}]
    (reason,) = flow.verdict.reasons
    assert (flow.verdict.passes, flow.verdict.is_single_pass, reason.theorem) == (2, False, 3)
    assert [(span.line, span.column) for span in reason.spans] == [(3, 8), (1, 11)]
    assert "$b = count(stream/pixel[x > 0])" in reason.text


def test_figure_6() -> None:
    flow = flow_of(QUERY_3)
    (members,) = together(flow.fused)
    assert {"$j", "$b/y"} <= members
    assert "count($b)" not in members
    (reason,) = flow.verdict.reasons
    assert (flow.verdict.passes, reason.theorem) == (2, 3)


def test_theorem_1() -> None:
    """A join: two traversals that no fusion makes one."""
    flow = flow_of("for $a in /s/p for $b in /s/q where $a/x = $b/x return $a/y")
    (reason,) = flow.verdict.reasons
    assert reason.theorem == 1
    assert "/s/p and /s/q" in reason.text
    assert len(flow.fused.super_nodes) == 2
    assert not flow.verdict.is_bounded


def test_theorem_2() -> None:
    flow = flow_of("count(/s/p[x > avg(/s/p/x)])")
    assert {reason.theorem for reason in flow.verdict.reasons} == {2, 3}
    assert flow.verdict.passes == 2
    assert flow.verdict.is_bounded


def test_the_redundant_predicate() -> None:
    """§4.4: the predicate is gone, and with it the cycle."""
    flow = flow_of("let $p := stream/pixel/x ! xs:integer(.) for $i in $p where $i <= max($p) return $i")
    assert any(node.label == "max($p)" for node in flow.written.nodes)
    assert flow.verdict.is_single_pass
    # Without types one of the values may be NaN, and then none passes: it is not redundant.
    assert not flow_of("let $p := stream/pixel/x for $i in $p where $i <= max($p) return $i").verdict.is_single_pass


def test_a_chain_of_aggregates_takes_a_pass_for_each() -> None:
    query = "let $a := avg(/s/p) let $b := avg(/s/p[. > $a]) let $c := avg(/s/p[. > $b]) return /s/p[. > $c]"
    assert flow_of(query).verdict.passes == 4


SINGLE = {
    "path": "/s/p/x",
    "nothing of the input": "1 + 1",
    "several aggregates": "<r>{ count(//a), sum(//b), max(//c) }</r>",
    "value behind a sequence": "(/s/p, count(/s/p))",
    "document element": "for $s in /s return (count($s/p), sum($s/q))",
    "function of the query": "declare function local:f($p) { $p/x * 2 }; for $p in /s/p return local:f($p)",
    "aggregate in a function": "declare function local:f($s) { count($s) }; local:f(/s/p)",
    "recursion that folds": (
        "declare function local:sum($p) as xs:integer "
        "{ if (empty($p)) then 0 else xs:integer($p[1]) + local:sum(subsequence($p, 2)) }; local:sum(/s/p)"
    ),
    "recursion inside an item": (
        "declare function local:depth($e) { 1 + max((0, for $c in $e/* return local:depth($c))) }; "
        "for $p in /s/p return local:depth($p)"
    ),
    "condition on the item": "for $p in /s/p return if ($p/x > 3) then $p/y else $p/z",
    "switch and typeswitch": (
        "for $p in /s/p return switch ($p/x) case '1' return $p/y default return "
        "typeswitch ($p/z) case element() return 1 default return 2"
    ),
    "quantifier": "some $p in /s/p satisfies $p/x = 3",
    "quantifier inside an item": "for $p in /s/p where every $x in $p/x satisfies $x > 1 return $p",
    "tumbling window": "for tumbling window $w in /s/p start at $i when $i mod 3 = 1 return sum($w/x)",
    "sliding window": "for sliding window $w in /s/p start at $i when true() end at $j when $j = $i + 2 return $w/x",
    "forseq": "forseq $w in /s/p tumbling window start position $i when $i mod 3 = 1 end when newstart return $w/x",
    "data window": "for $w in /s/p|count 20 step 10| return avg($w/x)",
    "let inside": "for $p in /s/p let $n := count($p/x) where $n > 1 return $n",
    "order by inside an item": "for $p in /s/p return for $x in $p/x order by $x return $x",
    "group by inside an item": "for $p in /s/p return for $x in $p/x group by $k := $x/@k return count($x)",
    "known iteration space": "for $i in 1 to 9 return count(/s/p[x = $i])",
    "map and arrow": "/s/p/x ! xs:integer(.) => sum()",
    "fold": "fold-left(/s/p/x, 0, function($a, $x) { $a + $x })",
    "nested loops down one tree": "for $p in /s/p for $x in $p/x for $y in $x/y return $y",
    "inline function": "for $p in /s/p return (function($x) { $x + 1 })($p/x)",
    "try": "for $p in /s/p return try { $p/x cast as xs:integer } catch * { 0 }",
    "constant join": "for $p in /s/p where $p/x = (1, 2, 3) return $p",
    "union": "/s/p | /s/q",
}
"""One pass is enough."""


@pytest.mark.parametrize("query", SINGLE.values(), ids=SINGLE)
def test_single_pass(query: str) -> None:
    verdict = flow_of(query).verdict
    assert (verdict.is_single_pass, verdict.passes) == (True, 1), verdict.reasons


PASSES = {
    "aggregate before a sequence": ("(count(/s/p), /s/p)", 2, {3}),
    "aggregate in an attribute": ("<r n='{ count(/s/p) }'>{ /s/p }</r>", 2, {3}),
    "aggregate in a predicate": ("/s/p[x > avg(/s/p/x)]", 2, {3}),
    "aggregate in a condition": ("if (exists(/s/q)) then /s/p else ()", 2, {3}),
    "aggregate in a function": (
        "declare function local:share($p, $all) { $p/x div $all }; for $p in /s/p return local:share($p, sum(/s/p/x))",
        2,
        {3},
    ),
    "quantifier around": ("for $p in /s/p where some $q in /s/q satisfies $q/x = 1 return $p", 2, {3}),
    "one sequence behind another": ("(/s/p, /s/q)", 2, {0}),
    "two behind a value": ("<r n='{ count(/s/p) }'>{ /s/p, /s/q }</r>", 3, {0, 3}),
    "three": ("for $p in /s/p where $p/y > count(/s/p[x > avg(/s/p/x)]) return $p/y", 3, {2, 3}),
}


@pytest.mark.parametrize(("query", "passes", "theorems"), PASSES.values(), ids=PASSES)
def test_passes(query: str, passes: int, theorems: set[int]) -> None:
    verdict = flow_of(query).verdict
    assert (verdict.passes, verdict.is_single_pass, verdict.is_bounded) == (passes, False, True), verdict.reasons
    assert {reason.theorem for reason in verdict.reasons} == theorems
    assert all(span.source.name == "query" for reason in verdict.reasons for span in reason.spans)


BLOCKING = {
    "order by": ("for $p in /s/p order by $p/x return $p", Blocking.SORTS),
    "sort": ("sort(/s/p)", Blocking.SORTS),
    "reverse": ("reverse(/s/p)", Blocking.HOLDS),
    "group by": ("for $p in /s/p group by $k := $p/k return <g>{ $p }</g>", Blocking.GROUPS),
    "distinct values": ("distinct-values(/s/p/x)", Blocking.COLLECTS),
    "text of all": ("string-join(/s/p, ',')", Blocking.COLLECTS),
    "siblings": ("for $p in /s/p return $p/following-sibling::p[1]", Blocking.LOOKS_BACK),
    "all sub-sequences": ("forseq $w in /s/p return count($w)", Blocking.HOLDS),
    "recursion in two directions": (
        "declare function local:f($p) { if (count($p) < 2) then $p else "
        "(local:f($p[position() > count($p) idiv 2]), local:f($p[position() <= count($p) idiv 2])) }; local:f(/s/p)",
        Blocking.OPAQUE,
    ),
}


@pytest.mark.parametrize(("query", "blocking"), BLOCKING.values(), ids=BLOCKING)
def test_blocking(query: str, blocking: Blocking) -> None:
    verdict = flow_of(query).verdict
    assert not verdict.is_single_pass
    assert not verdict.is_bounded
    assert any(reason.theorem == 0 and blocking.value in reason.text for reason in verdict.reasons), verdict.reasons


JOINS = {
    "nested loops": "for $a in /s/p for $b in /s/q return $a/x + $b/y",
    "let": "for $a in /s/p let $b := /s/q[x = $a/x] return count($b)",
    "comparison": "for $a in /s/p where $a/x = /s/q/x return $a",
    "quantifier": "for $a in /s/p where some $b in /s/q satisfies $b/x = $a/x return $a",
    "predicate": "/s/p[x = /s/q/x]",
    "with itself": "for $a in /s/p for $b in /s/p where $a/x = $b/y return $a",
    "except": "/s/p except /s/q",
}


@pytest.mark.parametrize("query", JOINS.values(), ids=JOINS)
def test_joins(query: str) -> None:
    verdict = flow_of(query).verdict
    assert not verdict.is_bounded
    assert [reason.theorem for reason in verdict.reasons] == [1], verdict.reasons


def test_several_streams_are_counted_apart() -> None:
    flow = flow_of("for $p in doc('a.xml')/s/p where $p/x > avg(doc('a.xml')/s/p/x) return count(doc('b.xml')//q)")
    assert dict(flow.verdict.passes_by_stream) == {'doc("a.xml")': 2, 'doc("b.xml")': 1}
    assert flow.fused.streams == ('doc("a.xml")', 'doc("b.xml")')
    joined = flow_of("for $p in doc('a.xml')//p for $q in doc('b.xml')//q where $p = $q return $p")
    assert [reason.theorem for reason in joined.verdict.reasons] == [1]
    assert len(joined.fused.super_nodes) == 2


def test_collections_are_streams() -> None:
    flow = flow_of("for $d in collection() where $d/a/x > avg(collection()/a/x) return $d")
    assert flow.fused.streams == ("collection()",)
    assert flow.verdict.passes == 2


def test_named_streams() -> None:
    flow = flow_of("declare variable $s as element(t)** external; for $t in $s where $t > 1 return $t")
    assert flow.written.streams == ("$s",)
    assert flow.verdict.is_single_pass
    assert flow_of('for $t in stream("ticks") where $t > 1 return $t').verdict.is_single_pass


def test_common_prefixes() -> None:
    a = StreamPath("input", ("/s", "/p", "[x > 0]"))
    b = StreamPath("input", ("/s", "/p", "/y"))
    shared = common_prefix(a, b)
    assert shared == StreamPath("input", ("/s", "/p"))
    assert b.below(shared) == "/y"
    assert common_prefix(a, StreamPath('doc("a")', ("/s",))) is None


def test_the_graph_is_acyclic() -> None:
    """Lemma 1."""
    for query in (*SINGLE.values(), *(query for query, _, _ in PASSES.values()), *JOINS.values()):
        graph = flow_of(query).written
        assert not any(node.number in graph.reached([node.number]) for node in graph.nodes), query
