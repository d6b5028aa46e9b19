"""Operators that process items and tuples further: new nodes, concatenated parts, and all other computations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .operator import Extent, Operator, shortened


@dataclass(frozen=True, kw_only=True)
class Construct(Operator):
    """A new node that contains its inputs.

    Holds:  nothing; it is written while it is constructed.
    """

    kind: ClassVar[str] = "construct"
    name: str

    @property
    def about(self) -> str:
        return shortened(self.name)


@dataclass(frozen=True, kw_only=True)
class Union(Operator):
    """Its inputs, concatenated.

    Holds:  nothing; for a set operation all nodes, to put them into document order.
    """

    kind: ClassVar[str] = "union"
    how: str = ""
    """`of tasks, in order`; `union`, `intersect` or `except` for sets of nodes."""
    is_set: bool = False

    @property
    def about(self) -> str:
        return self.how


@dataclass(frozen=True, kw_only=True)
class Leaf(Operator):
    """An expression that is computed as a whole: no part of it is an operator that holds items or loops.

    Holds:  nothing.
    """

    kind: ClassVar[str] = "leaf"
    text: str
    gives: Extent = Extent.ONE

    @property
    def about(self) -> str:
        return shortened(self.text)
