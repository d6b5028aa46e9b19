"""Indexes of a join whose collection starts at a node that is the same for many turns: an index for each such node.

Holds:  the indexes of the nodes that were asked for last, of two trees at most: a stream brings a tree for each record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xylem.values.node import Node

from .joins import JoinIndex
from .many_keys import ManyKeysIndex

MOST_INDEXES = 64
MOST_ITEMS = 1_000_000
"""In all indexes but the newest: elements that nest may be in many of them."""

Index = JoinIndex | ManyKeysIndex


class AnchoredIndexes:
    """Gives the index of a node, empty when the node is new; generated code builds it."""

    __slots__ = ("_arguments", "_kind", "_known", "_last", "_options")

    def __init__(self, kind: type[Index], *arguments: Any, **options: Any) -> None:
        self._kind = kind
        self._arguments = arguments
        self._options = options
        self._known: dict[Node, Index] = {}
        self._last: Node | None = None
        """The node asked for last."""

    @property
    def built(self) -> bool:
        return any(index.built for index in self._known.values())

    @property
    def size(self) -> int:
        """How many items they hold."""
        return sum(index.size for index in self._known.values())

    def of(self, anchor: Sequence[Any]) -> Index:
        """The index of a node; of no node, or of several, one that is not kept."""
        if len(anchor) != 1 or not isinstance(anchor[0], Node):
            return self._made()
        (node,) = anchor
        known = self._known.get(node)
        if known is None:
            self._make_room(node)
            known = self._known[node] = self._made()
        self._last = node
        return known

    def _made(self) -> Index:
        return self._kind(*self._arguments, **self._options)

    def _make_room(self, node: Node) -> None:
        last = self._last
        if last is not None and node.tree is not last.tree:
            self._known = {one: index for one, index in self._known.items() if one.tree is last.tree}
        if len(self._known) >= MOST_INDEXES or self.size > MOST_ITEMS:
            self._known.clear()
