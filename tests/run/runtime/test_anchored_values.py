"""Indexes and values by node: kept for the nodes asked for last, of two trees at most."""

from __future__ import annotations

from typing import Any

import xylem
from xylem.run.runtime.anchored_values import LONGEST, MOST_ITEMS, MOST_KEPT, AnchoredValues
from xylem.run.runtime.joins import JoinIndex
from xylem.run.runtime.shared_values import SharedValue
from xylem.values.growing_tree import append_child, opened
from xylem.values.node import Node
from xylem.values.strings import UntypedAtomic


def nodes(text: str) -> list[Any]:
    return xylem.compile("//x").run(xylem.parse(text)).xdm


def test_keys_have_values_of_their_own_type() -> None:
    values = AnchoredValues(SharedValue)
    for number, key in enumerate([["a"], [UntypedAtomic("a")], [1], [1.0], [True], [1, 1], ["a", "b"]]):
        assert not values.of(key).built
        values.of(key).keep([number])
    assert values.of([UntypedAtomic("a")]).items == [1]
    assert values.of([1.0]).items == [3]
    assert values.built
    assert values.size == 7
    values.forget()
    assert not values.built
    assert not values.of(["a"]).built


def test_other_keys_are_not_kept() -> None:
    values = AnchoredValues(SharedValue)
    for key in ([], [None], ["a", None], ["a"] * 65):
        values.of(key).keep([1])
        assert not values.of(key).built


def test_a_node_has_one_index() -> None:
    indexes = AnchoredValues(JoinIndex, "=", False)
    first, second = nodes("<a><x/><x/></a>")
    found = indexes.of([first])
    found.build([(["1"], "one")])
    assert indexes.of([second]) is not found
    assert indexes.of([first]) is found
    assert indexes.size == 1


def test_several_nodes_have_one_index() -> None:
    indexes = AnchoredValues(JoinIndex, "=", False)
    both = nodes("<a><x/><x/></a>")
    assert indexes.of(both) is indexes.of(both)
    assert indexes.of(both[:1]) is not indexes.of(both)


def test_no_node_and_very_many_have_indexes_that_are_not_kept() -> None:
    indexes = AnchoredValues(JoinIndex, "=", False)
    assert indexes.of([]) is not indexes.of([])
    many = nodes(f"<a>{'<x/>' * (LONGEST + 1)}</a>")
    assert indexes.of(many) is not indexes.of(many)
    assert indexes.of([None]) is not indexes.of([None])
    assert indexes.size == 0


def test_indexes_of_trees_that_have_passed_are_dropped() -> None:
    indexes = AnchoredValues(JoinIndex, "=", False)
    for number in range(5):
        (node,) = nodes("<a><x/></a>")
        indexes.of([node]).build([([str(number)], number)])
    assert indexes.size == 2


def test_indexes_of_one_tree_are_limited() -> None:
    indexes = AnchoredValues(JoinIndex, "=", False)
    for node in nodes(f"<a>{'<x/>' * (MOST_KEPT * 2 + 1)}</a>"):
        indexes.of([node]).build([(["1"], node)])
    assert indexes.size <= MOST_KEPT


def test_values_of_many_items_are_limited_together() -> None:
    values = AnchoredValues(SharedValue)
    for node in nodes(f"<a>{'<x/>' * 5}</a>"):
        values.of([node]).keep(range(MOST_ITEMS // 2))
        assert values.size <= 2 * MOST_ITEMS


def test_a_tree_that_has_grown_is_asked_again() -> None:
    values = AnchoredValues(SharedValue)
    (child,) = nodes("<a><x/></a>")
    tree = opened(child.parent)
    root = Node(tree, 0)
    first = values.of([root])
    first.keep([])
    assert values.of([root]) is first
    append_child(tree, child)
    assert values.of([root]) is not first
