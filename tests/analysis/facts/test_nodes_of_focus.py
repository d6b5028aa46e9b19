"""Whether the nodes that an expression returns come from its focus by steps."""

from __future__ import annotations

import pytest
from xylem.analysis.facts.nodes_of_focus import comes_from_focus

from .test_values import expression

OWN = (
    "a", ".", "a/b[$x]", "(a, ., 1)", "a | b", "if ($x) then a else 'none'", "for $y in a return $y/b", "head((a, b))",
    "let $y := . where $x = $y return $y", "for $y in a order by $y group by $k := $x return $y/b",
    "$x/string()", "count($x)", "$x ! xs:integer(.)", "$x + 1", "filter(a, function($i) { $i = $x })", "remove(a, 1)",
)  # fmt: skip
OTHERS = (
    "$x", "$x/a", "a/$x", "/a", "root()", "doc('a.xml')", "id('a')", "(a, $x)", "a except $x | $x",
    "if ($x) then a else $x", "for $y in $x return $y", "for $y in a, $z in $x/b return $z", "let $y := $x return $y/a",
    "let $y := a let $y := $x return $y", "head(($x, a))", "insert-before(a, 1, $x)", "$x[a]", "$x ! a", "$f(.)", "?a",
    "for $y in a for tumbling window $w in $x start when true() return $w",
)  # fmt: skip
DECLARED = "declare variable $x external; declare variable $f external; "


@pytest.mark.parametrize("text", OWN)
def test_the_nodes_come_from_the_focus(text: str) -> None:
    assert comes_from_focus(expression(DECLARED + text))


@pytest.mark.parametrize("text", OTHERS)
def test_the_nodes_may_come_from_elsewhere(text: str) -> None:
    assert not comes_from_focus(expression(DECLARED + text))
