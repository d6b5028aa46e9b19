"""Document order over nodes of any trees, and set operators in that order (XQuery 3.1 §3.4.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .node import Node


def document_order(nodes: Iterable[Node]) -> list[Node]:
    """The distinct nodes in document order; trees follow each other in order of creation."""
    found = nodes if isinstance(nodes, list) else list(nodes)
    if len(found) < 2:
        return found
    tree = found[0].tree
    by_pre: dict[int, Node] = {}
    last = -1
    ascending = True
    for node in found:
        if node.tree is not tree:
            return _across_trees(found)
        pre = node.pre
        if pre <= last:
            ascending = False
        last = pre
        by_pre[pre] = node
    if tree.is_ranked:
        return [by_pre[pre] for pre in sorted(by_pre, key=tree.rank)]
    if ascending:
        return found
    return [by_pre[pre] for pre in sorted(by_pre)]


def _across_trees(nodes: list[Node]) -> list[Node]:
    by_key = {node.order_key: node for node in nodes}
    return [by_key[key] for key in sorted(by_key)]


def union(left: Iterable[Node], right: Iterable[Node]) -> list[Node]:
    return document_order([*left, *right])


class SearchedItems(list[Any]):
    """Items in which nodes are looked for many times.

    Holds:  beside the items, the places of nodes, once they are asked for.
    """

    __slots__ = ("_places",)

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__(items)
        self._places: frozenset[tuple[int, int]] | None = None

    @property
    def places(self) -> frozenset[tuple[int, int]]:
        if self._places is None:
            self._places = _places(self)
        return self._places


def _places(nodes: Iterable[Node]) -> frozenset[tuple[int, int]]:
    return frozenset([(node.tree.order, node.pre) for node in nodes])


def intersect(left: Iterable[Node], right: Iterable[Node]) -> list[Node]:
    if isinstance(left, SearchedItems):
        # It is searched, and the nodes of the other side are looked for.
        left, right = right, left
    others = right.places if isinstance(right, SearchedItems) else _places(right)
    return document_order([node for node in left if (node.tree.order, node.pre) in others])


def except_(left: Iterable[Node], right: Iterable[Node]) -> list[Node]:
    others = right.places if isinstance(right, SearchedItems) else _places(right)
    return document_order([node for node in left if (node.tree.order, node.pre) not in others])


def is_before(left: Node, right: Node) -> bool:
    """`<<`"""
    return left.order_key < right.order_key


def stands_apart(item: Any, previous: Any) -> bool:
    """Whether a node comes after another, and not inside it: then their descendants are in the same order."""
    if not isinstance(item, Node) or not isinstance(previous, Node):
        return False
    if previous.tree is item.tree:
        return not item.tree.is_ranked and item.pre >= previous.tree.ends[previous.pre]
    return item.tree.order > previous.tree.order
