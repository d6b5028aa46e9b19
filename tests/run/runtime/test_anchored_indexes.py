"""Indexes by node: kept for the nodes asked for last, of two trees at most."""

from __future__ import annotations

from typing import Any

import xylem
from xylem.run.runtime.anchored_indexes import MOST_INDEXES, AnchoredIndexes
from xylem.run.runtime.joins import JoinIndex


def nodes(text: str) -> list[Any]:
    return xylem.compile("//x").run(xylem.parse(text)).xdm


def test_a_node_has_one_index() -> None:
    indexes = AnchoredIndexes(JoinIndex, "=", False)
    first, second = nodes("<a><x/><x/></a>")
    found = indexes.of([first])
    found.build([(["1"], "one")])
    assert indexes.of([second]) is not found
    assert indexes.of([first]) is found
    assert indexes.size == 1


def test_no_node_and_several_have_indexes_that_are_not_kept() -> None:
    indexes = AnchoredIndexes(JoinIndex, "=", False)
    assert indexes.of([]) is not indexes.of([])
    both = nodes("<a><x/><x/></a>")
    assert indexes.of(both) is not indexes.of(both)
    assert indexes.size == 0


def test_indexes_of_trees_that_have_passed_are_dropped() -> None:
    indexes = AnchoredIndexes(JoinIndex, "=", False)
    for number in range(5):
        (node,) = nodes("<a><x/></a>")
        indexes.of([node]).build([([str(number)], number)])
    assert indexes.size == 2


def test_indexes_of_one_tree_are_limited() -> None:
    indexes = AnchoredIndexes(JoinIndex, "=", False)
    for node in nodes(f"<a>{'<x/>' * (MOST_INDEXES * 2 + 1)}</a>"):
        indexes.of([node]).build([(["1"], node)])
    assert indexes.size <= MOST_INDEXES
