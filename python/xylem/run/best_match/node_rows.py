"""Rows of one node each, kept as row numbers of their trees: a node object is created on first use."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any, overload

from xylem.values.node import Node
from xylem.values.paged_tree import TreePages
from xylem.values.tree_interface import TreeInterface

Part = tuple[TreeInterface, Sequence[int]]
"""Nodes of one tree, by their rows."""


class NodeRows(Sequence[Sequence[Any]]):
    """The rows of a loop over nodes: for each, a tuple with the node alone."""

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self.parts: list[Part] = []
        self.parts += parts
        self._length = sum(len(rows) for _, rows in self.parts)

    @staticmethod
    def of(items: Iterable[Any]) -> NodeRows | None:
        """The rows of items, if all items are nodes."""
        nodes = items if isinstance(items, list) else list(items)
        if not all(type(node) is Node for node in nodes):
            return None
        return NodeRows(
            (tree, array("I", (node.pre for node in group))) for tree, group in groupby(nodes, lambda node: node.tree)
        )

    def paged(self, pages: TreePages | None) -> NodeRows:
        """The same rows; their trees are spilled to a file while memory is short."""
        if pages is not None:
            for tree, _ in self.parts:
                pages.take(tree)
        return self

    @staticmethod
    def flowing(parts: Iterable[Part]) -> Iterator[Sequence[Any]]:
        """The rows of parts as they arrive; none of them is kept."""
        return ((Node(tree, row),) for tree, rows in parts for row in rows)

    def part(self, numbers: Sequence[int]) -> NodeRows:
        """Some of the rows."""
        starts, made = self.starts, []
        for place, group in groupby(numbers, lambda number: bisect_right(starts, number) - 1):
            tree, rows = self.parts[place]
            made.append((tree, array("I", (rows[number - starts[place]] for number in group))))
        return NodeRows(made)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Sequence[Any]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Any]]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        place = bisect_right(self.starts, index) - 1
        tree, rows = self.parts[place]
        return (Node(tree, rows[index - self.starts[place]]),)

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first row of each part."""
        return list(accumulate((len(rows) for _, rows in self.parts[:-1]), initial=0))

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for tree, rows in self.parts:
            for row in rows:
                yield (Node(tree, row),)
