"""A buffer of FluX: an element of the stream that is still open, with the children kept of it so far (§3.7.3)."""

from __future__ import annotations

from collections.abc import Collection

from xylem.values.builder import TreeBuilder
from xylem.values.growing_tree import append_child, held_characters, opened
from xylem.values.node import Node
from xylem.values.qname import QName
from xylem.values.tree_interface import TreeInterface

ROW_BYTES = 24
"""Cost of a row beside its characters: the columns of a compact tree."""


class Buffer:
    """A small tree that grows as complete children arrive. Code reads it like any element."""

    __slots__ = ("_last", "bytes", "tree")

    def __init__(self, node: Node) -> None:
        """`node` is the open element as the scan shows it: its name, namespaces and kept attributes."""
        self.tree = opened(node)
        self.bytes = 0
        self._last: Node | None = None

    @property
    def node(self) -> Node:
        return Node(self.tree, 0)

    def has_just_kept(self, child: Node) -> bool:
        """Whether this very row was kept last."""
        return self._last is not None and self._last.pre == child.pre and self._last.tree is child.tree

    def keep_only(self, tests: Collection[tuple[str | None, str | None]]) -> int:
        """Drop the children that none of the tests, (uri, local) or None for any, selects; return the bytes freed.

        Nodes read from the buffer earlier stay as they are: a new tree replaces the old one.
        """
        before, old = self.bytes, self.node
        self.__init__(old)  # type: ignore[misc]  # the element again, without its children
        for row in old.tree.children(0):
            if is_named(old.tree.name(row), tests):
                self.append(Node(old.tree, row))
        self._last = None
        return before - self.bytes

    def append(self, child: Node) -> int:
        """Keep a copy of a complete child; return its bytes."""
        self._last = child
        tree = self.tree
        before = len(tree)
        append_child(tree, child)
        size = _size(tree, before, len(tree))
        self.bytes += size
        return size


def is_named(name: QName | None, tests: Collection[tuple[str | None, str | None]]) -> bool:
    """Whether a name matches one of some (uri, local), None for any."""
    return name is not None and any(uri in (None, name.uri) and local in (None, name.local) for uri, local in tests)


def detached(node: Node) -> Node:
    """A copy of a complete element in a tree of its own, which outlives the batch it came in."""
    builder = TreeBuilder(node.tree.base)
    builder.copy(node)
    return builder.finish()


def size_of(node: Node) -> int:
    """The bytes of an element with all its kept content."""
    tree, start = node.tree, node.pre
    native = tree.native
    if native is None:
        return _size(tree, start, tree.end(start))
    end = native.end(start)
    return native.count_characters(start, end) + ROW_BYTES * (end - start)


def _size(tree: TreeInterface, start: int, end: int) -> int:
    return held_characters(tree, start, end) + ROW_BYTES * (end - start)
