"""The text of an answer over a whole tree, where the query is a template: the kernel writes it from the columns.

Code over the nodes of a tree takes a Python call for each step; a template takes none. It is compiled for large trees,
and for queries that run again and again. If it cannot decide, because of an error for example, code computes the items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from xylem.source import kernel
from xylem.values.compact_tree import CompactTree
from xylem.values.node import Node

if TYPE_CHECKING:
    from xylem.source.kernel import TreeTemplate

    from .compiled_query import CompiledQuery

MANY_ROWS = 20_000
"""A larger tree takes longer to read by code than a template takes to compile."""
FIRST_BY_CODE = 2
"""Number of runs over smaller trees before a template is compiled."""


class TreeTexts:
    """Writes the answers of one query."""

    def __init__(self, compiled: CompiledQuery) -> None:
        self._compiled = compiled
        self._seen = 0
        self._template: TreeTemplate | None = None
        self._is_known = False

    def texts(self, tree: CompactTree) -> Iterator[str] | None:
        """The text of the answer; None if code must compute it."""
        if not self._is_known:
            self._seen += 1
            if self._seen <= FIRST_BY_CODE and len(tree.native) < MANY_ROWS:
                return None
            template = self._compiled.tree_template()
            self._template = None if template is None else kernel.tree_template(template)
            self._is_known = True
        if self._template is None:
            return None
        found = kernel.written_by(self._template, tree)
        return None if found is None else iter((found,))


def whole_document(context: Sequence[Any] | None) -> CompactTree | None:
    """The tree of a context that a template may read: one whole document."""
    if context is None or len(context) != 1:
        return None
    (node,) = context
    if type(node) is not Node or node.pre != 0:
        return None
    tree = node.tree
    return tree if type(tree) is CompactTree and tree.is_document else None
