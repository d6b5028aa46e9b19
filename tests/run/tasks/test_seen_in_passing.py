"""Counts and values of all elements: documents are cut anywhere, and what is around a range counts once."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.plan.distribution_text import distribution_text
from xylem.source.kernel import is_kernel_built
from xylem.spark.inputs import InputFile, split_plan

from .ranges_of_documents import SHOP, assert_same, distributed, divisions

ANYWHERE = [
    "count(//*)",
    "sum(//*/@n)",
    "string-join(//*/name(), ' ')",
    "distinct-values(//*/local-name())",
    "count(//*[@n > 1])",
    "count(//@*), string-join(//@id, ' '), exists(//@none)",
    "string-join(//text(), '|')",
    "count(//text()[normalize-space()]), max(//text()/string-length())",
    "string-join(//*/string-join(ancestor-or-self::*/name(), '/'), ' ')",
    "sum(//*/count(ancestor::x/@n))",
    "count(//*[../@n = @n]), string-join(//*/self::x/@id, ' ')",
    "string-join(//*/base-uri(), ' '), string-join(//*/namespace-uri(), ' ')",
    "sum(//*/xs:integer(@id))",
    "exists(//*/xs:integer(@n)), empty(//*/xs:date(@n))",
    "<r n='{ count(//*) }'>{ for $x in //x order by $x/@n return string($x/@id) }</r>",
    "for $x in //x where count(//*/@n) > 2 return string($x)",
    "for $e in //* group by $n := name($e) return <e n='{ $n }'>{ count($e) }</e>",
    "for $e in //*[@n] let $n := $e/@n where $n > 1 group by $k := local-name($e), $v := string($n) "
    "order by count($e) descending, $k, $v return <e>{ $k, $v, count($e), sum($n) }</e>",
    "for $e in //* for $a in $e/@* group by $n := name($a) order by $n return <a>{ $n, count($a) }</a>",
    "for $e in //* group by $d := count($e/ancestor::*) return ($d, count($e))",
    "count(//element()), count(/descendant::*), count(/descendant::text())",
]
WHOLE = [
    "count(//*[x])",
    "sum(//*/string-length())",
    "string-join(//*, '|')",
    "count(//*/..)",
    "count(//*/ancestor::x)",
    "count(//*[1])",
    "count(//*/*)",
    "count(//text()[../@n])",
    "count(//*[@n = //x/@n])",
    "for $e in //* group by $n := name($e) return <e>{ $n, sum($e/count(*)) }</e>",
    "for $e in //* group by $n := string($e) return count($e)",
    "for $e in //* group by $n := name($e) return <e>{ $e/@id }</e>",
    "for $e at $i in //* group by $n := name($e) return ($n, sum($i))",
    "for $e in //* let $c := $e/x group by $n := name($e) return ($n, count($c))",
]

DEEP = """<?xml version="1.0"?>
<!DOCTYPE r [<!ENTITY e '<x n="3">in</x>'><!ATTLIST y n CDATA '2'>]>
<r id="0" n="1" xmlns:p="urn:p"><x id="1" n="1" k="a>b">é<y id="2"><x id="3" n="2">1&e;<![CDATA[<x>]]>2</x> </y>
<!-- <x/> --><p:x id="4" n="10"><x id="5"/>t<x id="6" n="1">u</x></p:x><?x <x/>?></x>
<y id="7" n="7">v<y id="8"><y id="9"/></y>w</y></r>
"""


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    path = tmp_path / "deep.xml"
    path.write_text(DEEP, encoding="utf-8")
    return path


@pytest.mark.parametrize("query", ANYWHERE)
def test_what_is_seen_in_passing_counts_once(query: str, deep: Path) -> None:
    program = assert_same(query, deep, Random(query), 6)
    assert program.cuts_anywhere
    if is_kernel_built() and "//x" not in query:
        assert max(map(len, divisions(program, deep, Random(1), 1))) > 8
    assert_same(query, SHOP, Random(query), 3)


@pytest.mark.parametrize("query", WHOLE)
def test_what_asks_for_more_is_not_cut_so(query: str, deep: Path) -> None:
    assert not assert_same(query, deep, Random(query), 3).cuts_anywhere


def test_a_stream_has_no_beginning_to_go_back_to() -> None:
    assert not compile_distributed("count(//*)", StaticEnvironment(), keeps_windows=True).cuts_anywhere


@pytest.mark.skipif(not is_kernel_built(), reason="only the kernel cuts where there are no items")
def test_tasks_share_such_a_document(tmp_path: Path) -> None:
    path = tmp_path / "one.xml"
    path.write_text("<r><all>" + "<a><b n='1'>some text</b></a>" * 100_000 + "</all></r>")
    program = distributed("count(//*)")
    file = InputFile(str(path), path.stat().st_size, False)
    plan = split_plan([file], program.cut_scopes, cores=2, partitions=4, anywhere=program.cuts_anywhere)
    assert len(plan.tasks) == 4
    sizes = [task.size for task in plan.tasks]
    assert max(sizes) < 2 * min(sizes)
    assert len(split_plan([file], program.scopes, cores=2, partitions=4).tasks) == 1


def test_explained() -> None:
    assert "split\n    between any two tags\n" in distribution_text(distributed("count(//*)").distribution)
    both = distribution_text(distributed("count(//*), //order/city").distribution)
    assert "before each //order/city\n    between any two tags outside of these\n" in both
    root = distribution_text(distributed("count(//*), count(//*[x])").distribution)
    assert "nowhere: //* leads to the root element" in root
