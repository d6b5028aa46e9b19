"""Conditions taken apart and put together, and comparisons seen from either side."""

from __future__ import annotations

import operator

import pytest
from xylem.analysis.facts.comparisons import GENERAL, TURNED, VALUE, sides
from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.syntax import ast, parse


def expression(text: str) -> ast.Expr:
    module = parse(text)
    assert isinstance(module, ast.MainModule)
    return module.body


def test_conjuncts_come_in_the_order_they_stand() -> None:
    found = conjuncts(expression("$a and ($b and $c) and ($d or $e and $f)"))
    assert found == [expression(text) for text in ("$a", "$b", "$c", "$d or $e and $f")]


def test_no_condition_has_no_conjuncts() -> None:
    assert conjuncts(None) == []
    assert conjunction([]) is None


def test_a_conjunction_of_thousands_is_no_deep_recursion() -> None:
    test = conjunction([ast.IntegerLiteral(number) for number in range(5000)])
    assert len(conjuncts(test)) == 5000


def test_conjuncts_and_conjunction_undo_each_other() -> None:
    test = expression("$a and $b and $c")
    assert conjunction(conjuncts(test)) == test


_COMPARED = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@pytest.mark.parametrize("op", _COMPARED)
@pytest.mark.parametrize("pair", [(1, 2), (2, 1), (1, 1)])
def test_a_turned_comparison_says_the_same(op: str, pair: tuple[int, int]) -> None:
    left, right = pair
    assert _COMPARED[op](left, right) == _COMPARED[TURNED[op]](right, left)
    assert GENERAL[TURNED[VALUE[op]]] == TURNED[op]


def test_a_comparison_has_two_sides() -> None:
    test = expression("1 < $x")
    assert isinstance(test, ast.GeneralComparison)
    one, other = sides(test)
    assert (one.own, one.op, one.other) == (test.left, "<", test.right)
    assert (other.own, other.op, other.other) == (test.right, ">", test.left)
