"""Rows that are one node each, kept as numbers of rows of their trees: a node is made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby, repeat
from typing import Any, overload

from xylem.values.node import Node
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
        """The rows of items, where all of them are nodes."""
        nodes = items if isinstance(items, list) else list(items)
        if not all(type(node) is Node for node in nodes):
            return None
        return NodeRows((tree, [node.pre for node in group]) for tree, group in groupby(nodes, lambda node: node.tree))

    @staticmethod
    def flowing(parts: Iterable[Part]) -> Iterator[Sequence[Any]]:
        """The rows of parts as they come, none of which is kept."""
        return ((Node(tree, row),) for tree, rows in parts for row in rows)

    def part(self, numbers: Sequence[int]) -> NodeRows:
        """Some of the rows."""
        trees, rows = self.flat
        chosen = ((trees[number], rows[number]) for number in numbers)
        return NodeRows((tree, [row for _, row in group]) for tree, group in groupby(chosen, lambda one: one[0]))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Sequence[Any]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Any]]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        trees, rows = self.flat
        return (Node(trees[index], rows[index]),)

    @cached_property
    def flat(self) -> tuple[list[TreeInterface], list[int]]:
        """The tree and the row of each node, for whoever asks for them one by one."""
        trees = list(chain.from_iterable(repeat(tree, len(rows)) for tree, rows in self.parts))
        return trees, list(chain.from_iterable(rows for _, rows in self.parts))

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for tree, rows in self.parts:
            for row in rows:
                yield (Node(tree, row),)
