"""Steps to siblings that pass tests: what a search for each node gives, without a search for each node."""

from __future__ import annotations

import time
from random import Random

import pytest
import xylem
from xylem.source.kernel import is_kernel_built

from tests.reference import reference

from .test_positions_of_steps import family

AXES = ("following-sibling", "preceding-sibling", "following")
PREDICATES = (
    "[@n]", "[@n][1]", "[@n][2]", "[@n][last()]", "[last()]", "[b][position() = 1]", "[last() = position()]",
    "[not(@n)][last()][b]", "[@n][b][1]", "[string(.) = 't'][1]/..", "[following-sibling::a[@n][1]][1]",
    "[preceding-sibling::*[1][self::b]][last()]", "[@n or b][3]", "[@n = $k][1]", "[@n = $k]",
)  # fmt: skip
ASKED = (
    "for $x in //node() return <s>{{ $x/{step} ! path(.) }}</s>",
    "for $x in reverse(//node()) return <s>{{ $x/{step} ! path(.) }}</s>",
    "for $x in //node() order by string-length(path($x)), path($x) return <s>{{ $x/{step} ! path(.) }}</s>",
    "for $x in (//@*, //b, //a) return <s>{{ ($x/{step})[1] ! path(.), count($x/{step}) }}</s>",
    "for $x in (//b, //a) return <s>{{ ($x/{step})[last()] ! path(.) }}</s>",
    "//a[{step}] ! path(.), //b[not({step})] ! path(.), //node()/{step} ! path(.)",
    "for $x in //a where exists($x/{step}) return path($x)",
    "for $x in //* return <n>{{ head($x/{step}) ! path(.) }}</n>",
)


@pytest.mark.parametrize("reader", ["kernel", "python"])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.share(3)
def test_what_is_found(axis: str, predicate: str, reader: str) -> None:
    if reader == "kernel" and not is_kernel_built():
        pytest.skip("the kernel was not built here")
    from xylem.source.xml_reader import read_document

    document = read_document(f"<r>{family(Random(axis + predicate))}</r>", reader=reader)
    for test in ("a", "*", "node()"):
        for asked in ASKED:
            query = "let $k := (1, 5) return (" + asked.format(step=f"{axis}::{test}{predicate}") + ")"
            assert str(xylem.compile(query).run(document)) == str(reference(query).run(document)), query


def test_two_documents_asked_in_turn() -> None:
    query = "for $n in 1 to 5, $d in ($one, $two) return string($d/r/a[$n]/following-sibling::a[. mod 2 = 0][1])"
    text = "declare variable $one external; declare variable $two external; " + query
    values = {
        "one": xylem.parse("<r>" + "".join(f"<a>{n}</a>" for n in range(6)) + "</r>"),
        "two": xylem.parse("<r>" + "".join(f"<a>{n}</a>" for n in range(20, 26)) + "</r>"),
    }
    assert list(xylem.compile(text).run(variables=values)) == list(reference(text).run(variables=values))


def test_an_error_in_a_test_comes_each_time() -> None:
    """What stands behind the error is not taken for tested."""
    query = """
        for $a in //a return try { string($a/following-sibling::a[10 idiv xs:integer(.) ge 2][1]) } catch * { "no" }
    """
    document = xylem.parse("<r><a>3</a><a>9</a><a>0</a><a>9</a><a>2</a></r>")
    assert list(xylem.compile(query).run(document)) == ["no", "no", "2", "2", ""]


def test_nodes_before_the_first_that_asks_are_not_tested() -> None:
    query = "for $a in //a[position() > 2] return string($a/following-sibling::a[10 idiv xs:integer(.) ge 2][1])"
    document = xylem.parse("<r><a>0</a><a>0</a><a>0</a><a>9</a><a>2</a></r>")
    assert list(xylem.compile(query).run(document)) == ["2", "2", ""]


def test_a_test_that_asks_the_same_step() -> None:
    query = """
        declare function local:even($a) { not($a/following-sibling::a[local:odd(.)][1] is $a/following-sibling::a[1]) };
        declare function local:odd($a) { exists($a) and not($a/following-sibling::a[local:odd(.)][1] is
          $a/following-sibling::a[1]) };
        //a ! local:even(.)
    """
    document = xylem.parse("<r>" + "<a/>" * 6 + "</r>")
    assert str(xylem.compile(query).run(document)) == str(reference(query).run(document))


@pytest.mark.parametrize(
    "query",
    [
        "count(//a/following-sibling::a[last()])",
        "count(for $a in //a return ($a/following-sibling::*)[last()])",
        "count(//a/preceding-sibling::a[position() = last()])",
        "count(//a/following-sibling::a[. = 9][1])",
        "count(//a/preceding-sibling::a[@n = 9][last()])",
        "count(//a[following-sibling::a[. = 9]])",
        "count(//a[not(preceding-sibling::*[@n])])",
        "count(for $a in reverse(//a) return $a/following-sibling::a[. = 9][1])",
        "let $k := 9 return count(for $a in //a where empty($a/following-sibling::a[. = $k]) return $a)",
        "sum(//a/count(following-sibling::a[. = 3]))",
        "sum(//a ! count(preceding-sibling::a[. = 3]))",
        "count(for $a in //a return head($a/following-sibling::a[. = 9]))",
        "count(for $a in //a return ($a/following::a[. = 9])[1])",
    ],
)
def test_each_node_is_tested_once(query: str) -> None:
    document = xylem.parse("<r>" + "<a>1</a><a>3</a>" * 20_000 + "</r>")
    compiled, before = xylem.compile(query), time.process_time()
    assert compiled.run(document).value >= 0
    assert time.process_time() - before < 5, "each node tested the rest of its family"
