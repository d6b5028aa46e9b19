"""Positions asked of steps from many nodes: what filters of whole axes give, without reading the whole axes."""

from __future__ import annotations

import time
from random import Random

import pytest
import xylem
from xylem.source.kernel import is_kernel_built

from tests.reference import reference

AXES = ("following-sibling", "preceding-sibling", "following", "preceding", "ancestor", "descendant", "child")
REVERSE = ("preceding-sibling", "preceding", "ancestor")
PREDICATES = (
    "[1]", "[2]", "[last()]", "[position() < 3]", "[position() = (1, 3)]", "[position() = (2, -1)]",
    "[position() = ()]", "[@n][1]", "[1][@n]", "[b][position() le 2]", "[position() = 2 to 3]",
    "[position() = (1, 2) and position() > 1]",
)  # fmt: skip
TESTS = ("a", "*", "node()", "z")


def family(chance: Random, depth: int = 0) -> str:
    def child() -> str:
        name, number = chance.choice("aabc"), " n='1'" if chance.random() < 0.4 else ""
        inside = family(chance, depth + 1) if depth < 3 and chance.random() < 0.4 else ""
        return f"<{name}{number}>{inside}</{name}>{chance.choice(['', '', 't', '<!--c-->'])}"

    return "".join(child() for _ in range(chance.randint(1, 5)))


@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.share(3)
def test_steps_from_many_nodes_count_for_each(axis: str, predicate: str) -> None:
    document = xylem.parse(f"<r>{family(Random(axis + predicate))}</r>")
    for test in TESTS:
        query = f"//a/{axis}::{test}{predicate} ! path(.)"
        counted = "reverse($all)" if axis in REVERSE else "$all"
        plain = f"((for $a in //a let $all := $a/{axis}::{test} return {counted}{predicate}) | ()) ! path(.)"
        assert str(xylem.compile(query).run(document)) == str(reference(plain).run(document)), query


@pytest.mark.parametrize("axis", [*AXES, "ancestor-or-self", "descendant-or-self", "self", "parent"])
def test_nodes_that_are_only_counted(axis: str) -> None:
    document = xylem.parse(f"<r>{family(Random(axis))}</r>")
    for test in TESTS:
        query = f"for $b in (//node(), //@*) return count($b/{axis}::{test})"
        plain = f"for $b in (//node(), //@*) return count(for $x in $b/{axis}::{test} return string($x))"
        assert str(xylem.compile(query).run(document)) == str(reference(plain).run(document)), query


@pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")
@pytest.mark.parametrize(
    "query",
    [
        "count(//a/following-sibling::a[1])",
        "count(//a/preceding-sibling::*[2])",
        "count(//a/following-sibling::a[position() = (1, 2)])",
        "count(//a/following-sibling::z[1])",
        "count(//a/preceding-sibling::z[1])",
        "count(//a[following-sibling::z])",
        "count(for $a in reverse(//a) where $a/following-sibling::z return $a)",
        "count(//a[following::z])",
    ],
)
@pytest.mark.parametrize("child", ["<a/>", "<a><a/></a>"])
def test_a_large_family_is_searched_once(query: str, child: str) -> None:
    document = xylem.parse("<r>" + child * 100_000 + "</r>")
    compiled, before = xylem.compile(query), time.process_time()
    assert compiled.run(document).value >= 0
    assert time.process_time() - before < 5, "each node searched the rest of its family"
