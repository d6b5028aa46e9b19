"""A cache of one index or value for each node, or key, that stays the same for many turns of a loop.

Holds:  the entries of the nodes requested last, from at most two trees: a stream brings one tree per record. Keys
        belong to no tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from xylem.values.node import Node
from xylem.values.strings import UntypedAtomic

from .joins import JoinIndex
from .many_keys import ManyKeysIndex
from .shared_values import SharedValue

MOST_KEPT = 4096
"""Number of indexes or values held at a time."""
MOST_ITEMS = 1_000_000
"""Total items in all entries except the newest: nested elements may be in many of them."""
LONGEST = 64
"""Most nodes per anchor: comparing more would cost each turn too much."""

_KEYS = frozenset({str, UntypedAtomic, bool, int, float, Decimal})

Kept = JoinIndex | ManyKeysIndex | SharedValue


class AnchoredValues:
    """Returns the entry for the nodes or keys of an anchor, empty when it is new; generated code fills it."""

    __slots__ = ("_arguments", "_by_key", "_items", "_kind", "_known", "_newest", "_options", "_tree")

    def __init__(self, kind: type[Kept], *arguments: Any, **options: Any) -> None:
        self._kind = kind
        self._arguments = arguments
        self._options = options
        self._known: dict[tuple[Node, ...], tuple[Kept, int]] = {}
        """The entry of each anchor, and the length of its tree then: a tree that has grown may have more to find."""
        self._by_key: dict[tuple[tuple[type, ...], tuple[Any, ...]], Kept] = {}
        self._newest: Kept | None = None
        self._items = 0
        """Number of items in all entries but the newest, which is filled after it was returned."""
        self._tree: object = None
        """The tree requested last."""

    @property
    def built(self) -> bool:
        return any(one.built for one in self._entries())

    @property
    def size(self) -> int:
        """Total number of items held."""
        return sum(one.size for one in self._entries())

    def _entries(self) -> Iterator[Kept]:
        yield from (one for one, _ in self._known.values())
        yield from self._by_key.values()

    def of(self, anchor: Sequence[Any]) -> Kept:
        """The index or value of an anchor. It is not cached for an anchor of no node, or of too many."""
        if not 0 < len(anchor) <= LONGEST:
            return self._made()
        if type(anchor[0]) is not Node:
            return self._of_key(anchor)
        if not all(isinstance(one, Node) for one in anchor):
            return self._made()
        nodes = tuple(anchor)
        tree = nodes[0].tree
        known = self._known.get(nodes)
        if known is not None and known[1] == len(tree):
            self._tree = tree
            return known[0]
        self._make_room(tree)
        self._newest = made = self._made()
        self._known[nodes] = made, len(tree)
        self._tree = tree
        return made

    def _of_key(self, values: Sequence[Any]) -> Kept:
        """The value for the keys of a lookup. Other values than texts and numbers may be equal and yet differ."""
        kinds = tuple(map(type, values))
        if not _KEYS.issuperset(kinds):
            return self._made()
        key = kinds, tuple(values)
        known = self._by_key.get(key)
        if known is None:
            if len(self._by_key) >= MOST_KEPT or self._items > MOST_ITEMS:
                self._by_key.clear()
                self._items = 0
            if self._newest is not None:
                self._items += self._newest.size
            known = self._newest = self._by_key[key] = self._made()
        return known

    def forget(self) -> None:
        """Trees have changed in place: what was found in them is not there any more."""
        self._known.clear()
        self._by_key.clear()
        self._newest = self._tree = None
        self._items = 0

    def _made(self) -> Kept:
        return self._kind(*self._arguments, **self._options)

    def _make_room(self, tree: object) -> None:
        last = self._tree
        if self._newest is not None:
            self._items += self._newest.size
        if last is not None and tree is not last:
            self._known = {nodes: kept for nodes, kept in self._known.items() if nodes[0].tree is last}
            self._items = self.size
        if len(self._known) >= MOST_KEPT or self._items > MOST_ITEMS:
            self._known.clear()
            self._items = 0
