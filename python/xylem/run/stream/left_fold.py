"""The state of fn:fold-left: the value so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from xylem.values.array import XArray
from xylem.values.map import XMap
from xylem.values.node import Node
from xylem.values.saved_state import saved

from ..aggregates.held_values import value_bytes
from ..aggregates.state import AggregateState
from .buffer import size_of


@saved("left-fold", 1, fields=("so_far", "held_bytes"))
class LeftFold(AggregateState):
    """Generated code updates the value with each item.

    Holds:  that value; a query may let it grow to any size.
    """

    __slots__ = ("so_far",)

    def __init__(self) -> None:
        super().__init__()
        self.so_far: Sequence[Any] = ()

    def add(self, items: Iterable[Any]) -> None:
        """Add the next value."""
        self.so_far = value = items if isinstance(items, (tuple, list)) else list(items)
        if len(value) == 1 and not isinstance(value[0], (Node, str, XMap, XArray)):
            self.held_bytes = 8
            return
        self.held_bytes = sum(size_of(item) if isinstance(item, Node) else value_bytes(item) for item in value)

    def value(self) -> Sequence[Any]:
        return self.so_far
