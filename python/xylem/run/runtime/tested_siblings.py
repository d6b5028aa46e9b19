"""The following or preceding siblings of a node that pass tests, cached for successive requests.

`following-sibling::y[p][1]`, evaluated for each child of a parent, would test the remaining siblings for each child.
The request of one node covers the end of the request of an earlier node. So each sibling is tested once, and answers
are found by position.

Holds:  the nodes that passed, by family, for the tree requested last; at most `MOST_FAMILIES` families.
Tests:  only nodes that the step reaches from a requesting node, so it raises no avoidable error.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, takewhile

from xylem.values.node import ATTRIBUTE, Node
from xylem.values.tree_interface import TreeInterface

MOST_FAMILIES = 4096

Passing = Callable[[Iterable[Node]], Iterable[Node]]


class TestedSiblings:
    """The answers of one step, by family."""

    __slots__ = ("_families", "_is_forward", "_is_of_siblings", "_step", "_tree")

    def __init__(self, step: Callable[[Node], Iterator[Node]], *, is_forward: bool, is_of_siblings: bool) -> None:
        """`step` returns the nodes to test from one node on, nearest first."""
        self._step = step
        self._is_forward = is_forward
        self._is_of_siblings = is_of_siblings
        self._tree: TreeInterface | None = None
        self._families: dict[int, _Family] = {}

    def at(self, node: Node, passing: Passing, place: int) -> Node | None:
        """The node at a position among those that pass, counted from the nearest one."""
        family = self._family_of(node, passing)
        if family is None:
            return next(islice(passing(self._step(node)), place - 1, None), None)
        return family.at(family.first_after(self._key(node)) + place - 1)

    def last(self, node: Node, passing: Passing) -> Node | None:
        """The farthest one."""
        family = self._family_of(node, passing)
        if family is None:
            return next(iter(deque(passing(self._step(node)), maxlen=1)), None)
        family.read_all()
        return family.nodes[-1] if family.first_after(self._key(node)) < len(family.nodes) else None

    def all(self, node: Node, passing: Passing) -> Iterable[Node]:
        """All of them in document order."""
        family = self._family_of(node, passing)
        if family is not None:
            return _Rest(family, family.first_after(self._key(node)))
        found = passing(self._step(node))
        return found if self._is_forward else reversed(list(found))

    def _key(self, node: Node) -> int:
        """A number less than those of the nodes that a node's request covers, and of no node on its own side."""
        return node.tree.end(node.pre) - 1 if self._is_forward else -node.pre

    def _family_of(self, node: Node, passing: Passing) -> _Family | None:
        """The cached family of the nodes on one side; None if they must be tested for this request alone."""
        tree = node.tree
        if tree.is_ranked or (self._is_of_siblings and tree.kind(node.pre) == ATTRIBUTE):
            return None
        if tree is not self._tree or len(self._families) > MOST_FAMILIES:
            self._tree = tree
            self._families.clear()
        name = tree.parent(node.pre) if self._is_of_siblings else -1
        key = self._key(node)
        family = self._families.get(name)
        if family is not None and family.is_busy:
            return None  # A test depends on its own request.
        if family is None or family.has_failed:
            family = self._families[name] = _Family(key, self._is_forward, iter(passing(self._step(node))))
        elif key < family.start:
            family.begin_before(key, self._step(node), passing)
        return family


class _Family:
    """The nodes on one side that pass, from the first requesting node on."""

    __slots__ = ("_keys", "_more", "has_failed", "is_busy", "is_forward", "nodes", "start")

    def __init__(self, start: int, is_forward: bool, more: Iterator[Node]) -> None:
        self.start = start
        self.nodes: list[Node] = []
        self._keys: list[int] = []
        self.is_forward = is_forward
        self._more: Iterator[Node] | None = more
        self.is_busy = self.has_failed = False

    def at(self, index: int) -> Node | None:
        while len(self.nodes) <= index:
            if not self._reads_one():
                return None
        return self.nodes[index]

    def first_after(self, key: int) -> int:
        """The index of the first node after a place."""
        while self._more is not None and (not self._keys or self._keys[-1] <= key):
            if not self._reads_one():
                break
        return bisect_right(self._keys, key)

    def read_all(self) -> None:
        while self._reads_one():
            pass

    def begin_before(self, start: int, nodes: Iterator[Node], passing: Passing) -> None:
        """Extend the start to a node before the first requesting one."""
        self.is_busy = True
        try:
            found = list(passing(takewhile(lambda node: self._key(node) <= self.start, nodes)))
        finally:
            self.is_busy = False
        self.nodes[:0] = found
        self._keys[:0] = map(self._key, found)
        self.start = start

    def _reads_one(self) -> bool:
        if self._more is None:
            return False
        self.is_busy = True
        try:
            found = next(self._more, None)
        except BaseException:
            self.has_failed = True  # Nodes after the error are unknown.
            raise
        finally:
            self.is_busy = False
        if found is None:
            self._more = None
            return False
        self.nodes.append(found)
        self._keys.append(self._key(found))
        return True

    def _key(self, node: Node) -> int:
        return node.pre if self.is_forward else -node.pre


class _Rest:
    """The nodes of a family from one on, in document order; later nodes are tested while they are read."""

    __slots__ = ("_family", "_first")

    def __init__(self, family: _Family, first: int) -> None:
        self._family = family
        self._first = first

    def __iter__(self) -> Iterator[Node]:
        index = self._first
        if not self._family.is_forward:
            yield from (self._family.nodes[place] for place in range(index + len(self) - 1, index - 1, -1))
            return
        while (node := self._family.at(index)) is not None:
            yield node
            index += 1

    def __len__(self) -> int:
        self._family.read_all()
        return len(self._family.nodes) - self._first
