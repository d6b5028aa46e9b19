"""The value of an expression in the graph, and the nodes and edges that a walk over a query creates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from xylem.analysis.readable_names import with_readable_names
from xylem.errors import NOWHERE, Span
from xylem.syntax import ast, print_query

from .graph import AtomicNode, Blocking, Dependence, Edge, Graph, Node, SequenceNode
from .stream_path import StreamPath

Refs = frozenset[int]
NONE: Refs = frozenset()
MOST_CHARACTERS = 60
_LONG = 2_000
_LONG_LINK = 300
"""If an expression, or a link of a chain, has more characters than this, its label is the beginning of its own text."""


@dataclass(frozen=True)
class Value:
    """The nodes of a value, and whether it is as long as a stream."""

    refs: Refs = NONE
    is_sequence: bool = False
    place: StreamPath | None = None
    """A path over a stream that may be extended: it becomes a node once it is used otherwise."""
    is_local: bool = False
    """Whether it depends on the item tested by a predicate."""

    def and_also(self, refs: Refs) -> Value:
        return replace(self, refs=self.refs | refs) if refs else self


CONSTANT = Value()
LOCAL = Value(is_local=True)


def label(node: ast.Node) -> str:
    """An expression on one line, as a user writes it, not too long."""
    span = node.span
    # A chain contains each of its links: printing all of them would take quadratic time.
    if span.end - span.start > (_LONG_LINK if _is_link(node) else _LONG):
        written = " ".join(span.source.text[span.start : span.start + 4 * MOST_CHARACTERS].split())
        return written[: MOST_CHARACTERS - 1] + "…"
    text = " ".join(print_query(with_readable_names(node)).split()).replace("( ", "(").replace(" )", ")")
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _is_link(node: ast.Node) -> bool:
    return type(next(iter(node.children()), None)) is type(node)


@dataclass
class Nodes:
    """The graph so far."""

    nodes: dict[int, Node] = field(default_factory=dict)
    edges: dict[Edge, None] = field(default_factory=dict)
    _flows: dict[int, Refs] = field(default_factory=dict)
    """By node: those it flows from."""

    def sequence(
        self,
        text: str,
        span: Span,
        flows: Iterable[int] = (),
        *,
        path: StreamPath | None = None,
        blocking: Blocking | None = None,
        in_turn: bool = False,
    ) -> Value:
        """A sequence that flows from others; one that compares the items of two traversals joins them.

        With `in_turn` the others come one after the other.
        """
        number = len(self.nodes) + 1
        sources = frozenset(flows)
        if blocking is None and not in_turn and self._joins(sources, path):
            blocking = Blocking.JOINS
        self.nodes[number] = SequenceNode(number, text, span, blocking, path)
        self._flow(number, sources)
        return Value(frozenset({number}), is_sequence=True)

    def atom(
        self,
        text: str,
        span: Span,
        flows: Iterable[int] = (),
        *,
        aggregates: Iterable[int] = (),
        is_iterator: bool = False,
        is_local: bool = False,
        blocking: Blocking | None = None,
    ) -> Value:
        """A value that flows from others; `aggregates`: the sequences at whose ends it is known."""
        number = len(self.nodes) + 1
        folded, sources = frozenset(aggregates), frozenset(flows)
        if blocking is None and folded and (is_local or self.traversals(sources)):
            # It differs for each item of a stream: the sequence is read again and again.
            blocking = Blocking.JOINS
        self.nodes[number] = AtomicNode(number, text, span, blocking, is_iterator)
        self._flow(number, sources)
        for source in sorted(folded):
            self.edges[Edge(source, number, Dependence.AGGREGATE)] = None
        return Value(frozenset({number}))

    def _joins(self, sources: Refs, path: StreamPath | None) -> bool:
        """Whether items of two traversals meet here for the first time."""
        met = self.traversals(sources)
        if path is not None:
            return bool(met)
        return len(met) > 1 and not any(self.traversals([source]) == met for source in sources)

    def _flow(self, target: int, sources: Refs) -> None:
        self._flows[target] = sources
        for source in sorted(sources):
            self.edges[Edge(source, target)] = None

    def name(self, value: Value, variable: str, span: Span) -> Value:
        """The value of a `let` variable: the node gets its name, unless it has one, or there are several."""
        if value.place is not None or not value.refs:
            return value
        if len(value.refs) == 1:
            (number,) = value.refs
            node = self.nodes[number]
            if not node.label.startswith("$"):
                self.nodes[number] = replace(node, label=f"{variable} := {node.label}")
            return value
        if value.is_sequence:
            return self.sequence(variable, span, value.refs, blocking=None)
        return replace(self.atom(variable, span, value.refs), is_local=value.is_local)

    def wait(self, number: int) -> None:
        """Mark a sequence whose items follow those of another one."""
        if self.nodes[number].blocking is None:
            self.nodes[number] = replace(self.nodes[number], blocking=Blocking.WAITS)

    def traversals(self, refs: Iterable[int]) -> Refs:
        """The paths over streams that values depend on item by item: not through aggregates."""
        found: set[int] = set()
        seen: set[int] = set()
        todo = list(refs)
        while todo:
            number = todo.pop()
            if number in seen:
                continue
            seen.add(number)
            node = self.nodes[number]
            if isinstance(node, SequenceNode) and node.path is not None:
                found.add(number)
            todo += self._flows[number]
        return frozenset(found)

    def graph(self) -> Graph:
        return Graph(tuple(self.nodes.values()), tuple(self.edges))


def nowhere(node: ast.Node) -> Span:
    return node.span if node.span.source.text else NOWHERE
