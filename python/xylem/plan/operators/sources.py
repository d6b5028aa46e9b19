"""Sources of items: scans of documents, and steps from the current items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .operator import Extent, Operator, shortened


@dataclass(frozen=True, kw_only=True)
class Scan(Operator):
    """The items that a path leads to in a document, in document order.

    Holds:  nothing; captured paths are passed on with their item.
    """

    kind: ClassVar[str] = "scan"
    path: str
    captured: tuple[str, ...] | None = None
    """The paths of each item that its consumers see; None: all of it, as in a tree."""
    source: str = ""
    """The document, if it is not the input: doc("…"), $variable."""
    gives: Extent = Extent.INPUT
    """The possible number of items per evaluation."""
    number: int = 1
    """The number of the pass over the input."""

    @property
    def about(self) -> str:
        path = shortened(f"{self.source}{self.path}")
        if self.captured is None:
            return path
        captured = ", ".join(self.captured)
        return f"{path}, of each {shortened(captured)}" if captured else path


@dataclass(frozen=True, kw_only=True)
class Step(Operator):
    """The nodes that a path leads to from each item of its input, or from a variable.

    Holds:  nothing.
    """

    kind: ClassVar[str] = "step"
    path: str
    gives: Extent = Extent.ITEM
    """The possible number of items, if it starts from a variable."""

    @property
    def about(self) -> str:
        return shortened(self.path)
