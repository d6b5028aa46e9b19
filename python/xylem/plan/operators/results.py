"""What becomes of items and tuples: new nodes, several parts one after another, and whatever else is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .operator import Extent, Operator, shortened


@dataclass(frozen=True, kw_only=True)
class Construct(Operator):
    """A new node, with what its inputs give inside.

    Holds:  nothing; it is written as it is made.
    """

    kind: ClassVar[str] = "construct"
    name: str

    @property
    def about(self) -> str:
        return shortened(self.name)


@dataclass(frozen=True, kw_only=True)
class Union(Operator):
    """Its inputs, one after the other.

    Holds:  nothing; nodes of a set operation are put into document order, which keeps them.
    """

    kind: ClassVar[str] = "union"
    how: str = ""
    """`of tasks, in order`; `union`, `intersect` or `except`, where nodes are a set."""
    is_set: bool = False

    @property
    def about(self) -> str:
        return self.how


@dataclass(frozen=True, kw_only=True)
class Leaf(Operator):
    """An expression that is computed as it stands: nothing of it is an operator that holds items or loops.

    Holds:  nothing.
    """

    kind: ClassVar[str] = "leaf"
    text: str
    gives: Extent = Extent.ONE

    @property
    def about(self) -> str:
        return shortened(self.text)
