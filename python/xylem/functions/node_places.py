"""The end of a node in document order. Joins compare it: preceding nodes end before the item begins."""

from __future__ import annotations

from xylem.values.node import Node

from .registry import function


@function("_places:last-inside", "node()", "node()")
def last_inside(node: Node) -> Node:
    """The last node of a subtree, including its attributes and its root."""
    tree, end = node.tree, node.tree.end(node.pre)
    if not tree.is_ranked:
        return Node(tree, end - 1)
    return Node(tree, max(range(node.pre, end), key=tree.rank))
