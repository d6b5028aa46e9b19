"""Copies of complete elements that outlive the batch they came in.

    copies.take(outer)    # <a><a/></a>: all its rows are copied
    copies.take(inner)    # <a/>: a row of that copy

Elements come in document order, so an inner element comes right after the outer one. Ten thousand nested elements are
copied once, not ten thousand times.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xylem.values.growing_tree import GrowingTree, append_child, opened
from xylem.values.node import DOCUMENT, Node
from xylem.values.tree_interface import TreeInterface

from .buffer import detached, size_of

VIEW_BYTES = 64
"""Size estimate for a node of a copy that is kept anyway."""


class _Copied(NamedTuple):
    """The rows copied last."""

    source: TreeInterface
    start: int
    end: int
    copy: Node

    def holds(self, node: Node) -> bool:
        return self.source is node.tree and self.start <= node.pre < self.end

    def of(self, node: Node) -> Node:
        """The copy of an element inside the copied one."""
        return Node(self.copy.tree, self.copy.pre + node.pre - self.start)


class SeparateCopies:
    """Copies that are dropped one by one: each in a tree of its own, with the elements inside it.

    Holds:  the last copy, and its original batch until the next one.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: _Copied | None = None

    def has(self, node: Node) -> bool:
        """Whether an element is part of the last copy."""
        return self._last is not None and self._last.holds(node)

    def take(self, node: Node) -> Node:
        """Keep an element beyond the batch."""
        if self._last is None or not self._last.holds(node):
            self._last = _Copied(node.tree, node.pre, node.tree.end(node.pre), self._copied(node))
        return self._last.of(node)

    def _copied(self, node: Node) -> Node:
        return detached(node)


class KeptCopies(SeparateCopies):
    """Kept copies in one tree. The nodes around them in that tree do not belong to them, and are never read.

    Holds:  each copied row, once.
    """

    __slots__ = ("_tree", "taken_bytes")

    def __init__(self) -> None:
        super().__init__()
        self._tree: GrowingTree | None = None
        self.taken_bytes = 0

    def take(self, node: Node) -> Node:
        self.taken_bytes += VIEW_BYTES
        return super().take(node)

    def _copied(self, node: Node) -> Node:
        self.taken_bytes += size_of(node) - VIEW_BYTES
        # Constructed nodes belong to no document, and get their own tree.
        if node.tree.kind(0) != DOCUMENT:
            return super()._copied(node)
        if self._tree is None:
            self._tree = opened(Node(node.tree, 0))
        row = len(self._tree)
        append_child(self._tree, node)
        return Node(self._tree, row)


def bytes_of_copies(copies: Iterable[Node]) -> int:
    """The bytes of separate copies; a shared tree counts once, because it lives as long as any copy in it."""
    trees = {id(copy.tree): copy.tree for copy in copies}
    return sum(size_of(Node(tree, 0)) for tree in trees.values())
