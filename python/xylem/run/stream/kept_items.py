"""The items themselves as the state of an aggregate: all of them, or the last ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from xylem.values.node import ELEMENT, Node

from ..aggregates.held_values import value_bytes
from ..aggregates.state import AggregateState
from .buffer import size_of
from .kept_copies import KeptCopies, SeparateCopies


class Last(AggregateState):
    """(E)[last()], (E)[position() > last() - n]: one item, or some.

    Holds:  these items; with one item, also its batch; with several, the elements around them.
    """

    __slots__ = ("_copies", "_items", "_number")

    def __init__(self, number: int = 1) -> None:
        super().__init__()
        self._number = number
        self._items: deque[Any] = deque(maxlen=number)
        self._copies = SeparateCopies()

    def add(self, items: Iterable[Any]) -> None:
        for item in items:
            if len(self._items) == self._number:
                self.held_bytes -= self._alone(0, 1)
            # A node keeps its whole batch in memory: several items are therefore copied.
            is_copied = self._number > 1 and isinstance(item, Node) and item.kind == ELEMENT
            self._items.append(self._copies.take(item) if is_copied else item)
            self.held_bytes += self._alone(-1, -2)

    def _alone(self, place: int, neighbour: int) -> int:
        """The memory of an item at one end that its neighbour does not share: items of one tree are consecutive."""
        item = self._items[place]
        if not isinstance(item, Node):
            return value_bytes(item)
        if self._number == 1 or item.kind != ELEMENT:
            return size_of(item)
        other = self._items[neighbour] if len(self._items) > 1 else None
        is_shared = isinstance(other, Node) and other.tree is item.tree
        return 0 if is_shared else size_of(Node(item.tree, 0))

    def value(self) -> Sequence[Any]:
        return list(self._items)


class Items(AggregateState):
    """The nodes themselves, for functions that must look at all of them.

    Holds:  a copy of each; a nested node is part of the outer node's copy.
    """

    __slots__ = ("_copies", "_items", "_other_bytes")

    def __init__(self) -> None:
        super().__init__()
        self._copies = KeptCopies()
        self._items: list[Any] = []
        self._other_bytes = 0

    def add(self, items: Iterable[Any]) -> None:
        for item in items:
            if isinstance(item, Node) and item.kind == ELEMENT:
                self._items.append(self._copies.take(item))
            else:
                self._items.append(item)
                self._other_bytes += size_of(item) if isinstance(item, Node) else value_bytes(item)
        self.held_bytes = self._copies.taken_bytes + self._other_bytes

    def value(self) -> Sequence[Any]:
        return self._items
