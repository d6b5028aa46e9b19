"""Random queries of every kind: the tree with all rules, streams and tasks give what the reference gives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.run.deep_stack import with_deep_stack

from tests import turns

from .every_way import EveryWay
from .random_wide import WideQueries
from .random_wide_joins import WideJoins

BLOCK = 20
SEEDS = range(200) if turns.is_campaign() else range(turns.today() * 2, turns.today() * 2 + 2)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_answer_is_the_same(seed: int, tmp_path: Path) -> None:
    assert with_deep_stack(lambda: _compare(seed, tmp_path / "document.xml")) > BLOCK


def _compare(seed: int, file: Path) -> int:
    made, random = WideQueries(seed), Random(seed)
    answered = 0
    for _ in range(BLOCK):
        way = EveryWay(made.query())
        for document in [made.document().encode() for _ in range(3)]:
            expected = way.expected(document)
            if expected is not None:
                assert not way.differences(document, expected, random, file), (way.text, document.decode(), expected)
                answered += 1
    return answered


CASES = {
    "a comparison of what is below items that are tested": "//b[a]/a = '', //(b|c)/a = 'x', /r/*[self::a]/a = 'x'",
    "tests of what is below items that are tested": "count((//a[a]/a)[@n = 1]), string-join((//a[a]/a)[. = 'x'])",
    "a step that is a filter, and texts everywhere": "count(//text()), string-join(/r/(a|b)[..]/a, ',')",
    "windows over items that are tested by what comes later": "for tumbling window $w in //a[//b/a/@n = 2]"
    " start $s when true() end at $j when $j mod 2 = 0 return <w>{ count($w) }</w>",
    "a function has no document": "try { filter(//a, function($i) { count(//b) = 1 }) } catch * { <err/> },"
    " try { fold-left(//a, 0, function($s, $i) { $s + count(/r) }) } catch * { <err/> },"
    " try { sort(//a, (), function($i) { count(/r) }) } catch * { <err/> }",
    "groups of what is below the items of a scan": "for $v in /r/(a|b)/a group by $k := count($v/c) return"
    " <g k='{ $k }'>{ sum($v/@n), string-join($v/@n, ','), count($v/text()) }</g>",
    "a leading / in a predicate, behind !": "/r/a ! <o>{ b//a[/r//@n = 1]/text(), b/a[/r//@n = 2] }</o>,"
    " /r/* ! <o>{ ./descendant::b }{ .//a[//c]/string() }</o>",
    "nodes inside others, of copies": "outermost(//a), innermost(//a)",
    "the same by name": "apply(outermost#1, [//a])",
    "a recursive function that looks around": "declare function local:up($n) { if ($n/@n)"
    " then 1 + sum($n/../a/local:in(.)) else count($n/../*) };"
    " declare function local:in($n) { if ($n/a) then sum($n/a/local:up(.)) else 1 };"
    " sum(//a ! local:up(.)), max(for $a in //a return local:up($a)), count(//a[local:up(.) > 1])",
    "an error of a group is caught": "try { for $b in //a group by $k := 1 return <g>{ sum($b/string()) }</g> }"
    " catch * { <err/> }",
    "an error of a group that is not asked for": "if (//z) then (for $b in //a group by $k := 1 return"
    " <g>{ sum($b/string()) }</g>) else 5",
}


@pytest.mark.parametrize("name", CASES)
def test_what_was_found(name: str, tmp_path: Path) -> None:
    document = b"<r><a>1<a n='1'>x</a></a><b><a n='2'/></b><a/></r>"
    way = EveryWay(CASES[name])
    expected = way.expected(document)
    assert expected
    assert not way.differences(document, expected, Random(name), tmp_path / "document.xml")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS)
def test_joins_are_the_same(seed: int, tmp_path: Path) -> None:
    assert with_deep_stack(lambda: _compare_joins(seed, tmp_path / "document.xml")) > BLOCK


def _compare_joins(seed: int, file: Path) -> int:
    made, documents, random = WideJoins(seed), WideQueries(seed), Random(seed)
    answered = 0
    for _ in range(BLOCK):
        way = EveryWay(made.query())
        for document in [documents.document().encode() for _ in range(3)]:
            expected = way.expected(document)
            if expected is not None:
                assert not way.differences(document, expected, random, file), (way.text, document.decode(), expected)
                answered += 1
    return answered
