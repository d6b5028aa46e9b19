"""Nodes: light handles into a tree.

A handle is a tree and a `pre` number, the node's place in document order. Attributes are numbered right
after their element, so one integer orders every node of a tree. All knowledge lives in the tree
(`tree_interface.py`): in Python lists (`tree.py`) or in the kernel (`compact_tree.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .qname import QName

if TYPE_CHECKING:
    from .tree_interface import TreeInterface

DOCUMENT = 0
ELEMENT = 1
ATTRIBUTE = 2
TEXT = 3
COMMENT = 4
PROCESSING_INSTRUCTION = 5
NAMESPACE = 6

KIND_NAMES = ("document-node", "element", "attribute", "text", "comment", "processing-instruction", "namespace-node")


class Node:
    """A node of a tree. Two handles are the same node when tree and pre agree."""

    __slots__ = ("__weakref__", "pre", "tree")

    def __init__(self, tree: TreeInterface, pre: int) -> None:
        self.tree = tree
        self.pre = pre

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.pre == other.pre and self.tree is other.tree

    def __hash__(self) -> int:
        return hash((self.tree.order, self.pre))

    def __repr__(self) -> str:
        return f"<{KIND_NAMES[self.kind]} {self.name or ''} pre={self.pre}>"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """A pickled node is a copy of its subtree: see `carried_node.py`."""
        from .carried_node import arrived, carried

        return arrived, tuple(carried(self))

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        # Nodes are immutable: within a process a copy is the node itself.
        return self

    @property
    def order_key(self) -> tuple[float, ...]:
        """Sorts nodes in document order; trees follow each other in order of creation."""
        tree = self.tree
        return (tree.order, *tree.rank(self.pre)) if tree.is_ranked else (tree.order, self.pre)

    @property
    def kind(self) -> int:
        return self.tree.kind(self.pre)

    @property
    def name(self) -> QName | None:
        """The name of an element, attribute, processing instruction (target) or namespace node (prefix)."""
        return self.tree.name(self.pre)

    @property
    def string_value(self) -> str:
        return self.tree.string_value(self.pre)

    @property
    def typed_value(self) -> str:
        """UntypedAtomic for documents, elements, attributes and text; xs:string for the other kinds."""
        return self.tree.typed_value(self.pre)

    @property
    def parent(self) -> Node | None:
        pre = self.tree.parent(self.pre)
        return None if pre < 0 else Node(self.tree, pre)

    @property
    def root(self) -> Node:
        return Node(self.tree, 0)

    @property
    def base_uri(self) -> str | None:
        return self.tree.base_uri(self.pre)

    @property
    def document_uri(self) -> str | None:
        return self.tree.document_uri if self.kind == DOCUMENT else None

    @property
    def namespaces(self) -> dict[str, str]:
        """The namespaces in scope of an element: prefix to URI, 'xml' included; '' is the default one."""
        return self.tree.namespaces(self.pre)
