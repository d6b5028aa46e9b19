"""Set operations give nodes in document order, each once, also of items that are searched many times."""

from __future__ import annotations

import random

import pytest
import xylem
from xylem.values.document_order import SearchedItems, except_, intersect, union
from xylem.values.node import Node

from tests.reference import reference


def nodes() -> list[Node]:
    trees = [xylem.parse(f"<r>{'<a/>' * 6}</r>") for _ in range(2)]
    return [Node(document.tree, pre) for document in trees for pre in range(1, 8)]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("searched", ["neither", "left", "right", "both"])
def test_searched_items_give_the_same(seed: int, searched: str) -> None:
    choice = random.Random(seed)
    every = nodes()
    left, right = (choice.choices(every, k=choice.randrange(12)) for _ in range(2))
    sides = (
        SearchedItems(left) if searched in ("left", "both") else left,
        SearchedItems(right) if searched in ("right", "both") else right,
    )
    for operation, expected in (
        (union, {*places(left), *places(right)}),
        (intersect, {*places(left)} & {*places(right)}),
        (except_, {*places(left)} - {*places(right)}),
    ):
        assert places(operation(*sides)) == sorted(expected)
        assert places(operation(*sides)) == sorted(expected)


def places(found: list[Node]) -> list[tuple[int, int]]:
    return [node.order_key for node in found]


@pytest.mark.parametrize(
    "query",
    [
        "for $p in //p return count(//b[@k = $p/@id] intersect //b[@n > 4])",
        "for $p in //p return (//b[@n > 4] intersect //b[@k = $p/@id])/@n/string()",
        "for $p in //p return (//b[@k = $p/@id] except //b[@n > 4])/@n/string()",
        "for $p in //p return (//b[@n > 4] except //b[@k = $p/@id])/@n/string()",
        "for $p in //p return (//b[@k = $p/@id] | //b[@n > 7])/@n/string()",
    ],
)
def test_in_a_loop_as_by_the_reference(query: str) -> None:
    text = "<r><p id='1'/><p id='2'/><p/>" + "".join(f"<b k='{n % 3}' n='{n}'/>" for n in range(9)) + "</r>"
    document = xylem.parse(text)
    expected = reference(query).run(document).serialize(method="adaptive")
    assert xylem.compile(query).run(document).serialize(method="adaptive") == expected
