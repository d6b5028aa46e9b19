"""A buffer of FluX: an element of the stream that is still open, with the children kept of it so far (§3.7.3)."""

from __future__ import annotations

from collections.abc import Collection

from xylem.values.builder import TreeBuilder
from xylem.values.name_pool import KIND_MASK
from xylem.values.node import ATTRIBUTE, DOCUMENT, Node
from xylem.values.qname import QName
from xylem.values.tree import Tree
from xylem.values.tree_copy import append_subtree

ROW_BYTES = 24
"""What a row costs beside its characters: the columns of a compact tree."""


class Buffer:
    """A small tree that grows as complete children arrive. Code reads it like any element."""

    __slots__ = ("_last", "bytes", "tree")

    def __init__(self, node: Node) -> None:
        """`node` is the open element as the scan shows it: its name, namespaces and kept attributes."""
        source = node.tree
        self.tree = Tree(source.names, source.base)
        self.tree.qnames = source.qnames
        if source.codes[node.pre] == DOCUMENT:
            self.tree.document_uri = source.document_uri
        end = node.pre + 1
        while end < len(source.codes) and source.codes[end] & KIND_MASK == ATTRIBUTE:
            end += 1
        self.tree.codes += source.codes[node.pre : end]
        self.tree.values += source.values[node.pre : end]
        rows = end - node.pre
        self.tree.ends += [rows, *range(2, rows + 1)]
        self.tree.parents += [-1] + [0] * (rows - 1)
        declared = source.namespaces(node.pre) if source.codes[node.pre] != DOCUMENT else {}
        declared.pop("xml", None)
        if declared:
            self.tree.declare(0, declared)
        self.bytes = 0
        self._last: Node | None = None

    @property
    def node(self) -> Node:
        return Node(self.tree, 0)

    def has_just_kept(self, child: Node) -> bool:
        """Whether this very row was the last one to be kept."""
        return self._last is not None and self._last.pre == child.pre and self._last.tree is child.tree

    def keep_only(self, tests: Collection[tuple[str | None, str | None]]) -> int:
        """Forget the children that none of the tests, (uri, local) or None for any, selects; gives the bytes freed.

        What was read of the buffer before stays as it is: a new tree takes the place of the old one.
        """
        before, old = self.bytes, self.node
        self.__init__(old)  # type: ignore[misc]  # the element again, without its children
        for row in old.tree.children(0):
            if is_named(old.tree.name(row), tests):
                self.append(Node(old.tree, row))
        self._last = None
        return before - self.bytes

    def append(self, child: Node) -> int:
        """Keep a copy of a complete child; gives the bytes it takes."""
        self._last = child
        tree = self.tree
        before = len(tree.codes)
        append_subtree(tree, 0, tree.namespaces(0) if tree.declared else {}, child, True, True)
        tree.ends[0] = len(tree.codes)
        tree.forget_index()
        size = _size(tree, before, len(tree.codes))
        self.bytes += size
        return size


def is_named(name: QName | None, tests: Collection[tuple[str | None, str | None]]) -> bool:
    """Whether a name is one of some (uri, local), None for any."""
    return name is not None and any(uri in (None, name.uri) and local in (None, name.local) for uri, local in tests)


def detached(node: Node) -> Node:
    """A copy of a complete element in a tree of its own, which outlives the batch it came in."""
    builder = TreeBuilder(node.tree.base)
    builder.copy(node)
    return builder.finish()


def size_of(node: Node) -> int:
    """The bytes an element takes with all that is kept of it."""
    return _size(node.tree, node.pre, node.tree.ends[node.pre])


def _size(tree: Tree, start: int, end: int) -> int:
    return sum(map(len, filter(None, tree.values[start:end]))) + ROW_BYTES * (end - start)
