"""A sorted list with counts: it finds entries by key, and by item index.

A B+ tree. Keys are compared by Python itself, in runs (`bisect`), so that an insertion costs a few microseconds at any
size. Each entry has a weight, the number of items it gives; the tree knows the weights below each of its nodes, so one
descent finds the entry of the n-th item, or the number of items before an entry: an order-statistic tree.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from .places import Order, Place

__all__ = ["OrderedList"]

T = TypeVar("T")

_LEAF = 64
_FANOUT = 32


class _Leaf(Generic[T]):
    __slots__ = ("entries", "keys", "labels", "stamp", "weights")

    def __init__(self, keys: list[Any], entries: list[T], weights: list[int]) -> None:
        self.keys = keys
        self.entries = entries
        self.weights = weights
        self.labels: array[int] | None = None
        """The labels of keys that are places, if they are known."""
        self.stamp = -1
        """Number of places that had been relabelled by then."""


class _Inner(Generic[T]):
    """`keys` are the first keys of the children."""

    __slots__ = ("children", "keys", "labels", "stamp", "weights")

    def __init__(self, keys: list[Any], children: list[Any], weights: list[int]) -> None:
        self.keys = keys
        self.children = children
        self.weights = weights
        self.labels: array[int] | None = None
        self.stamp = -1


class OrderedList(Generic[T]):
    """Entries in the order of their keys, which are all different.

    Holds:  the entries; adding, finding or removing one visits one node per level.
    """

    __slots__ = ("_depth", "_order", "_root", "size", "weight")

    def __init__(self, order: Order | None = None) -> None:
        """`order`: the keys are places of this order."""
        self._order = order
        self._root: Any = _Leaf([], [], [])
        self._depth = 0
        self.size = 0
        """Number of entries."""
        self.weight = 0
        """Total number of items of all entries."""

    def __len__(self) -> int:
        return self.size

    # --- changes

    def add(self, key: Any, entry: T, weight: int = 1) -> None:
        self.size += 1
        self.weight += weight
        node = self._root
        if not self._depth:
            self._add_to_leaf(node, key, entry, weight)
            if len(node.keys) > _LEAF:
                self._grow(_split_leaf(node))
            return
        way = []
        for _ in range(self._depth):
            at = bisect_right(node.keys, key) - 1
            if at < 0:
                at = 0
                node.keys[0] = key
                node.labels = None
            node.weights[at] += weight
            way.append((node, at))
            node = node.children[at]
        self._add_to_leaf(node, key, entry, weight)
        if len(node.keys) > _LEAF:
            self._split(way, _split_leaf(node))

    @staticmethod
    def _add_to_leaf(leaf: _Leaf[T], key: Any, entry: T, weight: int) -> None:
        at = bisect_left(leaf.keys, key)
        leaf.keys.insert(at, key)
        leaf.entries.insert(at, entry)
        leaf.weights.insert(at, weight)
        leaf.labels = None

    def _split(self, way: list[tuple[Any, int]], new: Any) -> None:
        while way:
            parent, at = way.pop()
            moved = sum(new.weights)
            parent.weights[at] -= moved
            parent.labels = None
            parent.keys.insert(at + 1, new.keys[0])
            parent.children.insert(at + 1, new)
            parent.weights.insert(at + 1, moved)
            if len(parent.keys) <= _FANOUT:
                return
            half = len(parent.keys) // 2
            new = _Inner(parent.keys[half:], parent.children[half:], parent.weights[half:])
            del parent.keys[half:], parent.children[half:], parent.weights[half:]
        self._grow(new)

    def _grow(self, new: Any) -> None:
        old = self._root
        self._root = _Inner([old.keys[0], new.keys[0]], [old, new], [sum(old.weights), sum(new.weights)])
        self._depth += 1

    def remove(self, key: Any) -> T:
        """Remove an entry; KeyError if there is none."""
        return self.take(key)[0]

    def take(self, key: Any) -> tuple[T, int]:
        """As `remove`; the entry, and how many items came before it."""
        if self._order is not None:
            return self._take_placed(key, self._order.relabelled)
        way = []
        node = self._root
        items: int = 0
        for _ in range(self._depth):
            at = max(bisect_right(node.keys, key) - 1, 0)
            if at:
                items += sum(node.weights[:at])
            way.append((node, at))
            node = node.children[at]
        at = bisect_left(node.keys, key)
        if at == len(node.keys) or node.keys[at] != key:
            raise KeyError(key)
        items += sum(node.weights[:at])
        return self._removed(way, node, at), items

    def _take_placed(self, key: Place, stamp: int) -> tuple[T, int]:
        label = key[0]
        way = []
        node = self._root
        items: int = 0
        for _ in range(self._depth):
            labels = node.labels
            if labels is None or node.stamp != stamp:
                labels = _labelled(node, stamp)
            at = max(bisect_right(labels, label) - 1, 0)
            if at:
                items += sum(node.weights[:at])
            way.append((node, at))
            node = node.children[at]
        labels = node.labels
        if labels is None or node.stamp != stamp:
            labels = _labelled(node, stamp)
        at = bisect_left(labels, label)
        if at == len(labels) or node.keys[at] is not key:
            raise KeyError(key)
        items += sum(node.weights[:at])
        del labels[at]
        return self._removed(way, node, at), items

    def _removed(self, way: list[tuple[Any, int]], node: _Leaf[T], at: int) -> T:
        """Remove an entry of a leaf that was reached by these nodes."""
        entry = node.entries[at]
        weight = node.weights[at]
        del node.keys[at], node.entries[at], node.weights[at]
        self.size -= 1
        self.weight -= weight
        for inner, index in way:
            inner.weights[index] -= weight
        # First keys name existing entries: nothing compares with removed ones any more.
        if at == 0:
            self._rename(way, node)
        if len(node.keys) < _LEAF // 4 and way:
            self._shrink(way, node)
        return entry

    @staticmethod
    def _rename(way: list[tuple[Any, int]], node: Any) -> None:
        if not node.keys:
            return
        for inner, index in reversed(way):
            inner.keys[index] = node.keys[0]
            inner.labels = None
            if index:
                return

    def _shrink(self, way: list[tuple[Any, int]], node: Any) -> None:
        """Merge a thin node with a neighbour, or drop it if it is empty."""
        while way and len(node.keys) < _FANOUT // 4:
            parent, at = way.pop()
            if not node.keys:
                parent.labels = None
                del parent.keys[at], parent.children[at], parent.weights[at]
                if at == 0:
                    self._rename(way, parent)
            else:
                left = at if at + 1 < len(parent.children) else at - 1
                if left < 0:
                    return
                self._merge(parent, left)
            node = parent
        while self._depth and len(self._root.keys) == 1:
            self._root = self._root.children[0]
            self._depth -= 1
        if self._depth and not self._root.keys:
            self._root, self._depth = _Leaf([], [], []), 0

    @staticmethod
    def _merge(parent: Any, left: int) -> None:
        first, second = parent.children[left], parent.children[left + 1]
        limit = _LEAF if isinstance(first, _Leaf) else _FANOUT
        if len(first.keys) + len(second.keys) > limit:
            return
        first.labels = parent.labels = None
        first.keys += second.keys
        first.weights += second.weights
        if isinstance(first, _Leaf):
            first.entries += second.entries
        else:
            first.children += second.children
        parent.weights[left] += parent.weights[left + 1]
        del parent.keys[left + 1], parent.children[left + 1], parent.weights[left + 1]

    def replace(self, key: Any, entry: T, weight: int) -> bool:
        """Replace an entry and its weight; return whether the weight changed."""
        way = []
        node = self._root
        for _ in range(self._depth):
            at = bisect_right(node.keys, key) - 1
            way.append((node, at))
            node = node.children[at]
        at = bisect_left(node.keys, key)
        node.entries[at] = entry
        change = weight - node.weights[at]
        if change:
            node.weights[at] = weight
            self.weight += change
            for inner, index in way:
                inner.weights[index] += change
        return bool(change)

    def put(self, key: Any, entry: T, *, is_new: bool) -> int:
        """Put an entry of one item, new or in place of another such entry; return the number of items before it."""
        node = self._root
        if is_new:
            self.size += 1
            self.weight += 1
        order = self._order
        stamp = -1 if order is None else order.relabelled
        # Comparing places touches distant memory, comparing their labels does not.
        wanted = key if order is None else key[0]
        way = []
        items: int = 0
        for _ in range(self._depth):
            keys = node.keys if order is None else node.labels
            if order is not None and (keys is None or node.stamp != stamp):
                keys = _labelled(node, stamp)
            at = bisect_right(keys, wanted) - 1
            if at < 0:
                at = 0
                node.keys[0] = key
                keys[0] = wanted
            elif at:
                items += sum(node.weights[:at])
            if is_new:
                node.weights[at] += 1
                way.append((node, at))
            node = node.children[at]
        keys = node.keys if order is None else node.labels
        if order is not None and (keys is None or node.stamp != stamp):
            keys = _labelled(node, stamp)
        at = bisect_left(keys, wanted)
        items += sum(node.weights[:at])
        if not is_new:
            node.entries[at] = entry
            return items
        node.keys.insert(at, key)
        if order is not None:
            keys.insert(at, wanted)
        node.entries.insert(at, entry)
        node.weights.insert(at, 1)
        if len(node.keys) > _LEAF:
            if way:
                self._split(way, _split_leaf(node))
            else:
                self._grow(_split_leaf(node))
        return items

    # --- lookups

    def get(self, key: Any, default: T) -> T:
        """The entry of a key."""
        node = self._root
        for _ in range(self._depth):
            node = node.children[max(bisect_right(node.keys, key) - 1, 0)]
        at = bisect_left(node.keys, key)
        found: T = node.entries[at] if at < len(node.keys) and node.keys[at] == key else default
        return found

    def before(self, key: Any) -> tuple[T | None, int]:
        """The last entry before a key, and the total number of items up to it."""
        node = self._root
        items = 0
        outer: Any = None
        for _ in range(self._depth):
            at = max(bisect_left(node.keys, key) - 1, 0)
            if at:
                outer = node.children[at - 1]
            elif outer is not None:
                outer = outer.children[-1]
            items += sum(node.weights[:at])
            node = node.children[at]
        at = bisect_left(node.keys, key)
        items += sum(node.weights[:at])
        if at:
            return node.entries[at - 1], items
        return (outer.entries[-1] if outer is not None else None), items

    def first(self) -> T | None:
        node = self._root
        for _ in range(self._depth):
            node = node.children[0]
        return node.entries[0] if node.entries else None

    def first_key(self) -> Any:
        """The key of the first entry; None if there is none."""
        node = self._root
        for _ in range(self._depth):
            node = node.children[0]
        return node.keys[0] if node.keys else None

    def last(self) -> T | None:
        node = self._root
        for _ in range(self._depth):
            node = node.children[-1]
        return node.entries[-1] if node.entries else None

    def __iter__(self) -> Iterator[T]:
        yield from self._below(self._root, self._depth)

    def _below(self, node: Any, depth: int) -> Iterator[T]:
        if not depth:
            yield from node.entries
            return
        for child in node.children:
            yield from self._below(child, depth - 1)

    def from_item(self, index: int) -> Iterator[tuple[T, int]]:
        """The entries from the one with the item at an index (from 0) on, each with the index of its first item."""
        yield from self._from_item(self._root, self._depth, index, 0)

    def _from_item(self, node: Any, depth: int, index: int, base: int) -> Iterator[tuple[T, int]]:
        children = node.children if depth else node.entries
        for child, weight in zip(children, node.weights, strict=True):
            if base + weight > index:
                if depth:
                    yield from self._from_item(child, depth - 1, index, base)
                else:
                    yield child, base
            base += weight


def _split_leaf(leaf: _Leaf[T]) -> _Leaf[T]:
    """Split off the upper half of a full leaf."""
    half = len(leaf.keys) // 2
    new = _Leaf(leaf.keys[half:], leaf.entries[half:], leaf.weights[half:])
    del leaf.keys[half:], leaf.entries[half:], leaf.weights[half:]
    leaf.labels = None
    return new


def _labelled(node: Any, stamp: int) -> array[int]:
    """The labels of the places in a node, when so many had been relabelled."""
    node.labels = labels = array("Q", [place[0] for place in node.keys])
    node.stamp = stamp
    return labels
