"""The stream data flow graph of a query (single-pass paper, §4.2), as plain data.

A node is a variable of the query, or the value of an unnamed expression. A *sequence* node is as long as the stream (a
rectangle in the paper), an *atomic* node is a value or an item (a circle). An edge says that one depends on the other,
by its value or because it decides whether the other is evaluated at all (Def. 1): an *aggregate* dependence leads from
a sequence to an atomic value that is known only once the sequence is past (Def. 3), all others are *flow* (Def. 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from xylem.errors import NOWHERE, Span

from .stream_path import StreamPath


class Dependence(StrEnum):
    """The kind of an edge."""

    FLOW = "flow"
    AGGREGATE = "aggregate"


class Blocking(StrEnum):
    """What an operator needs of its input before it returns anything, if it is neither pipeline nor aggregate."""

    SORTS = "needs all tuples to sort them"
    GROUPS = "needs all tuples of a group"
    HOLDS = "needs all items at once"
    COLLECTS = "keeps a value that grows with the input"
    LOOKS_BACK = "looks back at what has passed"
    OPAQUE = "may look at all items in any order"
    JOINS = "compares the items of two sequences with each other"
    WAITS = "comes after all items of another sequence"


@dataclass(frozen=True)
class Node:
    """Common properties of all nodes. Numbers count from 1 in the order of the query and never change."""

    number: int
    label: str
    span: Span = field(default=NOWHERE, compare=False)
    blocking: Blocking | None = None
    """Set if the operator of this value blocks."""

    @property
    def is_sequence(self) -> bool:
        return isinstance(self, SequenceNode)


@dataclass(frozen=True)
class SequenceNode(Node):
    """A sequence of unbounded length: a path over a stream, or the result of a loop."""

    path: StreamPath | None = None
    """The traversal it stands for; None for the result of a loop."""


@dataclass(frozen=True)
class AtomicNode(Node):
    """An atomic value, an item, or a sequence of bounded length."""

    is_iterator: bool = False
    """Bound by a `for`, a window or a quantifier to one item after another."""


@dataclass(frozen=True)
class Edge:
    """`target` depends on `source`."""

    source: int
    target: int
    kind: Dependence = Dependence.FLOW


@dataclass(frozen=True)
class SuperNode:
    """Nodes that one traversal computes together, in a pipeline: the dashed box (§4.3.2)."""

    number: int
    members: frozenset[int]


@dataclass(frozen=True)
class Graph:
    """A stream data flow graph; `super_nodes` after vertical fusion."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    super_nodes: tuple[SuperNode, ...] = ()

    def node(self, number: int) -> Node:
        return self._by_number[number]

    @property
    def sequences(self) -> tuple[SequenceNode, ...]:
        return tuple(node for node in self.nodes if isinstance(node, SequenceNode))

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams read: the context item, `doc("…")` …, in the order of the query."""
        found = (node.path.root for node in self.sequences if node.path is not None)
        return tuple(dict.fromkeys(found))

    @property
    def roots(self) -> tuple[Node, ...]:
        """The nodes that depend on nothing."""
        targets = {edge.target for edge in self.edges}
        return tuple(node for node in self.nodes if node.number not in targets)

    def successors(self, number: int, kind: Dependence | None = None) -> Iterator[int]:
        return (edge.target for edge in self._leaving.get(number, ()) if kind in (None, edge.kind))

    def predecessors(self, number: int, kind: Dependence | None = None) -> Iterator[int]:
        return (edge.source for edge in self._arriving.get(number, ()) if kind in (None, edge.kind))

    def reached(self, start: Iterable[int], kind: Dependence | None = None) -> frozenset[int]:
        """All nodes reached by a path of one edge or more."""
        return _closure(start, lambda number: self.successors(number, kind))

    def origins(self, start: Iterable[int], kind: Dependence | None = None) -> frozenset[int]:
        """All nodes from which a path of one edge or more leads here."""
        return _closure(start, lambda number: self.predecessors(number, kind))

    def super_node_of(self, number: int) -> SuperNode | None:
        return next((found for found in self.super_nodes if number in found.members), None)

    def with_edges(self, edges: Iterable[Edge]) -> Graph:
        return replace(self, edges=tuple(dict.fromkeys(edges)))

    @cached_property
    def _by_number(self) -> dict[int, Node]:
        return {node.number: node for node in self.nodes}

    @cached_property
    def _leaving(self) -> dict[int, list[Edge]]:
        found: dict[int, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.source, []).append(edge)
        return found

    @cached_property
    def _arriving(self) -> dict[int, list[Edge]]:
        found: dict[int, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.target, []).append(edge)
        return found


def _closure(start: Iterable[int], step: Callable[[int], Iterable[int]]) -> frozenset[int]:
    found: set[int] = set()
    todo = list(start)
    while todo:
        for number in step(todo.pop()):
            if number not in found:
                found.add(number)
                todo.append(number)
    return frozenset(found)


@dataclass(frozen=True)
class Reason:
    """Why one pass is not enough: the theorem of the paper that applies (0: a blocking operator, §3.2), and where."""

    theorem: int
    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Whether one pass in bounded memory is enough, and otherwise the number of passes."""

    passes: int
    is_single_pass: bool
    reasons: tuple[Reason, ...] = ()
    passes_by_stream: tuple[tuple[str, int], ...] = ()
    is_bounded: bool = True
    """Whether that many passes keep only items, windows and aggregates."""
