"""Rows that are one node each, kept as numbers of rows of their trees: a node is made when it is asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, overload

from xylem.values.node import Node
from xylem.values.tree_interface import TreeInterface

Part = tuple[TreeInterface, Sequence[int]]
"""Nodes of one tree, by their rows."""


class NodeRows(Sequence[Sequence[Any]]):
    """The rows of a loop over nodes: for each, a tuple with the node alone."""

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self.parts: list[Part] = []
        self._starts: list[int] = []
        self._length = 0
        for part in parts:
            self._add(part)

    @staticmethod
    def of(items: Iterable[Any]) -> NodeRows | None:
        """The rows of items, where all of them are nodes."""
        nodes = items if isinstance(items, list) else list(items)
        if not all(type(node) is Node for node in nodes):
            return None
        return NodeRows((tree, [node.pre for node in group]) for tree, group in groupby(nodes, lambda node: node.tree))

    def _add(self, part: Part) -> None:
        self._starts.append(self._length)
        self._length += len(part[1])
        self.parts.append(part)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Sequence[Any]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Any]]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        place = bisect_right(self._starts, index) - 1 if len(self._starts) > 1 else 0
        tree, rows = self.parts[place]
        return (Node(tree, rows[index - self._starts[place]]),)

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for tree, rows in self.parts:
            for row in rows:
                yield (Node(tree, row),)
